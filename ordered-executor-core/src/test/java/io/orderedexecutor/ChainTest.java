package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What becomes of tasks, at the instructions where a thread may stop. */
class ChainTest {
    private final List<TaskEnd> ends = new ArrayList<>();
    private final List<Boolean> interrupted = new ArrayList<>();
    private final List<Runnable> takenBack = new ArrayList<>();

    /** Whether shutdownNow comes when the chain has asked for it the next time. */
    private boolean stopsNext;

    private boolean stopping;

    private final class Sequence extends Chain {
        Sequence(Runnable first) {
            super(new OfTest(), first);
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
        boolean isKeptOpen() {
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
        private final Workers workers = new BorrowedWorkers(new SteppedExecutor(), Turn.DEFAULT);

        @Override
        public Workers workers() {
            return workers;
        }

        @Override
        public @Nullable TaskEvents events() {
            return null;
        }

        @Override
        public FailurePolicy failurePolicy() {
            return FailurePolicy.retry(3, Duration.ZERO).thenProceed();
        }

        @Override
        public Timer timer() {
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
                chain.takeBack(takenBack);
                chain.stop();
            }
            return before;
        }

        @Override
        public void onTaken() {}

        @Override
        public void onPutBack() {}

        @Override
        public void onTaskEnd(TaskEnd end) {
            ends.add(end);
        }

        @Override
        public void onRejected() {}
    }

    private final Sequence chain = new Sequence(() -> {
        interrupted.add(Thread.currentThread().isInterrupted());
        stopsNext = interrupted.size() == 1;
        throw new ThrownOnPurpose();
    });

    @Test
    @DisplayName(
            "R9: a task that is put back while shutdownNow takes back what waits is not run again: nobody would interrupt it")
    void stoppedWhileATaskIsPutBack() {
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        List<Throwable> uncaught = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        try {
            chain.run();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        assertThat(interrupted).as("attempts").containsExactly(false);
        assertThat(takenBack).isEmpty();
        assertThat(ends).containsExactly(TaskEnd.FAILED);
        assertThat(uncaught).hasSize(1).first().isInstanceOf(ThrownOnPurpose.class);
        assertThat(chain.hasEnded()).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }
}
