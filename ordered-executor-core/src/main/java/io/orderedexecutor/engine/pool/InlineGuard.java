package io.orderedexecutor.engine.pool;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A continuation that a thread hands over to an executor; detects whether the executor runs it inline, on that thread.
 * Then it has not taken it: each turn would be nested in the one before, until the stack overflows.
 */
public final class InlineGuard implements Runnable, Keyed {
    private final Runnable continuation;
    private final Thread giver = Thread.currentThread();

    /** Read and written by the giver only. */
    private boolean giving = true;

    private boolean ranInline;

    private InlineGuard(Runnable continuation) {
        this.continuation = continuation;
    }

    /**
     * Lets another thread go on.
     *
     * @return false if the executor has refused, or would run it on this thread; then it does not run
     */
    public static boolean handOver(Executor executor, Runnable continuation) {
        try {
            InlineGuard guard = new InlineGuard(continuation);
            executor.execute(guard);
            guard.giving = false;
            return !guard.ranInline;
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            // no submitter is there to be told, and what is to be done was accepted: the thread at hand does it; so it
            // is, too, if there is no memory for this object
            return false;
        }
    }

    @Override
    public @Nullable Object key() {
        return continuation instanceof Keyed keyed ? keyed.key() : null;
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
