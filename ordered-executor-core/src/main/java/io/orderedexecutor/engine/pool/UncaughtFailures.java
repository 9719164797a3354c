package io.orderedexecutor.engine.pool;

/** Where the failure of a task goes that has no future to carry it: the same way as in the JDK's own executors. */
public final class UncaughtFailures {

    private UncaughtFailures() {}

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
