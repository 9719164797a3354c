package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.stats.ParkedTask;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FailuresTest {
    private final Queue<String> booked = new ConcurrentLinkedQueue<>();
    private volatile boolean databaseIsThere;

    private String book(String order) {
        if (!databaseIsThere) {
            throw new IllegalStateException("no database");
        }
        booked.add(order);
        return order;
    }

    @Test
    void aStripeThatFailsForGoodStopsUntilItIsResumed() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder()
                .threads(4)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofMillis(100))
                        .multiplier(2)
                        .maxDelay(Duration.ofSeconds(10))
                        .thenPark())
                .build()) {
            CompletableFuture<String> first = executor.submit("alice", () -> book("order 1"));
            CompletableFuture<String> second = executor.submit("alice", () -> book("order 2"));
            await().until(() -> !executor.inspect().parkedTasks().isEmpty());
            assertThat(first).isNotDone();

            // the operator looks what is wrong, and repairs it
            List<ParkedTask> parked = executor.inspect().parkedTasks();
            assertThat(parked.get(0).failure()).hasMessage("no database");
            databaseIsThere = true;
            executor.control().resume("alice"); // runs order 1 again, then order 2

            assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("order 1");
            assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("order 2");
        }
        assertThat(booked).containsExactly("order 1", "order 2");
    }

    @Test
    void aTaskThatCannotSucceedIsSkipped() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder()
                .threads(4)
                .failurePolicy(FailurePolicy.park())
                .build()) {
            CompletableFuture<String> first = executor.submit("alice", () -> book("order 1"));
            await().until(() -> !executor.inspect().parkedTasks().isEmpty());
            databaseIsThere = true;
            CompletableFuture<String> second = executor.submit("alice", () -> book("order 2"));

            executor.control().skip("alice"); // order 1 fails for its caller, and order 2 runs

            assertThatThrownBy(() -> first.get(30, TimeUnit.SECONDS)).hasRootCauseMessage("no database");
            assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("order 2");
        }
        assertThat(booked).containsExactly("order 2");
    }
}
