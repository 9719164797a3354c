package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code submitAsync}: the stripe is held until the stage completes, and no thread is. */
class StripedAsyncTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).build();

    @Test
    @DisplayName("the next task of the stripe waits for the stage, others do not, and no thread is held")
    void holdsTheStripeAndNoThread() {
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        OrderRecorder.Step next = source.next();
        executor.execute("a", next);
        OrderRecorder.Step other = recorder.lane("b").source().next();
        executor.execute("b", other);
        stepped.runAll();
        assertThat(future).isNotDone();
        assertThat(next.runs()).isZero();
        assertThat(other.runs()).isEqualTo(1);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 1, 0, Duration.ZERO, 1, false, false));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 1, 1, 0, 1, 1, 0, 0, 0));
        stage.complete("result");
        assertThat(future).isCompletedWithValue("result");
        assertThat(next.runs()).as("not run by the completing thread").isZero();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 0, 0, 0));
    }

    @Test
    void aHundredThousandHeldStripesNeedOneThread() {
        StripedExecutor executor = SameKind.exactly(1).build();
        int stripes = SameKind.some(100_000);
        List<CompletableFuture<Integer>> stages = new ArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < stripes; i++) {
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            stages.add(stage);
            executor.submitAsync(i, () -> stage);
            executor.execute(i, ran::incrementAndGet);
        }
        Patience.letWorkersFinish(executor, 1);
        Patience.letWorkersFinish(executor, 1);
        assertThat(ran).hasValue(0);
        assertThat(executor.inspect().stats().active()).isBetween((long) stripes, stripes + 1L);
        stages.forEach(stage -> stage.complete(1));
        Patience.terminate(executor);
        assertThat(ran).hasValue(stripes);
    }

    @Test
    @DisplayName("100,000 stages that are complete at once do not run out of stack")
    void stagesCompleteAtOnceNeedNoStack() {
        AtomicInteger ran = new AtomicInteger();
        int tasks = SameKind.some(100_000);
        for (int i = 0; i < tasks; i++) {
            executor.submitAsync("a", () -> CompletableFuture.completedFuture(ran.incrementAndGet()));
        }
        stepped.runAll();
        assertThat(ran).hasValue(tasks);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, tasks, 0, 0, 0));
    }

    @Test
    @DisplayName("100,000 stages of which each is completed by the next task of another stripe, on the caller's thread")
    void stagesCompletedByEachOtherOnCallerRuns() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync("a", () -> stage);
        for (int i = 0; i < 100_000; i++) {
            executor.submitAsync("a", () -> CompletableFuture.completedFuture(ran.incrementAndGet()));
        }
        executor.execute("b", () -> stage.complete(1));
        Patience.terminate(executor);
        assertThat(ran).hasValue(100_000);
        assertThat(executor.inspect().stats().keys()).isZero();
    }

    @Test
    void failuresComeThroughAsTheStageHasThem() {
        IllegalStateException failure = new IllegalStateException("of the stage");
        CompletableFuture<Integer> direct = new CompletableFuture<>();
        CompletableFuture<Integer> failsDirectly = executor.submitAsync("a", () -> direct);
        CompletableFuture<Integer> failsLater = executor.submitAsync(
                "a", () -> CompletableFuture.failedFuture(failure).thenApply(x -> 1));
        OrderRecorder.Step next = source.next();
        executor.execute("a", next);
        stepped.runAll();
        direct.completeExceptionally(failure);
        stepped.runAll();
        for (CompletableFuture<Integer> future : List.of(failsDirectly, failsLater)) {
            assertThatThrownBy(future::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isSameAs(failure);
        }
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 2, 0, 0));
    }

    @Test
    void aSupplierThatThrowsOrReturnsNullOrAStageThatCannotBeWatchedFailsTheFuture() {
        AssertionError error = new AssertionError("of the supplier");
        CompletableFuture<Integer> throwing = executor.submitAsync("a", () -> {
            throw error;
        });
        CompletableFuture<Integer> nothing = executor.submitAsync("a", () -> null);
        CompletableFuture<Integer> unwatchable = executor.submitAsync("a", () -> new CompletableFuture<Integer>() {
            @Override
            public CompletableFuture<Integer> whenComplete(
                    java.util.function.BiConsumer<? super Integer, ? super Throwable> action) {
                throw error;
            }
        });
        executor.execute("a", source.next());
        stepped.runAll();
        assertThatThrownBy(throwing::get).cause().isSameAs(error);
        assertThatThrownBy(unwatchable::get).cause().isSameAs(error);
        assertThatThrownBy(nothing::get)
                .cause()
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("null");
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 3, 0, 0));
    }

    @Test
    void cancellingAHeldTaskLetsTheStripeGoOn() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> future = executor.submitAsync("a", () -> stage);
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(future.cancel(false)).isTrue();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(stage).as("the application's stage").isNotDone();
        stage.complete(1); // too late, and of no effect
        executor.execute("a", source.next());
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 1, 0));
    }

    @Test
    void cancellingAQueuedTaskNeverCallsItsSupplier() {
        AtomicInteger called = new AtomicInteger();
        CompletableFuture<Integer> future =
                executor.submitAsync("a", () -> CompletableFuture.completedFuture(called.incrementAndGet()));
        future.cancel(true);
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(called).hasValue(0);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
    }

    @Test
    void aTimeoutOfTheFutureLetsTheStripeGoOn() {
        try (StripedExecutor executor = SameKind.atLeast(1).build()) {
            CompletableFuture<Integer> future = executor.submitAsync("a", () -> new CompletableFuture<Integer>())
                    .orTimeout(1, TimeUnit.MILLISECONDS);
            assertThat(Patience.get(executor.submit("a", () -> "next"))).isEqualTo("next");
            assertThatThrownBy(future::join).hasCauseInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void cancellingAStageOfTheApplicationIsACancellation() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> future = executor.submitAsync("a", () -> stage);
        stepped.runAll();
        stage.cancel(false);
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
    }

    @Test
    @DisplayName("stages completed by other threads, in a race with the return of the supplier")
    void racingCompletion() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        ScheduledExecutorService completers = Executors.newScheduledThreadPool(2);
        int stripes = 8;
        int perStripe = SameKind.some(10_000);
        OrderRecorder.Source[] sources = new OrderRecorder.Source[stripes];
        for (int s = 0; s < stripes; s++) {
            sources[s] = recorder.lane(s).source();
        }
        CountDownLatch done = new CountDownLatch(stripes * perStripe);
        for (int i = 0; i < stripes * perStripe; i++) {
            OrderRecorder.Step step = sources[i % stripes].next();
            executor.submitAsync(i % stripes, () -> {
                        CompletableFuture<Integer> stage = new CompletableFuture<>();
                        step.begin();
                        completers.execute(() -> {
                            step.end();
                            stage.complete(1);
                        });
                        return stage;
                    })
                    .whenComplete((result, failure) -> done.countDown());
        }
        Patience.await(done);
        Patience.terminate(executor);
        completers.shutdown();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats().completed()).isEqualTo((long) stripes * perStripe);
    }

    @Test
    @DisplayName("cancellation races with the completion of the stage: the stripe goes on once")
    void cancellationRacesWithCompletion() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        Thread[] cancellers = new Thread[1];
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        List<CompletableFuture<Integer>> stages = new ArrayList<>();
        int tasks = SameKind.some(20_000);
        for (int i = 0; i < tasks; i++) {
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            stages.add(stage);
            futures.add(executor.submitAsync("a", () -> stage));
            executor.execute("a", source.next());
        }
        cancellers[0] = SameKind.thread(() -> futures.forEach(future -> future.cancel(true)));
        cancellers[0].start();
        stages.forEach(stage -> stage.complete(1));
        Patience.join(cancellers[0]);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(stats.completed() + stats.cancelled()).isEqualTo(2L * tasks);
        assertThat(stats.cancelled())
                .isEqualTo(
                        futures.stream().filter(CompletableFuture::isCancelled).count());
    }

    @Test
    @DisplayName("what hangs on the future of an asynchronous task may close the executor")
    void aDependentActionOfAHeldTaskMayClose() {
        StripedExecutor executor = SameKind.exactly(1).build();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> future = executor.submitAsync("a", () -> stage);
        Patience.letWorkersFinish(executor, 1); // the stripe is held
        CountDownLatch closed = new CountDownLatch(1);
        future.thenRun(() -> {
            executor.close();
            closed.countDown();
        });
        Thread completer = SameKind.thread(() -> stage.complete(1));
        completer.setDaemon(true);
        completer.start();
        try {
            Patience.await(closed);
        } finally {
            completer.interrupt();
        }
        Patience.awaitTermination(executor);
    }

    @Test
    void theTasksOfAStripeRunInTurnsOfTheirOwnThreadsNotOnTheCompletersThread() {
        StripedExecutor executor = SameKind.exactly(1).build();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync("a", () -> stage);
        List<CompletableFuture<Thread>> next = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            next.add(executor.submit("a", Thread::currentThread));
        }
        Patience.letWorkersFinish(executor, 1);
        stage.complete(1);
        for (CompletableFuture<Thread> thread : next) {
            assertThat(Patience.get(thread)).isNotSameAs(Thread.currentThread());
        }
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(202);
    }

    @Test
    @DisplayName("shutdownNow does not leave a thread interrupted that completes a future and runs no task")
    void shutdownNowWhileAFutureIsCompleted() {
        CompletableFuture<Integer> future = executor.submitAsync("a", CompletableFuture::new);
        CompletableFuture<Integer> dependent = future.whenComplete((result, failure) -> executor.shutdownNow());
        stepped.runAll();
        future.complete(1);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(dependent).isCompletedWithValue(1);
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("an interrupt that a thread brings along when it completes a future stays with it")
    void anInterruptThatWasBroughtAlong() {
        CompletableFuture<Integer> future = executor.submitAsync("a", CompletableFuture::new);
        CompletableFuture<Integer> dependent = future.whenComplete((result, failure) -> executor.shutdownNow());
        stepped.runAll();
        Thread.currentThread().interrupt();
        future.complete(1);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(dependent).isCompletedWithValue(1);
    }

    @Test
    @DisplayName("cancelling a task that waits behind a held one does not let the stripe go on")
    void cancellingATaskBehindAHeldOne() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> held = executor.submitAsync("a", () -> stage);
        CompletableFuture<Integer> behind = executor.submit("a", () -> 1);
        OrderRecorder.Step last = source.next();
        executor.execute("a", last);
        stepped.runAll();
        assertThat(behind.cancel(true)).isTrue();
        stepped.runAll();
        assertThat(held).isNotDone();
        assertThat(last.runs()).as("while the stage is not complete").isZero();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 1, 1, 0, 1, 0, 0, 1, 0));
        stage.complete(1);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 1, 0));
    }

    @Test
    @DisplayName("ways to complete a held future that do not go through complete let the stripe go on, too")
    void otherWaysToCompleteAHeldFuture() {
        List<Consumer<CompletableFuture<Integer>>> ways = List.of(
                future -> future.completeAsync(() -> 2, Runnable::run),
                future -> future.obtrudeValue(2),
                future -> future.obtrudeException(new IllegalStateException("says the test")));
        for (Consumer<CompletableFuture<Integer>> way : ways) {
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            CompletableFuture<Integer> future = executor.submitAsync("a", () -> stage);
            executor.execute("a", source.next());
            stepped.runAll();
            way.accept(future);
            stepped.runAll();
            recorder.assertAllRanOnceInOrder();
            stage.complete(1); // too late, and of no effect
            assertThat(executor.inspect().stats().keys()).isZero();
        }
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 5, 1, 0, 0));
    }

    @Test
    void completeAsyncCarriesWhatItsSupplierThrows() {
        CompletableFuture<Integer> future = executor.submit("a", () -> 1);
        future.completeAsync(
                () -> {
                    throw new ThrownOnPurpose();
                },
                Runnable::run);
        stepped.runAll();
        assertThat(future).isCompletedExceptionally();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 1, 0, 0));
    }

    @Test
    void aQueuedTaskWhoseFutureIsDoneInAWayOfItsOwnIsNotStarted() {
        AtomicInteger started = new AtomicInteger();
        CompletableFuture<Integer> future = executor.submit("a", started::incrementAndGet);
        future.completeAsync(() -> 7, Runnable::run);
        assertThat(executor.inspect().stats().queued()).as("it is gone at once").isZero();
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(future).isCompletedWithValue(7);
        assertThat(started).hasValue(0);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }
}
