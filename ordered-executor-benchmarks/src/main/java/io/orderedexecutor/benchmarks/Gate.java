package io.orderedexecutor.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Holds all threads of an executor, so that what is submitted stays queued. */
final class Gate {
    private static final int ATTEMPTS = 1_000;

    private final CountDownLatch opened = new CountDownLatch(1);
    private final Semaphore entered = new Semaphore(0);

    /** Each thread is held by a task of a key of its own; where keys are bound to threads, it takes some keys to meet them all. */
    static Gate holding(KeyedExecutor executor, int threads) throws InterruptedException {
        Gate gate = new Gate();
        int held = 0;
        for (int attempt = 1; held < threads; attempt++) {
            if (attempt > ATTEMPTS) {
                throw new IllegalStateException("only " + held + " of " + threads + " threads run tasks");
            }
            executor.execute(-attempt, gate::hold);
            held += gate.entered.tryAcquire(50, TimeUnit.MILLISECONDS) ? 1 : 0;
        }
        return gate;
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
