package io.orderedexecutor.engine.pool;

import java.util.function.Predicate;

/**
 * Where a {@link Runnable} finds a thread. It may be run more than once, so it must itself keep its effects from being
 * repeated.
 *
 * <p>Nothing here is called under a lock, since an executor that an application handed in is its own code.
 */
public interface Workers {

    /** The number of threads that are not ours. */
    int UNKNOWN = -1;

    /**
     * Sees to it that some thread runs {@code work}, perhaps this one before the method returns.
     *
     * @throws RuntimeException if no thread will
     */
    void handOver(Runnable work);

    /**
     * Hands over work that the current thread could go on with, but does not.
     *
     * @return false if the current thread has to run the work, since no other thread will
     */
    boolean passOn(Runnable work);

    /** Whether {@link #handOver} may run work before it returns. A thread that must not run every work has to ask. */
    default boolean mayRunInline() {
        return false;
    }

    /**
     * Called when some work is over that was perhaps handed over and found no thread yet. At times, this removes work
     * that is over from the queues.
     *
     * @param isOver says whether some work is over
     */
    default void onOver(Predicate<? super Runnable> isOver) {
        helper().onOver(isOver);
    }

    /** The helper, which has the work that was refused; a thread that has nothing else to do polls it. */
    Helper helper();

    /** Lets every thread end as soon as it finds nothing to do. */
    void close();

    /**
     * Whether the threads that bring work also run it: work runs on the thread that has made it ready, and an interrupt
     * of that thread is its own affair.
     */
    default boolean areCallers() {
        return false;
    }

    /** Whether there are more threads than there may be: then a thread without work ends. */
    default boolean areTooMany() {
        return false;
    }

    /** Whether other work may be waiting for the current thread. */
    boolean isWantedElsewhere();

    /** The clock and the timers. */
    Platform platform();

    /** How long a thread may go on with the same work when it is wanted elsewhere. */
    Turn turn();

    void setTurn(Turn turn);

    /** How many threads there are at most, or {@link #UNKNOWN}. */
    int threads();

    /**
     * Changes how many threads there are at most.
     *
     * @throws IllegalStateException if they are not ours
     */
    void setThreads(int threads);
}
