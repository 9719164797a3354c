package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;

/** A program for a JVM whose common pool is full of tasks that wait: nobody else must need it. */
final class BusyCommonPool {
    private final CountDownLatch release = new CountDownLatch(1);

    public static void main(String[] args) {
        assertThat(ForkJoinPool.getCommonPoolParallelism())
                .as("threads of the common pool, which the settings of this JVM ask for")
                .isEqualTo(2);
        BusyCommonPool busy = new BusyCommonPool();
        busy.fill();
        busy.retries();
        System.out.println("all went on");
        System.exit(0);
    }

    private void fill() {
        CountDownLatch started = new CountDownLatch(2);
        for (int i = 0; i < 100; i++) {
            CompletableFuture.runAsync(() -> {
                started.countDown();
                Patience.await(release);
            });
        }
        Patience.await(started);
    }

    private void retries() {
        retry(StripedExecutor.builder().threads(1));
        ExecutorService pool = Executors.newFixedThreadPool(1);
        retry(StripedExecutor.builder().executor(pool));
        pool.shutdown();
    }

    private static void retry(StripedExecutorBuilder builder) {
        FailurePolicy policy = FailurePolicy.retry(5, Duration.ofMillis(5)).thenProceed();
        StripedExecutor executor = builder.failurePolicy(policy).build();
        AtomicInteger attempts = new AtomicInteger();
        CompletableFuture<Integer> fifth = executor.submit("a", () -> {
            if (attempts.incrementAndGet() < 5) {
                throw new ThrownOnPurpose();
            }
            return attempts.get();
        });
        assertThat(Patience.get(fifth)).isEqualTo(5);
        Patience.terminate(executor);
    }
}
