package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** R9: what shutdownNow takes back, cancels and interrupts. */
class StripedShutdownNowTest {
    @Test
    @DisplayName("shutdownNow on a pool that runs nothing returns tasks as submitted, cancels futures, terminates")
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
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 6, 0));
        assertThat(executor.shutdownNow()).isEmpty();
    }

    @Test
    @DisplayName("what was taken back needs no turn of a thread that may never come")
    void shutdownNowWithTurnsOfOneTask() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(task -> {})
                .turn(1, Duration.ofNanos(1))
                .build();
        for (int i = 0; i < 10; i++) {
            executor.execute("a", () -> {});
        }
        assertThat(executor.shutdownNow()).hasSize(10);
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("a task of whose start the listener is being told is interrupted, too")
    void shutdownNowWhileTheListenerIsToldOfTheStart() {
        SteppedExecutor stepped = new SteppedExecutor();
        AtomicReference<StripedExecutor> executor = new AtomicReference<>();
        List<Runnable> takenBack = new ArrayList<>();
        executor.set(StripedExecutor.builder()
                .executor(stepped)
                .listener(new TaskListener() {
                    @Override
                    public void started(@Nullable Object key, Object task, long nanosQueued) {
                        takenBack.addAll(executor.get().shutdownNow());
                    }
                })
                .build());
        List<Boolean> interrupted = new ArrayList<>();
        executor.get().execute("a", () -> interrupted.add(Thread.currentThread().isInterrupted()));
        stepped.runAll();
        assertThat(interrupted).containsExactly(true);
        assertThat(takenBack).isEmpty();
        assertThat(executor.get().isTerminated()).isTrue();
        assertThat(Thread.interrupted()).as("of the thread that ran it").isFalse();
    }

    @Test
    @DisplayName("shutdownNow interrupts the running tasks, and the figures add up while they still run")
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
        OrderedExecutorStats stats = executor.inspect().stats();
        release.countDown();
        Patience.awaitTermination(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 20, 0));
        assertThat(stats)
                .as("while two tasks run and nothing is queued any more")
                .isEqualTo(new OrderedExecutorStats(2, 0, 0, 0, 2, 0, 0, 20, 0));
    }

    @Test
    @DisplayName("shutdownNow cancels held asynchronous tasks")
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
        assertThat(executor.inspect().stats().active()).isBetween(100L, 101L);
        assertThat(executor.shutdownNow()).hasSize(100);
        Patience.awaitTermination(executor);
        assertThat(futures).allMatch(CompletableFuture::isCancelled);
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(200);
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
    @DisplayName("no task whose submission had returned before shutdownNow starts after it, while others still submit")
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
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(List.of(stats.completed(), stats.cancelled()))
                .containsExactly(accepted - takenBack.size(), (long) takenBack.size());
        // one may have been started and not have come to its first line
        assertThat(late)
                .as("tasks that were submitted before shutdownNow was called, and ran after it had returned")
                .isLessThanOrEqualTo(1);
    }

    @Test
    @DisplayName("a task that becomes asynchronous after shutdownNow has looked is cancelled all the same")
    void aSupplierThatCallsShutdownNow() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        CompletableFuture<Object> future = executor.submitAsync("a", () -> {
            assertThat(executor.shutdownNow()).isEmpty();
            return new CompletableFuture<>();
        });
        stepped.runAll();
        assertThat(future).isCancelled();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
    }

    @Test
    @DisplayName("a task that is being cancelled is not returned, nor counted twice")
    void shutdownNowInsideACancellation() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        List<Runnable> takenBack = new ArrayList<>();
        CompletableFuture<Integer> cancelled = executor.submit("a", () -> 1);
        Runnable behind = () -> {};
        executor.execute("a", behind);
        cancelled.whenComplete((result, failure) -> takenBack.addAll(executor.shutdownNow()));
        assertThat(cancelled.cancel(true)).isTrue();
        assertThat(takenBack).containsExactly(behind);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 2, 0));
        assertThat(stepped.runAll()).isEqualTo(1);
    }

    @Test
    void aFutureThatWasTakenBackIsNotRunByWhoeverRunsIt() {
        AtomicInteger ran = new AtomicInteger();
        StripedExecutor executor =
                StripedExecutor.builder().executor(new SteppedExecutor()).build();
        CompletableFuture<Integer> future = executor.submit("a", ran::incrementAndGet);
        executor.shutdownNow().forEach(Runnable::run);
        assertThat(future).isCancelled();
        assertThat(ran).hasValue(0);
    }
}
