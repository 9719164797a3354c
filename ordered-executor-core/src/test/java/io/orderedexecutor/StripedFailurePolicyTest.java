package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a stripe when a task fails, step by step. */
class StripedFailurePolicyTest {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final HandTimer timer = new HandTimer();
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final List<Throwable> uncaught = new ArrayList<>();
    private final RuntimeException failure = new ThrownOnPurpose();
    private Thread.UncaughtExceptionHandler handlerBefore;
    private StripedExecutor executor;

    @BeforeEach
    void watchUncaught() {
        handlerBefore = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> uncaught.add(thrown));
    }

    @AfterEach
    void restore() {
        Thread.currentThread().setUncaughtExceptionHandler(handlerBefore);
    }

    private void use(FailurePolicy policy) {
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(policy)
                .timer(timer)
                .build();
    }

    private static FailurePolicy.Retry retry(int attempts) {
        return FailurePolicy.retry(attempts, PAUSE);
    }

    /** Fails so many times, then succeeds; counts its attempts. */
    private final class Failing {
        final AtomicInteger attempts = new AtomicInteger();
        private final int failures;

        Failing(int failures) {
            this.failures = failures;
        }

        static int always() {
            return Integer.MAX_VALUE;
        }

        int attempt() {
            int attempt = attempts.incrementAndGet();
            if (attempt <= failures) {
                throw failure;
            }
            return attempt;
        }

        int attempts() {
            return attempts.get();
        }
    }

    private Failing failing() {
        return new Failing(Failing.always());
    }

    /** All ways in which a task can fail. */
    enum Kind {
        EXECUTE,
        SUBMIT,
        SUPPLIER_THROWS,
        STAGE_FAILS_INLINE,
        STAGE_FAILS_LATER,
        STAGE_FAILS_ON_ANOTHER_THREAD;

        boolean hasFuture() {
            return this != EXECUTE;
        }
    }

    /** A task of some kind, and what makes its stage fail if that is up to the test. */
    private final class Submitted {
        final Failing failing;
        final Kind kind;
        CompletableFuture<Integer> future;
        private CompletableFuture<Integer> stage;
        private int attempt;

        Submitted(Kind kind, Object stripe, Failing failing) {
            this.kind = kind;
            this.failing = failing;
            switch (kind) {
                case EXECUTE -> executor.execute(stripe, failing::attempt);
                case SUBMIT -> future = executor.submit(stripe, failing::attempt);
                case SUPPLIER_THROWS ->
                    future = executor.submitAsync(stripe, () -> CompletableFuture.completedFuture(failing.attempt()));
                case STAGE_FAILS_INLINE -> future = executor.submitAsync(stripe, this::settled);
                case STAGE_FAILS_LATER, STAGE_FAILS_ON_ANOTHER_THREAD ->
                    future = executor.submitAsync(stripe, () -> {
                        attempt = failing.attempts.incrementAndGet();
                        stage = new CompletableFuture<>();
                        return stage;
                    });
            }
        }

        private CompletionStage<Integer> settled() {
            try {
                return CompletableFuture.completedFuture(failing.attempt());
            } catch (ThrownOnPurpose thrown) {
                return CompletableFuture.failedFuture(thrown);
            }
        }

        /** Runs what can be run, and lets the stage end if there is one. */
        void run() {
            stepped.runAll();
            while (stage != null) {
                CompletableFuture<Integer> ending = stage;
                stage = null;
                if (kind == Kind.STAGE_FAILS_LATER) {
                    end(ending);
                } else {
                    Thread other = SameKind.thread(() -> end(ending));
                    other.start();
                    Patience.join(other);
                }
                stepped.runAll();
            }
        }

        private void end(CompletableFuture<Integer> ending) {
            if (attempt <= failing.failures) {
                ending.completeExceptionally(failure);
            } else {
                ending.complete(attempt);
            }
        }

        void assertFailed() {
            if (kind.hasFuture()) {
                assertThatThrownBy(() -> future.get(0, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isSameAs(failure);
                assertThat(uncaught).isEmpty();
            } else {
                assertThat(uncaught).containsExactly(failure);
            }
        }

        void assertNotDone() {
            if (kind.hasFuture()) {
                assertThat(future).isNotDone();
            }
            assertThat(uncaught).isEmpty();
        }

        void assertSucceeded(int attempts) {
            if (kind.hasFuture()) {
                assertThat(future).isCompletedWithValue(attempts);
            }
            assertThat(failing.attempts()).isEqualTo(attempts);
            assertThat(uncaught).isEmpty();
        }
    }

    private Submitted submit(Kind kind, Failing failing) {
        return new Submitted(kind, "a", failing);
    }

    private void assertStats(long stripes, long queued, long active, long completed, long failed, long cancelled) {
        assertThat(executor.stats())
                .isEqualTo(new StripedExecutorStats(stripes, queued, active, completed, failed, cancelled, 0));
    }

    private void assertTerminatedByShutdown() {
        executor.shutdown();
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(timer.waiting()).isZero();
    }

    // proceed

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("R5: proceed is the default: the failure goes to future or handler, and the next task runs")
    void proceeds(Kind kind) {
        executor = StripedExecutor.builder().executor(stepped).timer(timer).build();
        Submitted task = submit(kind, failing());
        executor.execute("a", source.next());
        task.run();
        task.assertFailed();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 1, 0);
        assertThat(executor.resume("a")).isFalse();
        assertThat(executor.skip("a")).isFalse();
        assertTerminatedByShutdown();
    }

    // park

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aParkedStripeRunsNothingUntilItIsResumedAndThenTheFailedTaskFirst(Kind kind) {
        use(FailurePolicy.park());
        Submitted task = submit(kind, new Failing(1));
        OrderRecorder.Step behind = source.next(() -> task.assertSucceeded(2));
        executor.execute("a", behind);
        task.run();
        task.assertNotDone();
        assertThat(task.failing.attempts()).isEqualTo(1);
        assertStats(1, 2, 0, 0, 0, 0);
        assertThat(executor.snapshot("a")).contains(new StripeSnapshot("a", 2, false));

        OrderRecorder.Step later = source.next();
        executor.execute("a", later);
        OrderRecorder.Step ofOther = recorder.lane("b").source().next();
        executor.execute("b", ofOther);
        stepped.runAll();
        assertThat(ofOther.runs()).as("another stripe").isEqualTo(1);
        assertThat(behind.runs() + later.runs()).as("behind the parked task").isZero();
        assertStats(1, 3, 0, 1, 0, 0);

        assertThat(executor.resume("a")).isTrue();
        task.run();
        assertThat(behind.runs()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertThat(uncaught).isEmpty();
        assertStats(0, 0, 0, 4, 0, 0);
        assertThat(executor.resume("a")).isFalse();
        assertThat(executor.skip("a")).isFalse();
        assertTerminatedByShutdown();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void skipFailsTheTaskForGoodAndGoesOn(Kind kind) {
        use(FailurePolicy.park());
        Submitted task = submit(kind, failing());
        executor.execute("a", source.next(task::assertFailed));
        task.run();
        task.assertNotDone();
        assertThat(executor.skip("a")).isTrue();
        stepped.runAll();
        task.assertFailed();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.skip("a")).isFalse();
        assertStats(0, 0, 0, 1, 1, 0);
        assertTerminatedByShutdown();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aTaskThatFailsAgainParksAgain(Kind kind) {
        use(FailurePolicy.park());
        Submitted task = submit(kind, failing());
        executor.execute("a", source.next());
        task.run();
        for (int attempt = 2; attempt < 10; attempt++) {
            assertThat(executor.resume("a")).isTrue();
            task.run();
            assertThat(task.failing.attempts()).isEqualTo(attempt);
            task.assertNotDone();
            assertStats(1, 2, 0, 0, 0, 0);
        }
        assertThat(executor.skip("a")).isTrue();
        stepped.runAll();
        task.assertFailed();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 1, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void anErrorParksAsWell() throws Exception {
        use(FailurePolicy.park());
        StackOverflowError error = new StackOverflowError("thrown by the test");
        CompletableFuture<Object> future = executor.submit("a", () -> {
            throw error;
        });
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(future).isNotDone();
        assertThat(executor.skip("a")).isTrue();
        stepped.runAll();
        assertThatThrownBy(future::get).cause().isSameAs(error);
        recorder.assertAllRanOnceInOrder();
        assertTerminatedByShutdown();
    }

    @Test
    void theNextTaskCanParkTheStripeToo() {
        use(FailurePolicy.park());
        Submitted first = submit(Kind.SUBMIT, failing());
        Submitted second = submit(Kind.EXECUTE, failing());
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(executor.skip("a")).isTrue();
        stepped.runAll();
        assertThat(first.future).isCompletedExceptionally();
        assertThat(second.failing.attempts()).isEqualTo(1);
        assertThat(uncaught).isEmpty();
        assertStats(1, 2, 0, 0, 1, 0);
        assertThat(executor.skip("a")).isTrue();
        stepped.runAll();
        assertThat(uncaught).containsExactly(failure);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 2, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void onlyAParkedStripeCanBeSkipped() {
        use(FailurePolicy.park());
        assertThat(executor.resume("a")).as("unknown").isFalse();
        assertThat(executor.skip("a")).as("unknown").isFalse();
        executor.execute("a", source.next(() -> {
            assertThat(executor.resume("a")).as("running").isFalse();
            assertThat(executor.skip("a")).as("running").isFalse();
        }));
        assertThat(executor.resume("a")).as("queued").isFalse();
        assertThat(executor.skip("a")).as("queued").isFalse();
        stepped.runAll();
        executor.pause("a");
        assertThat(executor.skip("a")).as("paused").isFalse();
        assertThat(executor.resume("a")).as("paused").isTrue();
        recorder.assertAllRanOnceInOrder();
        assertThatThrownBy(() -> executor.resume(null)).hasMessage("stripe");
        assertThatThrownBy(() -> executor.skip(null)).hasMessage("stripe");
        assertThatThrownBy(() -> executor.pause(null)).hasMessage("stripe");
        assertTerminatedByShutdown();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"EXECUTE"})
    void cancellingTheParkedTaskEndsItAndLosesNothingElse(Kind kind) {
        use(FailurePolicy.park());
        Submitted task = submit(kind, failing());
        executor.execute("a", source.next());
        task.run();
        assertThat(task.future.cancel(false)).isTrue();
        assertThat(executor.stats().cancelled()).isEqualTo(1);
        assertThat(executor.stats().queued()).isLessThanOrEqualTo(1);
        executor.resume("a"); // whether it is still needed is not the point
        stepped.runAll();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 0, 1);
        assertTerminatedByShutdown();
    }

    @Test
    void skippingAParkedTaskThatWasCancelledEndsItOnce() {
        use(FailurePolicy.park());
        Submitted task = submit(Kind.SUBMIT, failing());
        executor.execute("a", source.next());
        stepped.runAll();
        task.future.complete(7);
        executor.skip("a");
        stepped.runAll();
        assertThat(task.future).isCompletedWithValue(7);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 2, 0, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void aFutureThatIsDoneInAnotherWayThanByItsStageDoesNotPark() {
        use(FailurePolicy.park());
        Submitted task = submit(Kind.STAGE_FAILS_LATER, failing());
        executor.execute("a", source.next());
        stepped.runAll();
        assertStats(1, 1, 1, 0, 0, 0);
        task.future.completeExceptionally(failure);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        task.run();
        assertStats(0, 0, 0, 1, 1, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void aTaskThatIsCancelledWhileItRunsHasNotFailed() {
        use(FailurePolicy.park());
        List<CompletableFuture<Object>> self = new ArrayList<>();
        self.add(executor.submit("a", () -> {
            self.get(0).cancel(true);
            throw failure;
        }));
        executor.execute(
                "a",
                source.next(
                        () -> assertThat(Thread.currentThread().isInterrupted()).isFalse()));
        stepped.runAll();
        assertThat(self.get(0)).isCancelled();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 0, 1);
        assertTerminatedByShutdown();
    }

    @Test
    void dependentsOfASkippedTaskRunBeforeTheNextTask() {
        use(FailurePolicy.park());
        Submitted task = submit(Kind.SUBMIT, failing());
        List<String> heard = new ArrayList<>();
        CompletableFuture<Void> dependent = task.future.handle((result, thrown) -> {
            heard.add("dependent");
            return null;
        });
        executor.execute("a", source.next(() -> heard.add("next")));
        stepped.runAll();
        assertThat(heard).isEmpty();
        assertThat(executor.skip("a")).isTrue();
        stepped.runAll();
        assertThat(dependent).isDone();
        assertThat(heard).containsExactly("dependent", "next");
        recorder.assertAllRanOnceInOrder();
        assertTerminatedByShutdown();
    }

    @Test
    @DisplayName("R5: nobody can resume or skip a task without a stripe, so it does not park")
    void aTaskWithoutAStripeIsNotParked() {
        use(FailurePolicy.park());
        Callable<Integer> plain = () -> {
            throw failure;
        };
        var future = executor.asExecutorService().submit(plain);
        executor.asExecutorService().execute(source.next());
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(future.isDone()).isTrue();
        assertThatThrownBy(future::get).cause().isSameAs(failure);
        assertStats(0, 0, 0, 1, 1, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void stripesParkIndependently() {
        use(FailurePolicy.park());
        List<Submitted> tasks = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            tasks.add(new Submitted(Kind.SUBMIT, i, new Failing(1)));
            executor.execute(i, recorder.lane(i).source().next());
        }
        stepped.runAll();
        assertStats(100, 200, 0, 0, 0, 0);
        for (int i = 0; i < 100; i += 2) {
            assertThat(executor.resume(i)).isTrue();
        }
        stepped.runAll();
        assertStats(50, 100, 0, 100, 0, 0);
        for (int i = 1; i < 100; i += 2) {
            assertThat(executor.skip(i)).isTrue();
        }
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        for (int i = 0; i < 100; i++) {
            assertThat(tasks.get(i).failing.attempts()).isEqualTo(i % 2 == 0 ? 2 : 1);
            assertThat(tasks.get(i).future.isCompletedExceptionally()).isEqualTo(i % 2 != 0);
        }
        assertStats(0, 0, 0, 150, 50, 0);
        assertTerminatedByShutdown();
    }

    // retry

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
            assertThat(executor.resume("a")).as("not parked").isFalse();
            assertThat(executor.skip("a")).as("not parked").isFalse();
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
        assertThat(executor.resume("a")).as("backing off").isFalse();
        timer.fire();
        task.run();
        assertThat(task.failing.attempts()).isEqualTo(2);
        assertThat(timer.waiting()).isZero();
        assertThat(executor.resume("a")).as("parked").isTrue();
        task.run();
        assertThat(task.failing.attempts()).isEqualTo(3);
        assertThat(executor.resume("a")).as("backing off again").isFalse();
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
        use(FailurePolicy.retry(attempts, Duration.ZERO).thenProceed());
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
        use(FailurePolicy.retry(1000, Duration.ZERO).thenProceed());
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
    @DisplayName("R5: a timer that throws costs the pause, not the task")
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
                .timer((nanos, action) -> actions.add(action))
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
    @DisplayName("R5: a cancellation in the pause disturbs no neighbour: the next task has all its attempts")
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
                .failurePolicy(FailurePolicy.retry(3, Duration.ofMillis(1)).thenPark())
                .build();
        Failing failing = new Failing(2);
        CompletableFuture<Integer> future = executor.submit("a", failing::attempt);
        executor.execute("a", source.next());
        assertThat(Patience.get(future)).isEqualTo(3);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
    }

    // the end of the executor

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName(
            "R9: shutdown gives up a parked stripe: the failed task has failed, and what waits behind it is cancelled")
    void shutdownWhileParked(Kind kind) {
        use(FailurePolicy.park());
        Submitted task = submit(kind, failing());
        CompletableFuture<Integer> behind = executor.submit("a", () -> 1);
        OrderRecorder.Step executed = source.next();
        executor.execute("a", executed);
        executed.exclude();
        task.run();
        executor.shutdown();
        task.assertFailed();
        assertThat(behind).isCancelled();
        assertThat(executor.isTerminated()).isTrue();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 0, 1, 2);
        assertThat(executor.resume("a")).isFalse();
        assertThat(executor.skip("a")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aStripeThatWouldParkAfterTheShutdownIsGivenUp(Kind kind) {
        use(retry(2).thenPark());
        Submitted task = submit(kind, failing());
        CompletableFuture<Integer> behind = executor.submit("a", () -> 1);
        task.run();
        executor.shutdown();
        task.assertNotDone();
        assertThat(behind).as("backing off finishes its attempts").isNotDone();
        assertThat(executor.isTerminated()).isFalse();
        timer.fire();
        task.run();
        assertThat(task.failing.attempts()).isEqualTo(2);
        task.assertFailed();
        assertThat(behind).isCancelled();
        assertThat(executor.isTerminated()).isTrue();
        assertStats(0, 0, 0, 0, 1, 1);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("R9: shutdown lets a stripe that is backing off finish, and all that is behind")
    void shutdownWhileBackingOff(Kind kind) {
        use(retry(3).thenPark());
        Submitted task = submit(kind, new Failing(2));
        executor.execute("a", source.next());
        task.run();
        executor.shutdown();
        timer.fire();
        task.run();
        assertThat(executor.isTerminated()).isFalse();
        timer.fire();
        task.run();
        task.assertSucceeded(3);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.isTerminated()).isTrue();
        assertStats(0, 0, 0, 2, 0, 0);
    }

    @Test
    void shutdownOfAParkedStripeThatIsPausedToo() {
        use(FailurePolicy.park());
        Submitted task = submit(Kind.SUBMIT, failing());
        stepped.runAll();
        executor.pause("a");
        executor.pause();
        executor.execute("b", source.next());
        stepped.runAll();
        executor.shutdown();
        stepped.runAll();
        task.assertFailed();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.isTerminated()).isTrue();
        assertStats(0, 0, 0, 1, 1, 0);
    }

    @Test
    @DisplayName("R9: shutdownNow returns what waits behind a parked task as it was submitted")
    void shutdownNowWhileParked() {
        use(FailurePolicy.park());
        Submitted task = submit(Kind.SUBMIT, failing());
        CompletableFuture<Integer> behind = executor.submit("a", () -> 1);
        OrderRecorder.Step executed = source.next();
        executor.execute("a", executed);
        executed.exclude();
        stepped.runAll();
        List<Runnable> unstarted = executor.shutdownNow();
        stepped.runAll();
        assertThat(task.future.isCompletedExceptionally()).isTrue();
        assertThat(behind).isCancelled();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.stats().failed() + executor.stats().cancelled()).isEqualTo(3);
        assertThat(unstarted).contains(executed, (Runnable) behind);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("R9: shutdownNow ends a stripe that is backing off, at once")
    void shutdownNowWhileBackingOff(Kind kind) {
        use(retry(3).thenPark());
        Submitted task = submit(kind, failing());
        CompletableFuture<Integer> behind = executor.submit("a", () -> 1);
        OrderRecorder.Step executed = source.next();
        executor.execute("a", executed);
        executed.exclude();
        task.run();
        List<Runnable> unstarted = executor.shutdownNow();
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        if (kind.hasFuture()) {
            assertThat(task.future).isDone();
        }
        assertThat(behind).isCancelled();
        assertThat(unstarted).containsSubsequence((Runnable) behind, executed);
        timer.fire();
        stepped.runAll();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.stats().failed() + executor.stats().cancelled()).isEqualTo(3);
    }

    @Test
    @DisplayName("R9: a running task that fails because shutdownNow interrupts it is not run again")
    void noAttemptsAfterShutdownNow() {
        use(retry(3).thenPark());
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Object> future = executor.submit("a", () -> {
            attempts.incrementAndGet();
            executor.shutdownNow();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            throw failure;
        });
        stepped.runAll();
        assertThat(timer.waiting()).as("pauses after shutdownNow").isZero();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(future).isDone();
        assertThat(attempts).hasValue(1);
        assertThat(executor.stats().failed() + executor.stats().cancelled()).isEqualTo(1);
    }

    @Test
    void shutdownNowCancelsAHeldTaskThatWouldParkOrRetry() {
        use(retry(3).thenPark());
        Submitted task = submit(Kind.STAGE_FAILS_LATER, failing());
        OrderRecorder.Step behind = source.next();
        executor.execute("a", behind);
        behind.exclude();
        stepped.runAll();
        assertThat(executor.shutdownNow()).containsExactly(behind);
        assertThat(task.future).isCancelled();
        task.run();
        assertThat(timer.waiting()).isZero();
        assertThat(executor.isTerminated()).isTrue();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 0, 0, 2);
    }

    @Test
    @DisplayName("R9: close and awaitTermination return although a stripe is parked")
    void closeWhileParked() throws InterruptedException {
        StripedExecutor executor =
                SameKind.atLeast(2).failurePolicy(FailurePolicy.park()).build();
        Supplier<CompletableFuture<Integer>> submission = () -> executor.submit("a", () -> {
            throw failure;
        });
        CompletableFuture<Integer> parked = submission.get();
        CompletableFuture<Integer> behind = submission.get();
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Integer> parksLater = executor.submit("b", () -> {
            started.countDown();
            Patience.await(release);
            throw failure;
        });
        Patience.await(started);
        assertThat(executor.awaitTermination(0, TimeUnit.SECONDS)).isFalse();
        Thread closer = SameKind.thread(executor::close);
        closer.start();
        Patience.awaitParked(closer);
        release.countDown();
        Patience.join(closer);
        assertThat(executor.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
        assertThat(parked).isCompletedExceptionally().isNotCancelled();
        assertThat(parksLater).isCompletedExceptionally().isNotCancelled();
        assertThat(behind).isCompletedExceptionally();
        StripedExecutorStats stats = executor.stats();
        assertThat(stats.failed() + stats.cancelled()).isEqualTo(3);
        assertThat(stats.stripes() + stats.queued() + stats.active()).isZero();
    }
}
