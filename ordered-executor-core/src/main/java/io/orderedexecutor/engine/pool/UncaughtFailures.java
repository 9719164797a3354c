package io.orderedexecutor.engine.pool;

import java.util.concurrent.CompletableFuture;

/** Reports failures that no future carries to a caller, in the same way as the JDK's own executors. */
public final class UncaughtFailures {

    /** A limit on repetitions that throw: if the stack is exhausted, all of them do. */
    private static final int MOST_FAILED = 1_000;

    private UncaughtFailures() {}

    /**
     * Runs the completion of a future. The JDK calls {@code toString} of the failure of a dependent action, and that
     * {@code toString} may throw when the future is complete already. Then this method reports what was thrown, and
     * runs the completion again, so that the other dependent actions run.
     *
     * @param completion completes the future; if it throws before the future is complete, this method throws the same
     */
    public static void containing(CompletableFuture<?> future, Runnable completion) {
        boolean isOver = false;
        for (int failed = 0; !isOver && failed < MOST_FAILED; failed++) {
            try {
                completion.run();
                isOver = true;
            } catch (Throwable thrown) {
                if (!future.isDone()) {
                    throw thrown;
                }
                report(thrown);
            }
        }
    }

    /** Calls the current thread's handler, whose own failure is ignored so that the thread survives. */
    public static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable ofHandler) {
            // ignored, as Thread.UncaughtExceptionHandler specifies
        }
    }
}
