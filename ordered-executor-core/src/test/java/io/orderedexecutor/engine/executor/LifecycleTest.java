package io.orderedexecutor.engine.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.strand.ShutdownState;
import io.orderedexecutor.engine.strand.Strand;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R9: a shutdown that has no memory half-way is finished by the next one. */
class LifecycleTest {
    private static final int OCCUPIED = 7;

    private final class Segment implements SegmentedTable.Segment<Strand> {
        private final int index;

        Segment(int index) {
            this.index = index;
        }

        @Override
        public long arrivalsIfEmpty() {
            return isOccupied() ? -1 : 0;
        }

        @Override
        public boolean close() {
            return !isOccupied();
        }

        @Override
        public List<Strand> strands() {
            return List.of();
        }

        private boolean isOccupied() {
            return index == OCCUPIED && occupied;
        }
    }

    private boolean occupied;

    /** What fails from now on, and how often. */
    private int failingSegments;

    private int failingOnShutdown;
    private final AtomicInteger terminated = new AtomicInteger();

    private final Lifecycle lifecycle = new Lifecycle(
            Platform.JDK,
            new LiveStrands(new SegmentedTable<Segment, Strand>(
                    index -> {
                        if (index == 5 && failingSegments > 0) {
                            failingSegments--;
                            throw new OutOfMemoryError("on purpose");
                        }
                        return new Segment(index);
                    },
                    null)),
            new ShutdownState(),
            () -> {
                if (failingOnShutdown > 0) {
                    failingOnShutdown--;
                    throw new StackOverflowError("on purpose");
                }
            },
            terminated::getAndIncrement);

    private void assertTerminated() throws InterruptedException {
        assertThat(lifecycle.isTerminated()).isTrue();
        assertThat(lifecycle.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
        assertThat(terminated).hasValue(1);
        lifecycle.shutdown();
        assertThat(lifecycle.shutdownNow()).isEmpty();
        assertThat(terminated).hasValue(1);
    }

    @Test
    @DisplayName("R9: a shutdown without memory for the table is finished by another one")
    void aShutdownThatCouldNotCloseTheTable() throws InterruptedException {
        failingSegments = 1;
        assertThatThrownBy(lifecycle::shutdown).isInstanceOf(OutOfMemoryError.class);
        assertThat(lifecycle.isShutdown()).isTrue();
        assertThat(lifecycle.isTerminated()).isFalse();
        lifecycle.shutdown();
        assertTerminated();
    }

    @Test
    @DisplayName("R9: a shutdownNow without stack for what waits is finished by a shutdown")
    void aShutdownNowThatCouldNotTellWhatWaits() throws InterruptedException {
        failingOnShutdown = 1;
        assertThatThrownBy(lifecycle::shutdownNow).isInstanceOf(StackOverflowError.class);
        assertThat(lifecycle.isTerminated()).isFalse();
        lifecycle.shutdown();
        assertTerminated();
    }

    @Test
    @DisplayName("R9: the end of the last strand may be told while the shutdown has failed, and more than once")
    void theLastStrandEndsInBetween() throws InterruptedException {
        occupied = true;
        failingOnShutdown = 1;
        assertThatThrownBy(lifecycle::shutdown).isInstanceOf(StackOverflowError.class);
        occupied = false;
        lifecycle.onSegmentEmpty(OCCUPIED);
        lifecycle.onSegmentEmpty(OCCUPIED);
        assertThat(lifecycle.isTerminated()).isFalse();
        lifecycle.shutdown();
        assertTerminated();
    }

    @Test
    @DisplayName("R9: a failed shutdown that is finished waits for the strands that are left")
    void strandsAreLeft() throws InterruptedException {
        occupied = true;
        failingSegments = 1;
        assertThatThrownBy(lifecycle::shutdown).isInstanceOf(OutOfMemoryError.class);
        lifecycle.shutdown();
        assertThat(lifecycle.isTerminated()).isFalse();
        lifecycle.onSegmentEmpty(OCCUPIED);
        assertTerminated();
    }
}
