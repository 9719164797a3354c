package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.VirtualThreads;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** On the threads of others: pools, virtual threads, the caller's own. */
class StripedBorrowedExecutorTest {
    private final OrderRecorder recorder = new OrderRecorder();

    /** Three producers, 30 stripes, all kinds of submission, then an orderly end. */
    private void load(Executor threads) {
        StripedExecutor executor = StripedExecutor.builder().executor(threads).build();
        List<OrderRecorder.Lane> lanes = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            lanes.add(recorder.lane(i));
        }
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            List<OrderRecorder.Source> own =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            producers.add(SameKind.thread(() -> {
                for (int i = 0; i < 10_000; i++) {
                    OrderRecorder.Step step = own.get(i % 30).next();
                    if (i % 3 == 0) {
                        executor.submitAsync(i % 30, () -> {
                            step.run();
                            return CompletableFuture.completedFuture(1);
                        });
                    } else {
                        executor.execute(i % 30, step);
                    }
                }
            }));
        }
        producers.forEach(Thread::start);
        producers.forEach(Patience::join);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 30_000, 0, 0, 0));
    }

    private static void end(ExecutorService pool) throws InterruptedException {
        assertThat(pool.isShutdown())
                .as("the caller's executor is never closed")
                .isFalse();
        pool.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aFixedPool() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        load(pool);
        end(pool);
    }

    @Test
    void aForkJoinPool() throws InterruptedException {
        ExecutorService pool = new ForkJoinPool(3);
        load(pool);
        end(pool);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualThreads() throws InterruptedException {
        ExecutorService threads = VirtualThreads.executor();
        load(threads);
        end(threads);
    }

    @Test
    void theCallersThread() {
        load(Runnable::run);
    }

    @Test
    @DisplayName("a bounded pool that refuses, with a caller-runs policy")
    void aBoundedPoolWithCallerRuns() throws InterruptedException {
        ExecutorService pool = new ThreadPoolExecutor(
                2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(2), new ThreadPoolExecutor.CallerRunsPolicy());
        load(pool);
        end(pool);
    }

    @Test
    void anExecutorThatRunsEveryHandOverTwice() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        load(task -> {
            pool.execute(task);
            pool.execute(task);
        });
        end(pool);
    }

    @Test
    @DisplayName("200,000 tasks on one stripe on the caller's thread do not run out of stack")
    void aLongStripeOnTheCallersThread() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        OrderRecorder.Source source = recorder.lane("a").source();
        OrderRecorder.Source nested = recorder.lane("b").source();
        executor.execute("a", source.next(() -> {
            for (int i = 0; i < 200_000; i++) {
                executor.execute("a", source.next());
                executor.execute("b", nested.next());
            }
        }));
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 400_001, 0, 0, 0));
    }

    @Test
    @DisplayName("the pool underneath is shut down first: what it drops is reported by shutdownNow, what it "
            + "refuses at once")
    void aPoolThatIsShutDownUnderneath() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        StripedExecutor executor = StripedExecutor.builder().executor(pool).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        OrderRecorder.Source source = recorder.lane("a").source();
        executor.execute("a", source.next(() -> {
            running.countDown();
            try {
                release.await();
            } catch (InterruptedException e) {
                // as the pool's shutdownNow wants it
            }
        }));
        OrderRecorder.Step behind = source.next();
        executor.execute("a", behind);
        OrderRecorder.Step dropped = recorder.lane("b").source().next();
        executor.execute("b", dropped);
        Patience.await(running);
        assertThat(pool.shutdownNow()).hasSize(1); // the hand-over of stripe b
        OrderRecorder.Step refused = recorder.lane("c").source().next();
        refused.exclude();
        assertThat(RefusingExecutor.accepts(() -> executor.execute("c", refused)))
                .isFalse();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(executor.shutdownNow()).containsExactly(dropped);
        dropped.exclude();
        assertThat(executor.isTerminated()).isTrue();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 1, 1));
    }

    @Test
    void theCallersInterruptIsGivenBack() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(Runnable::run).build();
        AtomicInteger ran = new AtomicInteger();
        Thread.currentThread().interrupt();
        try {
            for (String stripe : Arrays.asList("a", "b")) {
                executor.execute(stripe, ran::incrementAndGet);
            }
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(ran).hasValue(2);
    }

    @Test
    @DisplayName("an executor that runs what it is given and then throws does not make its submitter believe it "
            + "was refused")
    void anExecutorThatRunsAndThenThrows() {
        IllegalStateException failure = new IllegalStateException("says the test");
        List<Throwable> reported = new ArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
        try {
            StripedExecutor executor = StripedExecutor.builder()
                    .executor(task -> {
                        task.run();
                        throw failure;
                    })
                    .build();
            executor.execute("a", ran::incrementAndGet);
            assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 0));
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        assertThat(ran).hasValue(1);
        assertThat(reported).containsExactly(failure);
    }
}
