package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stripes that go on after a failure, and stripes with a failed task when the executor ends, step by step. */
class StripedFailurePolicyTest extends FailingTasks {
    // proceed

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("proceed is the default: the failure goes to future or handler, and the next task runs")
    void proceeds(Kind kind) {
        executor = StripedExecutor.builder().executor(stepped).platform(timer).build();
        Submitted task = submit(kind, failing());
        executor.execute("a", source.next());
        task.run();
        task.assertFailed();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1, 1, 0);
        assertThat(executor.control().resume("a")).isFalse();
        assertThat(executor.control().skip("a")).isFalse();
        assertTerminatedByShutdown();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("shutdown gives up a parked stripe: the failed task has failed, and what waits behind it is cancelled")
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
        assertThat(executor.control().resume("a")).isFalse();
        assertThat(executor.control().skip("a")).isFalse();
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
    @DisplayName("shutdown lets a stripe that is backing off finish, and all that is behind")
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
        executor.control().pause("a");
        executor.control().pause();
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
    @DisplayName("shutdownNow returns what waits behind a parked task as it was submitted")
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
        assertThat(executor.inspect().stats().failed()
                        + executor.inspect().stats().cancelled())
                .isEqualTo(3);
        assertThat(unstarted).contains(executed, (Runnable) behind);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("shutdownNow ends a stripe that is backing off, at once")
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
        assertThat(executor.inspect().stats().failed()
                        + executor.inspect().stats().cancelled())
                .isEqualTo(3);
    }

    @Test
    @DisplayName("a running task that fails because shutdownNow interrupts it is not run again")
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
        assertThat(executor.inspect().stats().failed()
                        + executor.inspect().stats().cancelled())
                .isEqualTo(1);
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
    @DisplayName("close and awaitTermination return although a stripe is parked")
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
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(stats.failed() + stats.cancelled()).isEqualTo(3);
        assertThat(stats.keys() + stats.queued() + stats.active()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"STAGE_FAILS_LATER", "STAGE_FAILS_ON_ANOTHER_THREAD"})
    @DisplayName("nothing is run again at once after shutdownNow, either")
    void noAttemptsWithoutAPauseAfterShutdownNow(Kind kind) {
        use(FailurePolicy.retry()
                .maxRetries(2)
                .delay(Duration.ZERO)
                .multiplier(2)
                .thenPark());
        Submitted task = submit(kind, new Failing(Failing.always()) {
            @Override
            int attempt() {
                executor.shutdownNow();
                return super.attempt();
            }
        });
        stepped.runAll();
        assertThat(task.failing.attempts()).isEqualTo(1);
        task.assertFailed();
        assertThat(executor.isTerminated()).isTrue();
        assertStats(0, 0, 0, 0, 1, 0);
    }

    @Test
    @DisplayName("a shutdownNow that comes between a failure and the pause before the next attempt is not overlooked")
    void shutdownNowBeforeThePause() {
        List<Runnable> unstarted = new ArrayList<>();
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(retry(3).thenPark())
                .platform(timer)
                .listener(new TaskListener() {
                    @Override
                    public void retried(Object stripe, Object task, int failures, Duration pause, Throwable failure) {
                        unstarted.addAll(executor.shutdownNow());
                    }
                })
                .build();
        Submitted task = submit(Kind.SUBMIT, failing());
        OrderRecorder.Step behind = source.next();
        executor.execute("a", behind);
        behind.exclude();
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(timer.waiting()).isZero();
        assertThat(unstarted).containsExactly(behind);
        task.assertFailed();
        assertThat(task.failing.attempts()).isEqualTo(1);
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 0, 1, 1);
    }

    @Test
    @DisplayName("a shutdown that comes between a failure and the parking of its stripe is not overlooked")
    void shutdownBeforeTheParking() {
        executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(FailurePolicy.park())
                .listener(new TaskListener() {
                    @Override
                    public void parked(Object stripe, Object task, Throwable failure) {
                        executor.shutdown();
                    }
                })
                .build();
        Submitted task = submit(Kind.SUBMIT, failing());
        CompletableFuture<Integer> behind = executor.submit("a", () -> 1);
        stepped.runAll();
        assertThat(executor.isTerminated()).isTrue();
        task.assertFailed();
        assertThat(behind).isCancelled();
        assertStats(0, 0, 0, 0, 1, 1);
    }
}
