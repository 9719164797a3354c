package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of tasks, at the instructions where a thread may stop. */
class ChainTest {
    private final List<TaskEnd> ends = new ArrayList<>();
    private final List<Boolean> interrupted = new ArrayList<>();
    private final List<Runnable> takenBack = new ArrayList<>();

    /** Whether shutdownNow comes when the chain has asked for it the next time. */
    private boolean stopsNext;

    private boolean stopping;

    /** Whether it has not come yet to what waits. */
    private boolean stopsLate;

    private FailurePolicy policy = FailurePolicy.retry(3, Duration.ZERO).thenProceed();

    private final class Sequence extends Strand {
        Sequence(Runnable first) {
            super(new OfTest(), new Link(first), READY);
        }

        @Override
        Object key() {
            return "a";
        }

        @Override
        boolean isPaused() {
            return false;
        }

        @Override
        public String describe() {
            return "a chain";
        }

        @Override
        void onEnd(boolean mayStay) {}
    }

    private final class OfTest implements Host {
        private final Workers workers = new BorrowedWorkers(new SteppedExecutor(), Turn.DEFAULT, Platform.JDK);

        @Override
        public Workers workers() {
            return workers;
        }

        @Override
        public FailurePolicy failurePolicy() {
            return policy;
        }

        @Override
        public Platform platform() {
            return new HandTimer();
        }

        @Override
        public boolean isShutdown() {
            return stopping;
        }

        @Override
        public boolean isStopping() {
            boolean before = stopping;
            if (stopsNext) {
                stopsNext = false;
                stopping = true;
                if (!stopsLate) {
                    chain.takeBack(takenBack);
                    chain.stop();
                }
            }
            return before;
        }

        @Override
        public void onTaskEnd(TaskEnd end) {
            ends.add(end);
        }
    }

    private final Sequence chain = new Sequence(() -> {
        interrupted.add(Thread.currentThread().isInterrupted());
        stopsNext = interrupted.size() == 1;
        throw new ThrownOnPurpose();
    });

    @Test
    @DisplayName("R9: a task that is put back while shutdownNow takes back what waits is not run again: nobody would "
            + "interrupt it")
    void stoppedWhileATaskIsPutBack() {
        List<Throwable> uncaught = run();
        assertThat(interrupted).as("attempts").containsExactly(false);
        assertThat(takenBack).isEmpty();
        assertThat(ends).containsExactly(TaskEnd.FAILED);
        assertThat(uncaught).hasSize(1).first().isInstanceOf(ThrownOnPurpose.class);
        assertThat(chain.hasEnded()).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }

    /** Runs the chain; returns what its tasks have thrown. */
    private List<Throwable> run() {
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        List<Throwable> uncaught = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        try {
            chain.run();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        return uncaught;
    }

    static List<FailurePolicy> thatPutBack() {
        return List.of(
                FailurePolicy.retry(3, Duration.ZERO).thenProceed(),
                FailurePolicy.retry(3, Duration.ofDays(1)).thenProceed(),
                FailurePolicy.park());
    }

    @ParameterizedTest
    @MethodSource("thatPutBack")
    @DisplayName("R9: what waits behind a task that fails while shutdownNow begins is left to that, which returns "
            + "it, or is run and interrupted: so is what comes late")
    void stoppedBeforeWhatWaitsIsTakenBack(FailurePolicy policy) {
        this.policy = policy;
        stopsLate = true;
        Runnable behind = () -> interrupted.add(Thread.currentThread().isInterrupted());
        assertThat(chain.place(new Link(behind), Bounds.UNLIMITED)).isEqualTo(LinkQueue.Placed.LINKED);
        List<Throwable> uncaught = run();
        assertThat(interrupted)
                .as("one attempt, and the task behind it, which nobody has taken back")
                .containsExactly(false, true);
        assertThat(ends).containsExactly(TaskEnd.FAILED, TaskEnd.COMPLETED);
        assertThat(uncaught).hasSize(1).first().isInstanceOf(ThrownOnPurpose.class);
        assertThat(chain.hasEnded()).isTrue();
    }
}
