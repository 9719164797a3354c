package io.orderedexecutor.engine.pool;

import java.util.concurrent.CompletableFuture;

/** Where the failure of a task goes that has no future to carry it: the same way as in the JDK's own executors. */
public final class UncaughtFailures {

    /** So many repetitions may throw: without a limit, each would for want of stack. */
    private static final int MOST_FAILED = 1_000;

    private UncaughtFailures() {}

    /**
     * Completes a future, and reports what a dependent action throws all the same: the JDK calls {@code toString} of
     * what an action has failed with, which may fail, too. The other actions run nevertheless.
     *
     * @param completion may throw without that if it has not completed the future; run again for those actions
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

    /** Tells the current thread's handler, and keeps the thread alive. */
    public static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (Throwable ofHandler) {
            // as Thread.UncaughtExceptionHandler specifies: there is nobody left to tell, and the thread goes on
        }
    }
}
