package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.Reachability.Payload;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a timer is not needed for any more is not kept until its time has come: R7. */
class TimersForgetTest {
    private static final int TASKS = 50;

    private final SteppedExecutor steps = new SteppedExecutor();
    private final List<WeakReference<Object>> gone = new ArrayList<>();
    private final AtomicInteger ran = new AtomicInteger();

    private CompletableFuture<Object> submitFailing(StripedExecutor executor, int key) {
        Payload payload = new Payload();
        gone.add(new WeakReference<>(payload));
        return executor.submit(key, () -> {
            ran.addAndGet(payload.size());
            throw new ThrownOnPurpose();
        });
    }

    @Test
    @DisplayName("a task that is cancelled during an hour's pause between attempts is unreachable at once")
    void cancelledDuringAPause() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(3)
                        .delay(Duration.ofHours(1))
                        .thenProceed())
                .build();
        List<CompletableFuture<Object>> futures = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            futures.add(submitFailing(executor, i));
        }
        steps.runAll();
        assertThat(ran).hasValue(TASKS * new Payload().size());
        futures.forEach(future -> future.cancel(true));
        futures.clear();
        Reachability.assertCleared(gone);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, TASKS, 0));
        Patience.terminate(executor);
    }

    private void useAndGiveBack(StripedExecutor executor) {
        Payload used = new Payload();
        Payload givenBack = new Payload();
        gone.add(new WeakReference<>(used));
        gone.add(new WeakReference<>(givenBack));
        Reservation first = executor.reserve(used);
        Reservation second = executor.reserve(givenBack);
        first.execute(ran::incrementAndGet);
        second.close();
    }

    @Test
    @DisplayName("the key of a reservation that was used or given back is unreachable long before its lease is over")
    void reservationsWithALease() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .reservationLease(Duration.ofHours(1))
                .build();
        for (int i = 0; i < TASKS; i++) {
            useAndGiveBack(executor);
        }
        steps.runAll();
        assertThat(ran).hasValue(TASKS);
        Reachability.assertCleared(gone);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, TASKS, 0, 0, 0));
        Patience.terminate(executor);
    }
}
