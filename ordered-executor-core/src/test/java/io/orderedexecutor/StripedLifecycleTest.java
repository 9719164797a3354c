package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.atomic.AtomicIntegerArray;
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
    @DisplayName("R9: shutdown refuses new tasks and finishes all accepted ones")
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
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, 101, 0, 0, 3));
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
    @DisplayName("R9: every ending may be called from inside a task, twice")
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
    @DisplayName("R9: endings from many threads at once, with tasks that end them too")
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
            StripedExecutorStats stats = executor.stats();
            assertThat(stats.completed() + stats.cancelled()).isEqualTo(100);
            assertThat(stats.cancelled()).isEqualTo(takenBack.size());
        }
    }

    @Test
    @DisplayName("S8: after shutdown a task's own successor is refused, with a clear message, and the task sees it")
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
    @DisplayName("S4, S5: one who awaits termination holds up neither tasks that ask nor submitters nor endings")
    void awaitTerminationHoldsNoLock() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        Thread waiting = SameKind.thread(() -> Patience.awaitTermination(executor));
        waiting.start();
        Patience.awaitParked(waiting);
        List<Boolean> asked =
                Patience.get(executor.submit("a", () -> List.of(executor.isShutdown(), executor.isTerminated())));
        assertThat(asked).containsExactly(false, false);
        executor.execute("b", source.next());
        executor.stats();
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
    @DisplayName("S4: awaitTermination is not true before a held asynchronous task is complete")
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

    // shutdownNow

    @Test
    @DisplayName(
            "S2, S3: shutdownNow on a pool that runs nothing returns tasks as submitted, cancels futures, terminates")
    void shutdownNowWithAPoolThatNeverRuns() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(task -> {}).build();
        Runnable plain = () -> {};
        Runnable viaView = () -> {};
        Runnable viaService = () -> {};
        StripedRunnable striped = Striped.task("b", () -> {});
        executor.execute("a", plain);
        CompletableFuture<Integer> callable = executor.submit("a", () -> 1);
        executor.executorFor("a").execute(viaView);
        CompletableFuture<Integer> async = executor.submitAsync("a", () -> CompletableFuture.completedFuture(1));
        var ofService = executor.asExecutorService().submit(viaService);
        var ofStriped = executor.asExecutorService().submit(striped, "result");
        List<Runnable> takenBack = executor.shutdownNow();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(takenBack)
                .containsExactlyInAnyOrder(plain, (Runnable) callable, viaView, (Runnable) async, viaService, striped);
        assertThat(takenBack.stream().filter(List.of(plain, callable, viaView, async)::contains))
                .as("the order of the stripe")
                .containsExactly(plain, (Runnable) callable, viaView, (Runnable) async);
        for (var future : List.of(callable, async, ofService, ofStriped)) {
            assertThat(future.isCancelled()).isTrue();
            assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        }
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, 0, 0, 6, 0));
        assertThat(executor.shutdownNow()).isEmpty();
    }

    @Test
    @DisplayName("R9: shutdownNow interrupts the running tasks, and the figures add up while they still run")
    void shutdownNowInterruptsRunningTasks() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        CountDownLatch running = new CountDownLatch(2);
        CountDownLatch interrupted = new CountDownLatch(2);
        CountDownLatch release = new CountDownLatch(1);
        for (String stripe : List.of("a", "b")) {
            executor.execute(stripe, () -> {
                running.countDown();
                try {
                    new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
                Patience.await(release);
            });
            for (int i = 0; i < 10; i++) {
                executor.execute(stripe, () -> {
                    throw new AssertionError("must not run");
                });
            }
        }
        Patience.await(running);
        assertThat(executor.shutdownNow()).hasSize(20);
        Patience.await(interrupted);
        assertThat(executor.isTerminated()).isFalse();
        StripedExecutorStats stats = executor.stats();
        release.countDown();
        Patience.awaitTermination(executor);
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, 2, 0, 20, 0));
        assertThat(stats)
                .as("while two tasks run and nothing is queued any more")
                .isEqualTo(new StripedExecutorStats(2, 0, 2, 0, 0, 20, 0));
    }

    @Test
    @DisplayName("R9: shutdownNow cancels held asynchronous tasks")
    void shutdownNowCancelsHeldTasks() {
        StripedExecutor executor = SameKind.exactly(1).build();
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            futures.add(executor.submitAsync(i, () -> new CompletableFuture<Integer>()));
            executor.execute(i, () -> {
                throw new AssertionError("must not run");
            });
        }
        Patience.letWorkersFinish(executor, 1);
        assertThat(executor.stats().active()).isBetween(100L, 101L);
        assertThat(executor.shutdownNow()).hasSize(100);
        Patience.awaitTermination(executor);
        assertThat(futures).allMatch(CompletableFuture::isCancelled);
        assertThat(executor.stats().cancelled()).isEqualTo(200);
    }

    /** A task that tells how often it ran, and whether too late, to whoever has awaited termination. */
    private static final class Counting implements Runnable {
        private final AtomicBoolean stopped;
        int runs;
        boolean late;

        Counting(AtomicBoolean stopped) {
            this.stopped = stopped;
        }

        @Override
        public void run() {
            runs++;
            late = stopped.get();
        }
    }

    @RepeatedTest(3)
    @DisplayName(
            "R9: no task whose submission had returned before shutdownNow starts after it, while others still submit")
    void shutdownNowRacesWithSubmissionsToOneStripe() {
        SameKind.assumeTimeSharing();
        int producers = 16;
        StripedExecutor executor = SameKind.exactly(1).build();
        AtomicIntegerArray submitted = new AtomicIntegerArray(producers);
        AtomicBoolean stopped = new AtomicBoolean();
        List<List<Counting>> tasks = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        CountDownLatch warm = new CountDownLatch(producers);
        for (int p = 0; p < producers; p++) {
            int producer = p;
            List<Counting> own = new ArrayList<>();
            tasks.add(own);
            threads.add(SameKind.thread(() -> {
                for (int i = 1; i < 200_000; i++) {
                    Counting task = new Counting(stopped);
                    try {
                        executor.execute("a", task);
                    } catch (RejectedExecutionException e) {
                        return;
                    }
                    own.add(task);
                    submitted.set(producer, i);
                    if (i == 500) {
                        warm.countDown();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        Patience.await(warm);
        int[] before = new int[producers];
        for (int p = 0; p < producers; p++) {
            before[p] = submitted.get(p);
        }
        List<Runnable> takenBack = executor.shutdownNow();
        stopped.set(true);
        threads.forEach(Patience::join);
        Patience.awaitTermination(executor);
        int late = 0;
        for (int p = 0; p < producers; p++) {
            for (Counting task : tasks.get(p).subList(0, before[p])) {
                late += task.late ? 1 : 0;
            }
        }
        takenBack.forEach(Runnable::run); // so each should have run once now
        long accepted = tasks.stream().mapToLong(List::size).sum();
        assertThat(tasks.stream().flatMap(List::stream).filter(task -> task.runs != 1))
                .as("tasks that did not end once")
                .isEmpty();
        StripedExecutorStats stats = executor.stats();
        assertThat(List.of(stats.completed(), stats.cancelled()))
                .containsExactly(accepted - takenBack.size(), (long) takenBack.size());
        // one may have been started and not have come to its first line
        assertThat(late)
                .as("tasks that were submitted before shutdownNow was called, and ran after it had returned")
                .isLessThanOrEqualTo(1);
    }

    @RepeatedTest(20)
    @DisplayName("S2, S3: every ending races with submissions: each accepted task ends exactly once, in order")
    void endingsRaceWithSubmissions() {
        SameKind.assumeTimeSharing();
        for (Ending ending : Ending.values()) {
            StripedExecutor executor = SameKind.atLeast(2).build();
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
                producers.add(SameKind.thread(() -> {
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
            StripedExecutorStats stats = executor.stats();
            assertThat(stats.completed() + stats.cancelled()).isEqualTo(accepted.get());
            assertThat(stats.rejected()).isEqualTo(refused.get());
            assertThat(stats.stripes() + stats.queued() + stats.active()).isZero();
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
        Thread closing = SameKind.thread(() -> {
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
    @DisplayName("R9: an interrupt of close turns it into shutdownNow; it still waits, and sets the interrupt again")
    void anInterruptedCloseIsAShutdownNow() {
        StripedExecutor executor = SameKind.atLeast(1).build();
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
    @DisplayName("R9: awaitTermination and close of another executor's task do wait")
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
