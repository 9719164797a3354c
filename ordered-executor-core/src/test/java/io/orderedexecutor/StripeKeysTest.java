package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table of stripes, at the instructions where a thread may stop. */
class StripeKeysTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).build();
    private final AtomicInteger ran = new AtomicInteger();

    /** A key that does something while it is compared. All have the same hash. */
    private record Acting(String name, Runnable action) {
        @Override
        public boolean equals(Object other) {
            action.run();
            return other instanceof Acting acting && acting.name.equals(name);
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @Test
    @DisplayName("A stripe that opens while the bins are rebuilt is not lost")
    void opensWhileTheBinsAreRebuilt() {
        executor.execute(new Acting("first", () -> {}), ran::incrementAndGet);
        AtomicInteger comparisons = new AtomicInteger();
        Acting growing = new Acting("second", () -> {
            if (comparisons.getAndIncrement() == 0) {
                for (int other = 0; other < 10_000; other++) {
                    executor.execute("key " + other, ran::incrementAndGet);
                }
            }
        });
        executor.execute(growing, ran::incrementAndGet);
        assertThat(executor.inspect().snapshot(new Acting("second", () -> {}))).isPresent();
        assertThat(executor.inspect().stats().queued()).isEqualTo(10_002);
        stepped.runAll();
        assertThat(ran).hasValue(10_002);
        assertThat(executor.inspect().stats().keys()).isZero();
    }

    @Test
    @DisplayName("A key that is equal to everything is not equal to what stands for no stripe")
    void noStripeIsEqualToNothing() {
        Object equalToAll = new Object() {
            @Override
            public boolean equals(Object other) {
                return true;
            }

            @Override
            public int hashCode() {
                return 1;
            }
        };
        for (int i = 0; i < 1_000; i++) {
            executor.asExecutorService().execute(ran::incrementAndGet);
        }
        executor.control().pause(equalToAll);
        executor.execute(equalToAll, ran::incrementAndGet);
        stepped.runAll();
        assertThat(ran).as("those without a stripe, which is not paused").hasValue(1_000);
        executor.control().resume(equalToAll);
        stepped.runAll();
        assertThat(ran).hasValue(1_001);
    }

    @Test
    @DisplayName("a task without a stripe that is cancelled is gone before its turn")
    void aCancelledTaskWithoutAStripe() {
        CompletableFuture<Integer> future =
                (CompletableFuture<Integer>) executor.asExecutorService().submit(ran::incrementAndGet);
        assertThat(future.cancel(false)).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
        stepped.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
        assertThat(ran).hasValue(0);
    }
}
