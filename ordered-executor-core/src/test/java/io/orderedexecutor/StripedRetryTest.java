package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stripes that run a failed task again, step by step. */
class StripedRetryTest extends FailingTasks {
    @ParameterizedTest
    @EnumSource(Kind.class)
    void retriesBeforeAnythingBehindAndHoldsNoThread(Kind kind) {
        use(retry(5).thenPark());
        Submitted task = submit(kind, new Failing(3));
        OrderRecorder.Step behind = source.next(() -> task.assertSucceeded(4));
        executor.execute("a", behind);
        task.run();
        for (int attempt = 1; attempt <= 3; attempt++) {
            assertThat(task.failing.attempts()).isEqualTo(attempt);
            task.assertNotDone();
            assertThat(stepped.waiting()).as("no thread is used in the pause").isZero();
            assertStats(1, 2, 0, attempt - 1, 0, 0);
            assertThat(executor.control().resume("a")).as("not parked").isFalse();
            assertThat(executor.control().skip("a")).as("not parked").isFalse();
            OrderRecorder.Step ofOther = recorder.lane(attempt).source().next();
            executor.execute("b", ofOther);
            stepped.runAll();
            assertThat(ofOther.runs()).as("another stripe").isEqualTo(1);
            timer.fire();
            task.run();
        }
        assertThat(timer.pauses()).containsExactly(PAUSE, PAUSE.multipliedBy(2), PAUSE.multipliedBy(4));
        task.assertSucceeded(4);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 5, 0, 0);
        assertTerminatedByShutdown();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void proceedsAfterTheLastAttempt(Kind kind) {
        use(retry(3).thenProceed());
        Submitted task = submit(kind, failing());
        executor.execute("a", source.next(task::assertFailed));
        task.run();
        timer.fire();
        task.run();
        task.assertNotDone();
        timer.fire();
        task.run();
        assertThat(task.failing.attempts()).isEqualTo(3);
        task.assertFailed();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 1, 0);
        assertTerminatedByShutdown();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void parksAfterTheLastAttemptAndBeginsAnewWhenResumed(Kind kind) {
        use(retry(2).thenPark());
        Submitted task = submit(kind, new Failing(3));
        executor.execute("a", source.next());
        task.run();
        assertThat(executor.control().resume("a")).as("backing off").isFalse();
        timer.fire();
        task.run();
        assertThat(task.failing.attempts()).isEqualTo(2);
        assertThat(timer.waiting()).isZero();
        assertThat(executor.control().resume("a")).as("parked").isTrue();
        task.run();
        assertThat(task.failing.attempts()).isEqualTo(3);
        assertThat(executor.control().resume("a")).as("backing off again").isFalse();
        task.assertNotDone();
        timer.fire();
        task.run();
        task.assertSucceeded(4);
        assertThat(timer.pauses()).containsExactly(PAUSE, PAUSE);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 2, 0, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void eachTaskHasAttemptsOfItsOwn() {
        use(retry(3).thenProceed());
        List<Submitted> tasks = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            tasks.add(submit(Kind.SUBMIT, new Failing(i % 3)));
        }
        Submitted last = submit(Kind.SUBMIT, failing());
        stepped.runAll();
        while (timer.waiting() > 0) {
            timer.fire();
            stepped.runAll();
        }
        for (int i = 0; i < 6; i++) {
            tasks.get(i).assertSucceeded(i % 3 + 1);
        }
        last.assertFailed();
        assertThat(last.failing.attempts()).isEqualTo(3);
        assertThat(timer.pauses())
                .containsExactly(
                        PAUSE,
                        PAUSE,
                        PAUSE.multipliedBy(2),
                        PAUSE,
                        PAUSE,
                        PAUSE.multipliedBy(2),
                        PAUSE,
                        PAUSE.multipliedBy(2));
        assertStats(0, 0, 0, 6, 1, 0);
        assertTerminatedByShutdown();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"STAGE_FAILS_LATER", "STAGE_FAILS_ON_ANOTHER_THREAD"})
    @DisplayName("A pause of zero runs again at once, 100,000 times, without recursion")
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPauseOfZero(Kind kind) {
        int attempts = SameKind.some(100_000);
        use(FailurePolicy.retry()
                .maxRetries(attempts - 1)
                .delay(Duration.ZERO)
                .multiplier(2)
                .thenProceed());
        Submitted task = submit(kind, new Failing(attempts - 1));
        executor.execute("a", source.next());
        task.run();
        task.assertSucceeded(attempts);
        assertThat(timer.pauses()).isEmpty();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 2, 0, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void aPauseOfZeroDoesNotKeepTheThreadBeyondATurn() {
        use(FailurePolicy.retry()
                .maxRetries(999)
                .delay(Duration.ZERO)
                .multiplier(2)
                .thenProceed());
        Submitted task = submit(Kind.SUBMIT, new Failing(999));
        OrderRecorder.Step ofOther = recorder.lane("b").source().next();
        executor.execute("b", ofOther);
        assertThat(stepped.runNext()).isTrue();
        assertThat(stepped.runNext()).isTrue();
        assertThat(ofOther.runs()).isEqualTo(1);
        assertThat(task.failing.attempts()).isLessThan(1000);
        stepped.runAll();
        task.assertSucceeded(1000);
        recorder.assertAllRanOnceInOrder();
        assertTerminatedByShutdown();
    }

    @Test
    @DisplayName("a timer that throws costs the pause, not the task")
    void aTimerThatThrows() {
        use(retry(3).thenProceed());
        Error broken = new OutOfMemoryError("unable to create native thread, says the test");
        timer.breakWith(broken);
        Submitted task = submit(Kind.SUBMIT, new Failing(2));
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(uncaught).containsExactly(broken, broken);
        uncaught.clear();
        task.assertSucceeded(3);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 2, 0, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void aTimerThatCallsBackTwiceStartsOneAttempt() {
        List<Runnable> actions = new ArrayList<>();
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(retry(4).thenProceed())
                .platform(HandTimer.of((nanos, action) -> actions.add(action)))
                .build();
        Submitted task = submit(Kind.SUBMIT, new Failing(2));
        executor.execute("a", source.next());
        stepped.runAll();
        for (int i = 0; i < 3; i++) {
            List.copyOf(actions).forEach(Runnable::run);
            List.copyOf(actions).forEach(Runnable::run);
            stepped.runAll();
        }
        task.assertSucceeded(3);
        assertThat(actions).hasSize(2);
        recorder.assertAllRanOnceInOrder();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("a cancellation in the pause disturbs no neighbour: the next task has all its attempts")
    void cancelledWhileBackingOff() {
        use(retry(3).thenProceed());
        Submitted cancelled = submit(Kind.SUBMIT, failing());
        Submitted next = submit(Kind.SUBMIT, new Failing(2));
        stepped.runAll();
        timer.fire();
        stepped.runAll();
        assertThat(cancelled.failing.attempts()).isEqualTo(2);
        assertThat(cancelled.future.cancel(false)).isTrue();
        while (timer.waiting() > 0 || stepped.waiting() > 0) {
            timer.fire();
            stepped.runAll();
        }
        assertThat(cancelled.failing.attempts()).isEqualTo(2);
        next.assertSucceeded(3);
        assertThat(timer.pauses()).endsWith(PAUSE, PAUSE.multipliedBy(2));
        assertStats(0, 0, 0, 1, 0, 1);
        assertTerminatedByShutdown();
    }

    @Test
    void attemptsOfAnAsynchronousTaskFreeItsStripeWhenItIsCancelled() {
        use(retry(3).thenProceed());
        Submitted task = submit(Kind.STAGE_FAILS_LATER, new Failing(1));
        executor.execute("a", source.next());
        task.run();
        timer.fire();
        stepped.runAll();
        assertThat(task.failing.attempts()).isEqualTo(2);
        assertStats(1, 1, 1, 0, 0, 0);
        assertThat(task.future.cancel(true)).isTrue();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 0, 1);
        task.run();
        assertThat(timer.waiting()).isZero();
        assertTerminatedByShutdown();
    }

    @Test
    void theDefaultTimerCallsBack() {
        StripedExecutor executor = SameKind.atLeast(1)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofMillis(1))
                        .multiplier(2)
                        .thenPark())
                .build();
        Failing failing = new Failing(2);
        CompletableFuture<Integer> future = executor.submit("a", failing::attempt);
        executor.execute("a", source.next());
        assertThat(Patience.get(future)).isEqualTo(3);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("A cancellation in the pause lets the next task run at once: there is nothing to wait for any more")
    void cancelledInThePauseTheNextTaskDoesNotWait() {
        use(retry(3).thenProceed());
        Submitted cancelled = submit(Kind.SUBMIT, failing());
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(timer.waiting()).isEqualTo(1);
        assertThat(cancelled.future.cancel(false)).isTrue();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 0, 1);
        timer.fire(); // too late, and of no effect
        stepped.runAll();
        assertThat(cancelled.failing.attempts()).isEqualTo(1);
        assertStats(0, 0, 0, 1, 0, 1);
        assertTerminatedByShutdown();
    }

    @Test
    void aCancellationBehindATaskThatBacksOffDoesNotShortenItsPause() {
        use(retry(3).thenProceed());
        Submitted task = submit(Kind.SUBMIT, new Failing(1));
        CompletableFuture<Integer> behind = executor.submit("a", () -> 1);
        stepped.runAll();
        assertThat(behind.cancel(false)).isTrue();
        stepped.runAll();
        assertThat(task.failing.attempts()).as("before its pause is over").isEqualTo(1);
        timer.fire();
        stepped.runAll();
        task.assertSucceeded(2);
        assertStats(0, 0, 0, 1, 0, 1);
        assertTerminatedByShutdown();
    }

    @Test
    @DisplayName("a timer that calls back at once and throws then starts one attempt, on one thread")
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aTimerThatCallsBackAtOnceAndThrows() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(retry(4).thenProceed())
                .platform(HandTimer.of((nanos, action) -> {
                    action.run();
                    throw new IllegalStateException("says the test");
                }))
                .build();
        Submitted task = submit(Kind.SUBMIT, new Failing(2));
        executor.execute("a", source.next());
        assertThat(stepped.runNext()).isTrue();
        assertThat(task.failing.attempts())
                .as("the one who is called back has the stripe, not the one who called")
                .isEqualTo(1);
        stepped.runAll();
        assertThat(uncaught).hasSize(2).hasOnlyElementsOfType(IllegalStateException.class);
        uncaught.clear();
        task.assertSucceeded(3);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 2, 0, 0);
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("an interrupt that a predicate or a listener leaves behind a failure reaches no other task")
    void interruptsOfThePolicyAreItsOwn() {
        List<Boolean> interrupted = new ArrayList<>();
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(FailurePolicy.retry()
                        .predicate(failure -> {
                            Thread.currentThread().interrupt();
                            return false;
                        })
                        .thenPark())
                .build();
        Submitted task = submit(Kind.SUBMIT, failing());
        executor.execute("a", source.next(() -> interrupted.add(Thread.interrupted())));
        stepped.runAll();
        assertThat(interrupted).containsExactly(false);
        assertThat(Thread.interrupted()).as("of the thread that ran the tasks").isFalse();
        task.assertFailed();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }
}
