package io.orderedexecutor.engine.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.strand.Host;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.ShutdownState;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.ArrayList;
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
            return index == OCCUPIED && strand != null ? List.of(strand) : List.of();
        }

        private boolean isOccupied() {
            return index == OCCUPIED && occupied;
        }
    }

    /** A strand that waits for a thread. */
    private final class Waiting extends Strand {
        Waiting(Runnable first) {
            super(
                    new Host(new BorrowedWorkers(stepped, Turn.DEFAULT, Platform.JDK)),
                    "a",
                    new Link(first),
                    READY,
                    true,
                    false);
        }

        @Override
        public String toString() {
            return "a strand";
        }

        @Override
        public void run() {
            Serving.run(this);
        }

        @Override
        public void onEnd(boolean mayStay) {
            occupied = false;
            strand = null;
        }
    }

    private final SteppedExecutor stepped = new SteppedExecutor();

    /** In the segment that is occupied. */
    private Strand strand;

    private boolean occupied;

    /** What fails from now on, and how often. */
    private int failingSegments;

    private int failingOnShutdown;
    private final List<String> ran = new ArrayList<>();
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
    @DisplayName("a shutdown without memory for the table is finished by another one")
    void aShutdownThatCouldNotCloseTheTable() throws InterruptedException {
        failingSegments = 1;
        assertThatThrownBy(lifecycle::shutdown).isInstanceOf(OutOfMemoryError.class);
        assertThat(lifecycle.isShutdown()).isTrue();
        assertThat(lifecycle.isTerminated()).isFalse();
        lifecycle.shutdown();
        assertTerminated();
    }

    @Test
    @DisplayName("a shutdownNow without stack for what waits is finished by a shutdown")
    void aShutdownNowThatCouldNotTellWhatWaits() throws InterruptedException {
        failingOnShutdown = 1;
        assertThatThrownBy(lifecycle::shutdownNow).isInstanceOf(StackOverflowError.class);
        assertThat(lifecycle.isTerminated()).isFalse();
        lifecycle.shutdown();
        assertTerminated();
    }

    @Test
    @DisplayName("the end of the last strand may be told while the shutdown has failed, and more than once")
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
    @DisplayName("a failed shutdown that is finished waits for the strands that are left")
    void strandsAreLeft() throws InterruptedException {
        occupied = true;
        failingSegments = 1;
        assertThatThrownBy(lifecycle::shutdown).isInstanceOf(OutOfMemoryError.class);
        lifecycle.shutdown();
        assertThat(lifecycle.isTerminated()).isFalse();
        lifecycle.onSegmentEmpty(OCCUPIED);
        assertTerminated();
    }

    @Test
    @DisplayName("what a shutdownNow has taken back that fails then is returned by the next one")
    void whatAFailedShutdownNowHasTakenBack() throws InterruptedException {
        Runnable first = () -> ran.add("first");
        Runnable second = () -> ran.add("second");
        strand = new Waiting(first);
        strand.place(new Link(second), Limits.UNLIMITED);
        occupied = true;
        failingOnShutdown = 2;
        assertThatThrownBy(lifecycle::shutdownNow).isInstanceOf(StackOverflowError.class);
        assertThatThrownBy(lifecycle::shutdownNow).isInstanceOf(StackOverflowError.class);
        assertThat(lifecycle.shutdownNow()).containsExactly(first, second);
        assertThat(lifecycle.shutdownNow()).isEmpty();
        assertThat(ran).isEmpty();
        assertThat(strand).as("the strand, which has ended").isNull();
    }
}
