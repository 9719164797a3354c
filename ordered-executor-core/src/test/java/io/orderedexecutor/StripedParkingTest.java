package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stripes that park when a task fails, step by step. */
class StripedParkingTest extends FailingTasks {
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
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 2, 0, Duration.ZERO, 0, false, true));

        OrderRecorder.Step later = source.next();
        executor.execute("a", later);
        OrderRecorder.Step ofOther = recorder.lane("b").source().next();
        executor.execute("b", ofOther);
        stepped.runAll();
        assertThat(ofOther.runs()).as("another stripe").isEqualTo(1);
        assertThat(behind.runs() + later.runs()).as("behind the parked task").isZero();
        assertStats(1, 3, 0, 1, 0, 0);

        assertThat(executor.control().resume("a")).isTrue();
        task.run();
        assertThat(behind.runs()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertThat(uncaught).isEmpty();
        assertStats(0, 0, 0, 4, 0, 0);
        assertThat(executor.control().resume("a")).isFalse();
        assertThat(executor.control().skip("a")).isFalse();
        assertTerminatedByShutdown();
    }

    @Test
    @DisplayName("a parked task whose future is cancelled leaves nothing to decide, so its stripe goes on")
    void aCancelledTaskParksNothing() {
        use(FailurePolicy.park());
        CompletableFuture<Object> future = executor.submit("a", () -> {
            throw new ThrownOnPurpose();
        });
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(executor.inspect().parkedTasks()).hasSize(1);
        assertThat(future.cancel(false)).isTrue();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().parkedTasks()).isEmpty();
        assertStats(0, 0, 0, 1, 0, 1);
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
        assertThat(executor.control().skip("a")).isTrue();
        stepped.runAll();
        task.assertFailed();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.control().skip("a")).isFalse();
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
            assertThat(executor.control().resume("a")).isTrue();
            task.run();
            assertThat(task.failing.attempts()).isEqualTo(attempt);
            task.assertNotDone();
            assertStats(1, 2, 0, 0, 0, 0);
        }
        assertThat(executor.control().skip("a")).isTrue();
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
        assertThat(executor.control().skip("a")).isTrue();
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
        assertThat(executor.control().skip("a")).isTrue();
        stepped.runAll();
        assertThat(first.future).isCompletedExceptionally();
        assertThat(second.failing.attempts()).isEqualTo(1);
        assertThat(uncaught).isEmpty();
        assertStats(1, 2, 0, 0, 1, 0);
        assertThat(executor.control().skip("a")).isTrue();
        stepped.runAll();
        assertThat(uncaught).containsExactly(failure);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 2, 0);
        assertTerminatedByShutdown();
    }

    @Test
    void onlyAParkedStripeCanBeSkipped() {
        use(FailurePolicy.park());
        assertThat(executor.control().resume("a")).as("unknown").isFalse();
        assertThat(executor.control().skip("a")).as("unknown").isFalse();
        executor.execute("a", source.next(() -> {
            assertThat(executor.control().resume("a")).as("running").isFalse();
            assertThat(executor.control().skip("a")).as("running").isFalse();
        }));
        assertThat(executor.control().resume("a")).as("queued").isFalse();
        assertThat(executor.control().skip("a")).as("queued").isFalse();
        stepped.runAll();
        executor.control().pause("a");
        assertThat(executor.control().skip("a")).as("paused").isFalse();
        assertThat(executor.control().resume("a")).as("paused").isTrue();
        recorder.assertAllRanOnceInOrder();
        assertThatThrownBy(() -> executor.control().resume(null)).hasMessage("key");
        assertThatThrownBy(() -> executor.control().skip(null)).hasMessage("key");
        assertThatThrownBy(() -> executor.control().pause(null)).hasMessage("key");
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
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(1);
        assertThat(executor.inspect().stats().queued()).isLessThanOrEqualTo(1);
        executor.control().resume("a"); // whether it is still needed is not the point
        stepped.runAll();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 0, 1);
        assertTerminatedByShutdown();
    }

    @Test
    @DisplayName("a task that is cancelled while it is put back to be parked leaves nothing to decide, either")
    void aTaskThatIsCancelledWhileItIsPutBackParksNothing() {
        List<CompletableFuture<Object>> parking = new ArrayList<>();
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(FailurePolicy.park())
                .listener(new TaskListener() {
                    @Override
                    public void parked(Object stripe, Object task, Throwable thrown) {
                        // it is in its place again, and its thread has not left the stripe
                        Thread other = new Thread(() -> parking.get(0).cancel(false));
                        other.start();
                        Patience.join(other);
                    }
                })
                .build();
        parking.add(executor.submit("a", () -> {
            throw failure;
        }));
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(parking.get(0)).isCancelled();
        assertThat(executor.inspect().parkedTasks()).isEmpty();
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
        executor.control().skip("a");
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
    void theFutureOfASkippedTaskIsDoneBeforeTheNextTask() {
        use(FailurePolicy.park());
        Submitted task = submit(Kind.SUBMIT, failing());
        List<Boolean> done = new ArrayList<>();
        executor.execute("a", source.next(() -> done.add(task.future.isDone())));
        stepped.runAll();
        assertThat(done).isEmpty();
        assertThat(executor.control().skip("a")).isTrue();
        stepped.runAll();
        assertThat(done).as("when the next task started").containsExactly(true);
        recorder.assertAllRanOnceInOrder();
        assertTerminatedByShutdown();
    }

    @Test
    @DisplayName("nobody can resume or skip a task without a stripe, so it does not park")
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
            assertThat(executor.control().resume(i)).isTrue();
        }
        stepped.runAll();
        assertStats(50, 100, 0, 100, 0, 0);
        for (int i = 1; i < 100; i += 2) {
            assertThat(executor.control().skip(i)).isTrue();
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

    @Test
    @DisplayName(
            "a key stops when the listener that hears of it has returned: until then it cannot be resumed or skipped")
    void listenersCannotDecide() {
        SteppedExecutor steps = new SteppedExecutor();
        AtomicReference<ExecutorControl> control = new AtomicReference<>();
        List<Boolean> decided = new ArrayList<>();
        StripedExecutor parking = StripedExecutor.builder()
                .executor(steps)
                .failurePolicy(FailurePolicy.park())
                .listener(new TaskListener() {
                    @Override
                    public void parked(@Nullable Object key, Object task, Throwable failure) {
                        decided.add(control.get().resume("a"));
                        decided.add(control.get().skip("a"));
                    }
                })
                .build();
        control.set(parking.control());
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Object> future = parking.submit("a", () -> {
            // once only: a listener that could resume the task would resume it for ever
            if (attempts.getAndIncrement() == 0) {
                throw new ThrownOnPurpose();
            }
            return "resumed";
        });
        parking.execute("a", source.next());
        steps.runAll();
        assertThat(decided).containsExactly(false, false);
        assertThat(future).isNotDone();
        assertThat(control.get().skip("a")).isTrue();
        steps.runAll();
        assertThatThrownBy(future::join).hasCauseInstanceOf(ThrownOnPurpose.class);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("the failure of a stage is shown without its wrapper: to listeners, in lists and in explanations")
    void failuresOfStages() {
        SteppedExecutor steps = new SteppedExecutor();
        HeardTasks heard = new HeardTasks();
        HandTimer timer = new HandTimer();
        StripedExecutor parking = StripedExecutor.builder()
                .executor(steps)
                .platform(timer)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .thenPark())
                .listener(heard)
                .build();
        ThrownOnPurpose failure = new ThrownOnPurpose();
        CompletableFuture<Object> future = parking.submitAsync(
                "a", () -> CompletableFuture.failedFuture(failure).thenApply(result -> result));
        steps.runAll();
        assertThat(parking.inspect().explain("a").toString())
                .contains(ThrownOnPurpose.class.getName())
                .doesNotContain("CompletionException");
        timer.fire();
        steps.runAll();
        assertThat(parking.inspect().parkedTasks())
                .singleElement()
                .satisfies(parked -> assertThat(parked.failure()).isSameAs(failure));
        assertThat(parking.inspect().explain("a").toString()).doesNotContain("CompletionException");
        assertThat(parking.control().skip("a")).isTrue();
        assertThatThrownBy(future::join).hasCause(failure);
        assertThat(heard.all().stream().filter(event -> event.failure() != null))
                .extracting(HeardTasks.Event::kind, HeardTasks.Event::failure)
                .containsExactly(
                        tuple(HeardTasks.Kind.RETRIED, failure),
                        tuple(HeardTasks.Kind.PARKED, failure),
                        tuple(HeardTasks.Kind.FAILED, failure));
    }
}
