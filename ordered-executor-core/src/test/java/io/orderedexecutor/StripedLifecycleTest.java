package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.admit.KeyedEngine.KeyType;
import io.orderedexecutor.engine.pool.BorrowedWorkers;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9: shutdown, shutdownNow, awaitTermination and close, from everywhere. */
class StripedLifecycleTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();

    /** The ways to end an executor. */
    enum Ending {
        SHUTDOWN,
        SHUTDOWN_NOW,
        CLOSE;

        void of(OrderedExecutor executor) {
            switch (this) {
                case SHUTDOWN -> executor.shutdown();
                case SHUTDOWN_NOW -> executor.shutdownNow();
                case CLOSE -> executor.close();
            }
        }
    }

    // shutdown

    @Test
    @DisplayName("shutdown refuses new tasks and finishes all accepted ones")
    void shutdownFinishesWhatWasAccepted() throws InterruptedException {
        StripedExecutor executor = SameKind.atLeast(2).name("orders").build();
        CountDownLatch release = new CountDownLatch(1);
        executor.execute("a", source.next(() -> Patience.await(release)));
        for (int i = 0; i < 100; i++) {
            executor.execute("a", source.next());
        }
        executor.shutdown();
        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.awaitTermination(0, TimeUnit.SECONDS)).isFalse();
        assertThat(executor.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThatThrownBy(() -> executor.execute("a", () -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("'orders'")
                .hasMessageContaining("shut down");
        assertThatThrownBy(() -> executor.submit("b", () -> 1)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.submitAsync("b", () -> null)).isInstanceOf(RejectedExecutionException.class);
        release.countDown();
        Patience.awaitTermination(executor);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 101, 0, 0, 3));
        executor.shutdown();
        assertThat(executor.shutdownNow()).isEmpty();
        executor.close();
        assertThat(executor.isTerminated()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void anIdleExecutorTerminatesAtOnce(Ending ending) throws InterruptedException {
        StripedExecutor executor = SameKind.atLeast(1).build();
        assertThat(executor.isShutdown()).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        ending.of(executor);
        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.awaitTermination(0, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    @DisplayName("every ending may be called from inside a task, twice")
    void fromInsideATask(Ending ending) {
        StripedExecutor executor = SameKind.atLeast(2).build();
        AtomicBoolean terminatedInside = new AtomicBoolean(true);
        AtomicBoolean awaitedInside = new AtomicBoolean(true);
        CountDownLatch submitted = new CountDownLatch(1);
        executor.execute("a", source.next(() -> {
            Patience.await(submitted);
            ending.of(executor);
            ending.of(executor);
            Thread.interrupted(); // shutdownNow interrupts its own task, too
            terminatedInside.set(executor.isTerminated());
            try {
                awaitedInside.set(executor.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        }));
        OrderRecorder.Step queued = source.next();
        executor.execute("a", queued);
        submitted.countDown();
        Patience.awaitTermination(executor);
        if (ending == Ending.SHUTDOWN_NOW) {
            queued.exclude();
        }
        recorder.assertAllRanOnceInOrder();
        assertThat(terminatedInside).isFalse();
        assertThat(awaitedInside).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void fromInsideAnAsynchronousTask(Ending ending) {
        StripedExecutor executor = SameKind.atLeast(1).build();
        CompletableFuture<Integer> future = executor.submitAsync("a", () -> {
            ending.of(executor);
            return CompletableFuture.completedFuture(1);
        });
        Patience.awaitTermination(executor);
        assertThat(future).isDone();
    }

    @Test
    @DisplayName("endings from many threads at once, with tasks that end them too")
    void fromManyThreads() {
        for (int round = 0; round < SameKind.some(200); round++) {
            StripedExecutor executor = SameKind.atLeast(2).build();
            CyclicBarrier start = new CyclicBarrier(5);
            Queue<Runnable> takenBack = new ConcurrentLinkedQueue<>();
            OrderRecorder recorder = new OrderRecorder();
            Semaphore submitted = new Semaphore(0); // which, unlike a latch, an interrupted task can wait for
            for (int i = 0; i < 20; i++) {
                OrderRecorder.Source own = recorder.lane(i).source();
                for (int j = 0; j < 5; j++) {
                    executor.execute(i, own.next(() -> {
                        submitted.acquireUninterruptibly();
                        takenBack.addAll(executor.shutdownNow());
                    }));
                }
            }
            List<Thread> enders = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Ending ending = Ending.values()[i % 3];
                enders.add(SameKind.thread(() -> {
                    Patience.meet(start);
                    if (ending == Ending.SHUTDOWN_NOW) {
                        takenBack.addAll(executor.shutdownNow());
                    } else {
                        ending.of(executor);
                    }
                }));
            }
            enders.forEach(Thread::start);
            submitted.release(100);
            enders.forEach(Patience::join);
            Patience.awaitTermination(executor);
            takenBack.forEach(step -> ((OrderRecorder.Step) step).exclude());
            recorder.assertAllRanOnceInOrder();
            assertThat(takenBack).doesNotHaveDuplicates();
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.completed() + stats.cancelled()).isEqualTo(100);
            assertThat(stats.cancelled()).isEqualTo(takenBack.size());
        }
    }

    @Test
    @DisplayName("after shutdown a task's own successor is refused, with a clear message, and the task sees it")
    void aTaskThatSubmitsAfterShutdownIsRefused() {
        StripedExecutor executor = SameKind.atLeast(1).build();
        CountDownLatch shutDown = new CountDownLatch(1);
        AtomicInteger successors = new AtomicInteger();
        CompletableFuture<Object> refusal = executor.submit("a", () -> {
            Patience.await(shutDown);
            try {
                executor.execute("a", successors::incrementAndGet);
                return "accepted";
            } catch (RejectedExecutionException e) {
                return e;
            }
        });
        executor.shutdown();
        shutDown.countDown();
        assertThat(Patience.get(refusal)).isInstanceOf(RejectedExecutionException.class);
        Patience.awaitTermination(executor);
        assertThat(successors).hasValue(0);
    }

    // awaitTermination

    @Test
    @DisplayName("one who awaits termination holds up neither tasks that ask nor submitters nor endings")
    void awaitTerminationHoldsNoLock() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        Thread waiting = SameKind.thread(() -> Patience.awaitTermination(executor));
        waiting.start();
        Patience.awaitParked(waiting);
        List<Boolean> asked =
                Patience.get(executor.submit("a", () -> List.of(executor.isShutdown(), executor.isTerminated())));
        assertThat(asked).containsExactly(false, false);
        executor.execute("b", source.next());
        executor.inspect().stats();
        executor.shutdown();
        Patience.join(waiting);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    void awaitTerminationIsInterruptible() {
        StripedExecutor executor = SameKind.atLeast(1).build();
        CountDownLatch interrupted = new CountDownLatch(1);
        Thread waiting = SameKind.thread(() -> {
            try {
                executor.awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        });
        waiting.start();
        waiting.interrupt();
        Patience.await(interrupted);
        executor.close();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> executor.awaitTermination(1, TimeUnit.DAYS)).isInstanceOf(InterruptedException.class);
    }

    @Test
    @DisplayName("awaitTermination in a task does not wait, but a task that is interrupted hears of it there")
    void awaitTerminationInAnInterruptedTask() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        List<Object> heard = new ArrayList<>();
        executor.execute("a", source.next(() -> {
            try {
                heard.add(executor.awaitTermination(1, TimeUnit.DAYS));
                Thread.currentThread().interrupt();
                heard.add(executor.awaitTermination(1, TimeUnit.DAYS));
            } catch (InterruptedException e) {
                heard.add("interrupted");
            }
        }));
        stepped.runAll();
        assertThat(heard).containsExactly(false, "interrupted");
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("who has awaited termination finds the threads told to end")
    void nothingIsLeftToDoWhenTerminated() {
        List<Boolean> terminated = new ArrayList<>();
        AtomicReference<StripedExecutor> executor = new AtomicReference<>();
        SteppedExecutor stepped = new SteppedExecutor();
        KeyedEngine engine = new KeyedEngine(
                KeyType.STRIPE,
                new Settings(
                        "till",
                        Settings.UNLIMITED,
                        Settings.UNLIMITED,
                        false,
                        Overflow.reject(),
                        FailurePolicy.proceed(),
                        List.of(),
                        Platform.JDK),
                new BorrowedWorkers("stepped", stepped, Turn.DEFAULT, Platform.JDK),
                () -> terminated.add(executor.get().isTerminated()));
        executor.set(new StripedExecutor(engine));
        executor.get().execute("a", source.next());
        executor.get().shutdown();
        assertThat(terminated).isEmpty();
        stepped.runAll();
        assertThat(terminated).as("when the threads are told").containsExactly(false);
        assertThat(executor.get().isTerminated()).isTrue();
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("awaitTermination is not true before a held asynchronous task is complete")
    void awaitsHeldTasks() throws InterruptedException {
        StripedExecutor executor = SameKind.exactly(1).build();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync("a", () -> stage);
        executor.execute("a", source.next());
        Patience.letWorkersFinish(executor, 1);
        executor.shutdown();
        assertThat(executor.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        stage.complete(1);
        Patience.awaitTermination(executor);
        recorder.assertAllRanOnceInOrder();
    }

    @RepeatedTest(20)
    @DisplayName("every ending races with submissions: each accepted task ends exactly once, in order")
    void endingsRaceWithSubmissions() {
        SameKind.assumeTimeSharing();
        for (Ending ending : Ending.values()) {
            StripedExecutor executor = StripedExecutor.builder().threads(2).build();
            OrderRecorder recorder = new OrderRecorder();
            List<OrderRecorder.Lane> lanes = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                lanes.add(recorder.lane(i));
            }
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            CountDownLatch warm = new CountDownLatch(3);
            List<Thread> producers = new ArrayList<>();
            Queue<CompletableFuture<Object>> futures = new ConcurrentLinkedQueue<>();
            for (int p = 0; p < 3; p++) {
                List<OrderRecorder.Source> own =
                        lanes.stream().map(OrderRecorder.Lane::source).toList();
                producers.add(new Thread(() -> {
                    for (int i = 0; ; i++) {
                        OrderRecorder.Step step = own.get(i % 5).next();
                        try {
                            if (i % 2 == 0) {
                                executor.execute(i % 5, step);
                            } else {
                                CompletableFuture<Object> future = executor.submit(i % 5, Executors.callable(step));
                                futures.add(future);
                                future.whenComplete((result, failure) -> {
                                    if (failure instanceof CancellationException) {
                                        step.exclude();
                                    }
                                });
                            }
                            accepted.incrementAndGet();
                        } catch (RejectedExecutionException e) {
                            step.exclude();
                            refused.incrementAndGet();
                            return;
                        }
                        if (i == 200) {
                            warm.countDown();
                        }
                    }
                }));
            }
            producers.forEach(Thread::start);
            Patience.await(warm);
            if (ending == Ending.SHUTDOWN_NOW) {
                for (Runnable task : executor.shutdownNow()) {
                    if (task instanceof OrderRecorder.Step step) {
                        step.exclude();
                    }
                }
            } else {
                ending.of(executor);
            }
            producers.forEach(Patience::join);
            Patience.awaitTermination(executor);
            recorder.assertAllRanOnceInOrder();
            assertThat(futures).allMatch(CompletableFuture::isDone);
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.completed() + stats.cancelled()).isEqualTo(accepted.get());
            assertThat(stats.rejected()).isEqualTo(refused.get());
            assertThat(stats.keys() + stats.queued() + stats.active()).isZero();
        }
    }

    // close

    @Test
    void closeWaitsForAllTasks() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        CountDownLatch release = new CountDownLatch(1);
        executor.execute("a", source.next(() -> Patience.await(release)));
        executor.execute("a", source.next());
        AtomicReference<Boolean> interruptedAfter = new AtomicReference<>();
        Thread closing = new Thread(() -> {
            executor.close();
            interruptedAfter.set(Thread.currentThread().isInterrupted());
        });
        closing.start();
        Patience.awaitParked(closing);
        assertThat(executor.isShutdown()).isTrue();
        assertThat(executor.isTerminated()).isFalse();
        release.countDown();
        Patience.join(closing);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(interruptedAfter.get()).isFalse();
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("an interrupt of close turns it into shutdownNow; it still waits, and sets the interrupt again")
    void anInterruptedCloseIsAShutdownNow() {
        StripedExecutor executor = SameKind.exactly(1).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch taskInterrupted = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        executor.execute("a", source.next(() -> {
            running.countDown();
            try {
                new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                taskInterrupted.countDown();
            }
            Patience.await(release);
        }));
        OrderRecorder.Step queued = source.next();
        queued.exclude();
        executor.execute("a", queued);
        Patience.await(running);
        AtomicReference<Boolean> interruptedAfter = new AtomicReference<>();
        Thread closing = SameKind.thread(() -> {
            executor.close();
            interruptedAfter.set(Thread.currentThread().isInterrupted() && executor.isTerminated());
        });
        closing.start();
        Patience.awaitParked(closing);
        closing.interrupt();
        Patience.await(taskInterrupted);
        assertThat(interruptedAfter.get()).as("close has not returned").isNull();
        release.countDown();
        Patience.join(closing);
        assertThat(interruptedAfter.get()).isTrue();
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("awaitTermination and close of another executor's task do wait")
    void aTaskOfAnotherExecutorWaits() {
        try (StripedExecutor outer = SameKind.atLeast(1).build()) {
            StripedExecutor inner = SameKind.atLeast(1).build();
            inner.execute("a", source.next());
            assertThat(Patience.get(outer.submit("a", () -> {
                        inner.close();
                        return inner.isTerminated();
                    })))
                    .isTrue();
            recorder.assertAllRanOnceInOrder();
        }
    }
}
