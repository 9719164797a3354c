package io.orderedexecutor.engine.strand;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.OverflowingThread;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: memory or stack that run out in our own code, at an instruction of choice, lose neither a strand nor a task. */
class StrandRescueTest {
    private final HandTimer timer = new HandTimer();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final List<Throwable> reported = new ArrayList<>();
    private final List<String> ran = new ArrayList<>();
    private Thread.UncaughtExceptionHandler handlerBefore;

    /** How often it fails from now on that a strand says that it has ended. */
    private int failingEnds;

    private int ends;

    private final class Sequence extends Strand {
        Sequence(Runnable first, FailurePolicy policy) {
            super(
                    new Host(
                            new BorrowedWorkers(stepped, Turn.DEFAULT, timer),
                            new TaskReporter(null, Platform.JDK),
                            policy,
                            new ShutdownState(),
                            null),
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
            if (failingEnds > 0) {
                failingEnds--;
                throw new OutOfMemoryError("on purpose");
            }
            ends++;
        }
    }

    /** A task for whose failure there is no memory at first. */
    private static final class Unfailing extends WorkFuture<String> {
        private int failing;

        Unfailing(int failing) {
            super(new Object(), false);
            this.failing = failing;
        }

        @Override
        public boolean completeExceptionally(Throwable failure) {
            if (failing > 0) {
                failing--;
                throw new OutOfMemoryError("on purpose");
            }
            return super.completeExceptionally(failure);
        }

        @Override
        public AsyncAttempt perform(Object taken) {
            throw new ThrownOnPurpose();
        }
    }

    /** An asynchronous task that its thread cannot leave the strand to at first. */
    private static final class Held extends WorkFuture<String> {
        private final AsyncAttempt attempt = new AsyncAttempt(this);
        private int failing;

        Held() {
            super(new Object(), false);
        }

        @Override
        public AsyncAttempt perform(Object taken) {
            failing = 1;
            return attempt;
        }

        @Override
        public boolean isDone() {
            if (failing > 0) {
                failing--;
                throw new OutOfMemoryError("on purpose");
            }
            return super.isDone();
        }
    }

    @BeforeEach
    void collectReports() {
        handlerBefore = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
    }

    @AfterEach
    void giveBackHandler() {
        Thread.currentThread().setUncaughtExceptionHandler(handlerBefore);
        assertThat(Thread.interrupted()).isFalse();
    }

    private Sequence sequence(Runnable first) {
        return new Sequence(first, FailurePolicy.proceed());
    }

    @Test
    @DisplayName("A strand whose end fails ends again, on another thread")
    void theEndIsRepeated() {
        failingEnds = 3;
        Sequence strand = sequence(() -> ran.add("task"));
        strand.run();
        stepped.runAll();
        assertThat(ran).containsExactly("task");
        assertThat(failingEnds).isZero();
        assertThat(ends).as("ends").isEqualTo(1);
        assertThat(strand.isHeldBy(Strand.ENDED)).isTrue();
        assertThat(reported).hasSize(3).allMatch(thrown -> thrown instanceof OutOfMemoryError);
    }

    @Test
    @DisplayName("A thread that comes to a strand whose queue is closed, and that has not ended, ends it")
    void aClosedQueueIsEnded() {
        Sequence strand = sequence(() -> ran.add("task"));
        Link first = strand.head();
        Runnable task = strand.claimFrom(first);
        task.run();
        // as far as a thread has come that had no stack for the next call
        assertThat(first.close()).isTrue();
        Thread next = new Thread(strand);
        next.setDaemon(true);
        next.start();
        Patience.join(next);
        assertThat(ends).isEqualTo(1);
        assertThat(strand.isHeldBy(Strand.ENDED)).isTrue();
    }

    @Test
    @DisplayName("A parked task that is skipped while there is no memory fails when there is some")
    void aSkippedTaskFails() {
        Unfailing parked = new Unfailing(2);
        Sequence strand = new Sequence(parked, FailurePolicy.park());
        strand.place(new Link(() -> ran.add("behind")), Limits.UNLIMITED);
        strand.run();
        assertThat(StrandControl.parkedWith(strand)).isInstanceOf(ThrownOnPurpose.class);
        assertThat(StrandControl.unpark(strand, false)).isTrue();
        stepped.runAll();
        assertThat(parked).isCompletedExceptionally();
        assertThat(parked.failure()).isInstanceOf(ThrownOnPurpose.class);
        assertThat(ran).containsExactly("behind");
        assertThat(ends).isEqualTo(1);
    }

    @Test
    @DisplayName("an asynchronous task that its thread could not leave the strand to holds it until it is complete")
    void anAsynchronousTaskIsNotEndedEarly() {
        Held held = new Held();
        Sequence strand = sequence(held);
        strand.place(new Link(() -> ran.add("behind")), Limits.UNLIMITED);
        strand.run();
        stepped.runAll();
        assertThat(held).as("the task, whose stage is not complete").isNotDone();
        assertThat(ran).isEmpty();
        held.complete("done");
        TaskLife.goOnAfter(strand, held.attempt);
        stepped.runAll();
        assertThat(held).isCompletedWithValue("done");
        assertThat(ran).containsExactly("behind");
        assertThat(ends).isEqualTo(1);
    }

    /** A stage that completes while there is no memory for what depends on it, or has none for one more dependent. */
    private static final class NoMemory extends CompletableFuture<String> {
        private int failing;

        NoMemory(int failing) {
            this.failing = failing;
        }

        @Override
        public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
            if (failing > 0) {
                failing--;
                throw new OutOfMemoryError("on purpose");
            }
            return super.whenComplete(action);
        }
    }

    @Test
    @DisplayName("an asynchronous task whose stage has no memory to be listened to holds its strand all the same")
    void aStageIsListenedToWhenThereIsMemory() {
        NoMemory stage = new NoMemory(2);
        TaskFuture<String> future = new StageFuture<>(() -> (CompletionStage<String>) stage);
        Sequence strand = sequence(future);
        strand.place(new Link(() -> ran.add("behind")), Limits.UNLIMITED);
        strand.run();
        stepped.runAll();
        assertThat(future).isNotDone();
        assertThat(ran).isEmpty();
        stage.complete("done");
        stepped.runAll();
        assertThat(future).isCompletedWithValue("done");
        assertThat(ran).containsExactly("behind");
    }

    @Test
    @DisplayName("an asynchronous task that has no stack when its stage is complete is ended by the next thread")
    void anEndWithoutStackIsFound() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        TaskFuture<String> future = new StageFuture<>(() -> stage);
        Sequence strand = sequence(future);
        strand.place(new Link(() -> ran.add("behind")), Limits.UNLIMITED);
        strand.run();
        OverflowingThread.run(
                () -> {
                    // where it would complete the future, and where it would have the strand go on without that
                    OverflowingThread.overflow(2);
                    stage.complete("done");
                },
                (thread, thrown) -> reported.add(thrown));
        stepped.runAll();
        assertThat(ran).isEmpty();
        Serving.adoptIfUnattended(strand);
        stepped.runAll();
        assertThat(future).isCompletedExceptionally();
        assertThat(future.failure()).isInstanceOf(StackOverflowError.class);
        assertThat(ran).containsExactly("behind");
        assertThat(ends).isEqualTo(1);
    }
}
