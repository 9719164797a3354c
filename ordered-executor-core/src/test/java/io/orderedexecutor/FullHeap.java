package io.orderedexecutor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A program for a JVM with little heap, which is full again and again for some milliseconds while tasks run. */
final class FullHeap {
    private static final int STRIPES = 200;
    private static final int ROUNDS = 100;

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final Semaphore never = new Semaphore(0);

    /** What fills the heap. */
    @SuppressWarnings("UnusedVariable") // it is to be reachable
    private volatile Object kept;

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        new FullHeap().run(StripedExecutor.builder().threads(2));
        new FullHeap().run(StripedExecutor.builder().executor(pool));
        System.out.println("all went on");
        System.exit(0);
    }

    private void run(StripedExecutorBuilder builder) throws Exception {
        // what waiting needs is there before the heap is full
        never.tryAcquire(5, TimeUnit.MILLISECONDS);
        StripedExecutor executor = builder.turn(2, Duration.ofMillis(1))
                .failurePolicy(FailurePolicy.retry(2, Duration.ZERO).thenProceed())
                .listener(new TaskListener() {})
                .build();
        Thread submitter = new Thread(() -> submit(executor));
        submitter.start();
        for (int round = 0; round < ROUNDS; round++) {
            fill();
            // full for so long
            pause();
            kept = null;
            never.tryAcquire(5, TimeUnit.MILLISECONDS);
        }
        over.set(true);
        Patience.join(submitter);
        CountDownLatch last = new CountDownLatch(STRIPES);
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            executor.execute(stripe, last::countDown);
        }
        Patience.await(last);
        Patience.terminate(executor);
    }

    private void pause() throws InterruptedException {
        try {
            never.tryAcquire(5, TimeUnit.MILLISECONDS);
        } catch (OutOfMemoryError full) {
            failures.incrementAndGet();
        }
    }

    private void submit(StripedExecutor executor) {
        int round = 0;
        while (!over.get()) {
            try {
                int number = round++;
                executor.execute(number % STRIPES, ran::incrementAndGet);
                executor.submitAsync(
                        number % STRIPES,
                        () -> number % 2 == 0
                                ? CompletableFuture.completedFuture(1)
                                : executor.submit(number % STRIPES + STRIPES, () -> 1));
                if (executor.stats().queued() > 1000) {
                    never.tryAcquire(1, TimeUnit.MILLISECONDS);
                }
            } catch (OutOfMemoryError | InterruptedException full) {
                failures.incrementAndGet();
            }
        }
    }

    private void fill() {
        Deque<Object> chunks = new ArrayDeque<>();
        for (int size = 1 << 20; size >= 16; size /= 2) {
            try {
                while (true) {
                    chunks.add(new byte[size]);
                }
            } catch (OutOfMemoryError full) {
                kept = chunks;
            }
        }
    }
}
