package io.orderedexecutor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A thread that waits for a future, and does nothing else meanwhile. {@link CompletableFuture#get()} in a thread of a
 * {@link ForkJoinPool} runs other tasks of that thread. If one of them waits for what comes after this future, neither
 * can go on: it for the other's end, and the other because it is beneath it on the stack.
 *
 * <p>The pool may put another thread in the place of the one that waits; what that is for may have been handed to the
 * same pool.
 */
final class IdleWait implements ForkJoinPool.ManagedBlocker {
    private final CountDownLatch done = new CountDownLatch(1);
    private final long nanos;
    private final long begun = System.nanoTime();

    private IdleWait(long nanos) {
        this.nanos = nanos;
    }

    /**
     * Waits until a future is done.
     *
     * @return false if it was not, in so much time
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the action cannot fail
    static boolean await(CompletableFuture<?> future, long nanos) throws InterruptedException {
        IdleWait wait = new IdleWait(nanos);
        future.whenComplete((value, failure) -> wait.done.countDown());
        try {
            ForkJoinPool.managedBlock(wait);
        } catch (RejectedExecutionException | Error noOtherThread) {
            wait.block();
        }
        return future.isDone();
    }

    @Override
    public boolean block() throws InterruptedException {
        return done.await(left(), TimeUnit.NANOSECONDS) || isReleasable();
    }

    @Override
    public boolean isReleasable() {
        return done.getCount() == 0 || left() <= 0;
    }

    private long left() {
        return nanos - (System.nanoTime() - begun);
    }
}
