package io.orderedexecutor.engine.pool;

import java.util.concurrent.CompletableFuture;

/** Where the failure of a task goes that has no future to carry it: the same way as in the JDK's own executors. */
public final class UncaughtFailures {

    private UncaughtFailures() {}

    /**
     * Completes a future, and reports what a dependent action throws all the same: the JDK calls {@code toString} of
     * what an action has failed with, which may fail, too.
     *
     * @param completion may throw without that if it has not completed the future
     */
    public static void containing(CompletableFuture<?> future, Runnable completion) {
        try {
            completion.run();
        } catch (Throwable thrown) {
            if (!future.isDone()) {
                throw thrown;
            }
            report(thrown);
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
