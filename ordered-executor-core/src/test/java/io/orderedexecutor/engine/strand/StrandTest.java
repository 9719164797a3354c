package io.orderedexecutor.engine.strand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.task.TaskEnd;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.io.Serial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of tasks, at the instructions where a thread may stop. */
class StrandTest {
    private final List<Boolean> interrupted = new ArrayList<>();
    private final TakenBack takenBack = new TakenBack();

    /** Whether shutdownNow comes when the strand has asked for it the next time. */
    private boolean stopsNext;

    private boolean stopping;

    /** Whether it has not come yet to what waits. */
    private boolean stopsLate;

    private static final class Sequence extends Strand {
        Sequence(Host host, Runnable first) {
            super(host, "a", new Link(first), READY, true, false);
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
        public void onEnd(boolean mayStay) {}
    }

    private final class Interjected extends ShutdownState {
        @Override
        public Phase phase() {
            boolean before = stopping;
            if (stopsNext) {
                stopsNext = false;
                stopping = true;
                if (!stopsLate) {
                    StrandControl.takeBack(strand, takenBack);
                    StrandControl.stop(strand);
                }
            }
            return before ? Phase.STOPPING : Phase.RUNNING;
        }
    }

    private Sequence strand = strandWith(FailurePolicy.retry(3, Duration.ZERO).thenProceed());

    private Sequence strandWith(FailurePolicy policy) {
        Host host = new Host(
                new BorrowedWorkers(new SteppedExecutor(), Turn.DEFAULT, new HandTimer()),
                new TaskReporter(null, Platform.JDK),
                policy,
                new Interjected(),
                null);
        return new Sequence(host, () -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            stopsNext = interrupted.size() == 1;
            throw new ThrownOnPurpose();
        });
    }

    @Test
    @DisplayName("a task that is put back while shutdownNow takes back what waits is not run again: nobody would "
            + "interrupt it")
    void stoppedWhileATaskIsPutBack() {
        List<Throwable> uncaught = run();
        assertThat(interrupted).as("attempts").containsExactly(false);
        assertThat(takenBack.tasks()).isEmpty();
        assertEnds(0, 1);
        assertThat(uncaught).hasSize(1).first().isInstanceOf(ThrownOnPurpose.class);
        assertThat(strand.hasEnded()).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    /** Runs the strand; returns what its tasks have thrown. */
    private List<Throwable> run() {
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        List<Throwable> uncaught = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        try {
            strand.run();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        return uncaught;
    }

    private void assertEnds(int completed, int failed) {
        TaskReporter reporter = strand.host().reporter();
        assertThat(reporter.counted(TaskEnd.COMPLETED)).isEqualTo(completed);
        assertThat(reporter.counted(TaskEnd.FAILED)).isEqualTo(failed);
        assertThat(reporter.counted(TaskEnd.CANCELLED)).isZero();
    }

    static List<FailurePolicy> thatPutBack() {
        return List.of(
                FailurePolicy.retry(3, Duration.ZERO).thenProceed(),
                FailurePolicy.retry(3, Duration.ofDays(1)).thenProceed(),
                FailurePolicy.park());
    }

    @ParameterizedTest
    @MethodSource("thatPutBack")
    @DisplayName("what waits behind a task that fails while shutdownNow begins is left to that, which returns "
            + "it, or is run and interrupted: so is what comes late")
    void stoppedBeforeWhatWaitsIsTakenBack(FailurePolicy policy) {
        strand = strandWith(policy);
        stopsLate = true;
        Runnable behind = () -> interrupted.add(Thread.currentThread().isInterrupted());
        assertThat(strand.place(new Link(behind), Limits.UNLIMITED)).isEqualTo(Placed.LINKED);
        List<Throwable> uncaught = run();
        assertThat(interrupted)
                .as("one attempt, and the task behind it, which nobody has taken back")
                .containsExactly(false, true);
        assertEnds(1, 1);
        assertThat(uncaught).hasSize(1).first().isInstanceOf(ThrownOnPurpose.class);
        assertThat(strand.hasEnded()).isTrue();
    }

    @Test
    @DisplayName("a shutdownNow that has no memory for what waits leaves it where it is")
    void noMemoryForWhatIsTakenBack() {
        Runnable behind = () -> {};
        strand.place(new Link(behind), Limits.UNLIMITED);
        TakenBack none = new TakenBack(new NoMemory());
        assertThatThrownBy(() -> StrandControl.takeBack(strand, none)).isInstanceOf(OutOfMemoryError.class);
        assertThat(strand.queued()).isEqualTo(2);
        StrandControl.takeBack(strand, takenBack);
        assertThat(takenBack.tasks()).hasSize(2).last().isSameAs(behind);
        assertThat(strand.queued()).isZero();
    }

    /** A list that does not grow. */
    private static final class NoMemory extends ArrayList<Runnable> {
        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        public void ensureCapacity(int capacity) {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public boolean add(Runnable task) {
            throw new OutOfMemoryError("on purpose");
        }
    }
}
