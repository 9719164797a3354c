package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The id of the cluster, which may come late, or after another question. */
class ClusterIdTest {
    private final List<CompletableFuture<String>> questions = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final ClusterId clusterId = new ClusterId(
            () -> {
                CompletableFuture<String> question = new CompletableFuture<>();
                questions.add(question);
                return question;
            },
            nanos::get,
            Duration.ZERO);

    @Test
    void whatComesLateIsKnownThen() {
        assertThat(clusterId.get()).isNull();
        questions.get(0).complete("cluster");
        assertThat(clusterId.get()).isEqualTo("cluster");
        nanos.addAndGet(ClusterId.ASK_AGAIN_AFTER.toNanos());
        assertThat(clusterId.get()).isEqualTo("cluster");
        assertThat(questions).hasSize(1);
    }

    @Test
    void whatCouldNotBeFoundIsAskedAgainLater() {
        questions.get(0).completeExceptionally(new IllegalStateException("no broker"));
        assertThat(clusterId.get()).isNull();
        nanos.addAndGet(ClusterId.ASK_AGAIN_AFTER.toNanos() - 1);
        assertThat(clusterId.get()).isNull();
        assertThat(questions).hasSize(1);
        nanos.incrementAndGet();
        assertThat(clusterId.get()).isNull();
        assertThat(clusterId.get()).isNull();
        assertThat(questions).hasSize(2);
        questions.get(1).complete("cluster");
        assertThat(clusterId.get()).isEqualTo("cluster");
    }

    @Test
    void theSecondQuestionMayFailAsWell() {
        questions.get(0).completeExceptionally(new IllegalStateException("no broker"));
        nanos.addAndGet(ClusterId.ASK_AGAIN_AFTER.toNanos());
        assertThat(clusterId.get()).isNull();
        questions.get(1).completeExceptionally(new IllegalStateException("no broker"));
        assertThat(clusterId.get()).isNull();
        assertThat(questions).hasSize(2);
        nanos.addAndGet(ClusterId.ASK_AGAIN_AFTER.toNanos());
        assertThat(clusterId.get()).isNull();
        assertThat(questions).hasSize(3);
    }
}
