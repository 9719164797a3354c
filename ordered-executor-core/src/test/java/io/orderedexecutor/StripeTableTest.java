package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.engine.striped.StripeBins;
import io.orderedexecutor.engine.striped.StripeTable;
import io.orderedexecutor.engine.striped.StripedEngine;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.StripedExecutorStats;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The table of stripes, at the instructions where a thread may stop. */
class StripeTableTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).build();
    private final AtomicInteger ran = new AtomicInteger();

    @Test
    @DisplayName("a table that is closed opens no stripe, for whom a shutdown came after they had looked")
    void aClosedTableOpensNothing() {
        StripeTable table = Tables.of(executor);
        for (int segment = 0; segment < StripeTable.SEGMENTS; segment++) {
            assertThat(table.segmentFor(segment << 26).close())
                    .as("empty, and so for good")
                    .isTrue();
        }
        assertThatThrownBy(() -> executor.execute("a", ran::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.asExecutorService().execute(ran::incrementAndGet))
                .isInstanceOf(RejectedExecutionException.class);
        executor.pause("a");
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, 0, 0, 0, 2));
        assertThat(stepped.runAll()).isZero();
        assertThat(ran).hasValue(0);
    }

    @Test
    void onlyTheLastStripeOfAClosedSegmentLeavesItEmptyForGood() {
        StripedEngine engine = executor.engine();
        StripeBins segment = Tables.of(executor).segmentFor(0);
        int[] keys = IntStream.range(0, 100_000)
                .filter(key -> engine.hashOf(key) >>> 26 == 0)
                .limit(3)
                .toArray();
        executor.pause(keys[0]);
        assertThat(segment.remove(engine.find(keys[0])))
                .as("the last, while more can be opened")
                .isFalse();
        executor.pause(keys[1]);
        executor.pause(keys[2]);
        assertThat(segment.close()).isFalse();
        assertThat(segment.remove(engine.find(keys[2]))).isFalse();
        assertThat(segment.remove(engine.find(keys[1]))).as("the last").isTrue();
        assertThat(segment.strands()).isEmpty();
    }

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
        int hash = SegmentedTable.spread(1);
        int[] ofOtherBins = IntStream.range(0, 100_000)
                .filter(i -> (SegmentedTable.spread(i) ^ hash) >>> 26 == 0)
                .filter(i -> ((SegmentedTable.spread(i) ^ hash) & 15) != 0)
                .limit(100)
                .toArray();
        AtomicInteger comparisons = new AtomicInteger();
        Acting growing = new Acting("second", () -> {
            if (comparisons.getAndIncrement() == 0) {
                for (int other : ofOtherBins) {
                    executor.execute(other, ran::incrementAndGet);
                }
            }
        });
        executor.execute(growing, ran::incrementAndGet);
        assertThat(executor.snapshot(new Acting("second", () -> {}))).isPresent();
        assertThat(executor.stats().queued()).isEqualTo(102);
        stepped.runAll();
        assertThat(ran).hasValue(102);
        assertThat(executor.stats().stripes()).isZero();
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
        assertThat(executor.engine().isSameStripe(equalToAll, "a")).isTrue();
        assertThat(executor.engine().isSameStripe(equalToAll, TaskEvents.NO_KEY))
                .isFalse();
    }

    @Test
    @DisplayName("a task without a stripe that is cancelled is gone before its turn")
    void aCancelledTaskWithoutAStripe() {
        CompletableFuture<Integer> future =
                (CompletableFuture<Integer>) executor.asExecutorService().submit(ran::incrementAndGet);
        assertThat(future.cancel(false)).isTrue();
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(1, 0, 0, 0, 0, 1, 0));
        stepped.runAll();
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, 0, 0, 1, 0));
        assertThat(ran).hasValue(0);
    }
}
