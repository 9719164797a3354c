package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
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

    /** Two consumers of one listener begin at the same time: what one of them cannot check, it would run again. */
    @Test
    void eachConsumerWaits() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        ClusterId shared = new ClusterId(() -> answer, nanos::get, Duration.ofSeconds(30));
        List<FutureTask<String>> consumers = List.of(new FutureTask<>(shared::get), new FutureTask<>(shared::get));
        List<Thread> threads = consumers.stream().map(Thread::new).toList();
        threads.forEach(Thread::start);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> threads.stream()
                        .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING
                                || thread.getState() == Thread.State.TERMINATED));
        answer.complete("cluster");
        for (FutureTask<String> each : consumers) {
            assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo("cluster");
        }
    }

    @Test
    void nobodyWaitsForAnotherTime() {
        ClusterId shared = new ClusterId(CompletableFuture::new, nanos::get, Duration.ofSeconds(30));
        Thread.currentThread().interrupt();
        assertThat(shared.get()).as("the first one waits, and is interrupted").isNull();
        assertThat(Thread.interrupted()).isTrue();
        nanos.addAndGet(Duration.ofSeconds(30).toNanos());
        Thread.currentThread().interrupt();
        assertThat(shared.get()).isNull();
        assertThat(Thread.interrupted())
                .as("who does not wait leaves the interrupt")
                .isTrue();
        assertThat(Duration.ofNanos(nanos.get())).isEqualTo(Duration.ofSeconds(30));
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
    void whatIsNotKnownIsToldOnce() {
        ClusterId shared = new ClusterId(
                () -> CompletableFuture.failedFuture(new IllegalStateException("no broker")),
                nanos::get,
                Duration.ofSeconds(30));
        try (LogLines log = new LogLines(ClusterId.class.getName())) {
            assertThat(shared.get()).isNull();
            assertThat(shared.get()).isNull();
            assertThat(log.lines()).singleElement().asString().startsWith("INFO The id of the Kafka cluster is not");
        }
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
