package io.orderedexecutor.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Holds all threads of an executor, so that what is submitted stays queued. */
final class Gate {
    private static final int ATTEMPTS = 1_000;

    private final CountDownLatch opened = new CountDownLatch(1);
    private final Semaphore entered = new Semaphore(0);

    /**
     * Each thread is held by a task of a key of its own; where keys are bound to threads, it takes some keys to meet
     * them all.
     */
    static Gate holding(KeyedExecutor executor, int threads) throws InterruptedException, ExecutionException {
        Gate gate = new Gate();
        int held = 0;
        for (int attempt = 1; held < threads; attempt++) {
            if (attempt > ATTEMPTS) {
                throw new IllegalStateException("only " + held + " of " + threads + " threads run tasks");
            }
            gate.submitAlone(executor, -attempt);
            held += gate.entered.tryAcquire(50, TimeUnit.MILLISECONDS) ? 1 : 0;
        }
        return gate;
    }

    /**
     * Submits from a thread that has submitted nothing before: the {@code ForkJoinPool} of JDK 17 may leave a thread
     * asleep beside a queue with tasks, and wakes it for a task in another queue only.
     */
    private void submitAlone(KeyedExecutor executor, Object key) throws InterruptedException, ExecutionException {
        FutureTask<?> submission = new FutureTask<>(() -> executor.execute(key, this::hold), null);
        new Thread(submission).start();
        // a refusal ends the experiment
        submission.get();
    }

    private void hold() {
        entered.release();
        try {
            opened.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    void open() {
        opened.countDown();
    }
}
