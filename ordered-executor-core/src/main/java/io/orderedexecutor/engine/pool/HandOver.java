package io.orderedexecutor.engine.pool;

import java.util.concurrent.Executor;

/**
 * Something that a thread gives to an executor because it is to go on elsewhere. An executor that runs it inline, on
 * the thread that gives it, has not taken it: it would nest each turn in the one before, and run out of stack.
 */
public final class HandOver implements Runnable {
    private final Runnable continuation;
    private final Thread giver = Thread.currentThread();

    /** Read and written by the giver only. */
    private boolean giving = true;

    private boolean ranInline;

    private HandOver(Runnable continuation) {
        this.continuation = continuation;
    }

    /**
     * Lets another thread go on.
     *
     * @return false if the executor has refused, or would run it on this thread; then it does not run
     */
    public static boolean to(Executor executor, Runnable continuation) {
        try {
            HandOver handOver = new HandOver(continuation);
            executor.execute(handOver);
            handOver.giving = false;
            return !handOver.ranInline;
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            // no submitter is there to be told, and what is to be done was accepted: the thread at hand does it; so it
            // is, too, if there is no memory for this object
            return false;
        }
    }

    @Override
    public void run() {
        if (Thread.currentThread() == giver && giving) {
            ranInline = true;
        } else {
            continuation.run();
        }
    }
}
