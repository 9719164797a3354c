package io.orderedexecutor;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits with a deadline that only a hang can miss, and then says what all threads were doing. */
final class Patience {
    static final long SECONDS = Long.getLong("patience", 30);

    private Patience() {}

    static void await(CountDownLatch latch) {
        if (!unchecked(() -> latch.await(SECONDS, TimeUnit.SECONDS))) {
            throw hang("a latch is still at " + latch.getCount());
        }
    }

    static void acquire(Semaphore semaphore, int permits) {
        if (!unchecked(() -> semaphore.tryAcquire(permits, SECONDS, TimeUnit.SECONDS))) {
            throw hang("a semaphore has " + semaphore.availablePermits() + " of " + permits + " permits");
        }
    }

    static void meet(CyclicBarrier barrier) {
        unchecked(() -> barrier.await(SECONDS, TimeUnit.SECONDS));
    }

    /** The result, or what the task threw as it was thrown. */
    static <T> T get(Future<T> future) {
        try {
            return future.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("the task failed", e.getCause());
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        } catch (TimeoutException e) {
            throw hang(future + " is not done");
        }
    }

    static void join(Thread thread) {
        unchecked(() -> {
            thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
            return null;
        });
        if (thread.isAlive()) {
            throw hang(thread + " has not ended");
        }
    }

    /** Waits until a thread waits. Only its state tells, so there is nothing to wait on but time. */
    static void awaitParked(Thread thread) {
        for (long left = TimeUnit.SECONDS.toMillis(SECONDS); left > 0; left--) {
            Thread.State state = thread.getState();
            if (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING) {
                return;
            }
            unchecked(() -> {
                thread.join(1);
                return null;
            });
        }
        throw hang(thread + " does not wait");
    }

    static void terminate(OrderedExecutor executor) {
        executor.shutdown();
        awaitTermination(executor);
    }

    static void awaitTermination(OrderedExecutor executor) {
        if (!unchecked(() -> executor.awaitTermination(SECONDS, TimeUnit.SECONDS))) {
            throw hang(executor + " has not terminated");
        }
    }

    /**
     * Returns when every one of the executor's {@code threads} has left what it did before: each is brought to a
     * barrier by a task of its own. So of tasks that are known to have run, no trace is left that is still being wiped.
     */
    static void letWorkersFinish(StripedExecutor executor, int threads) {
        CyclicBarrier barrier = new CyclicBarrier(threads + 1);
        for (int i = 0; i < threads; i++) {
            executor.execute(new Object(), () -> meet(barrier));
        }
        meet(barrier);
    }

    static AssertionError hang(String what) {
        StringBuilder dump =
                new StringBuilder(what).append(" after ").append(SECONDS).append(" s\n");
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            dump.append(thread);
        }
        System.err.println(dump);
        return new AssertionError(what + " after " + SECONDS + " s; the threads are on standard error");
    }

    private static <T> T unchecked(Callable<T> waiting) {
        try {
            return waiting.call();
        } catch (TimeoutException e) {
            throw hang("a barrier is not complete");
        } catch (Exception e) {
            throw new AssertionError("could not wait", e);
        }
    }
}
