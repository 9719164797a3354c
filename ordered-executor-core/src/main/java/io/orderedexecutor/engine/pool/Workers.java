package io.orderedexecutor.engine.pool;

import java.util.function.Predicate;

/**
 * Where a {@link Runnable} finds a thread. It may run more than once: what must not is up to the one who hands it over.
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
     * Hands over what the current thread has just left and could go on with.
     *
     * @return false if it has to go on: no other thread will
     */
    boolean passOn(Runnable work);

    /** Whether {@link #handOver} may run work before it returns, which concerns a thread that must not run all. */
    default boolean mayRunInline() {
        return false;
    }

    /**
     * Some work is over, which was handed over perhaps and found no thread yet: at times, what is over is taken out of
     * the queues.
     *
     * @param isOver says of any work whether it is
     */
    default void onOver(Predicate<? super Runnable> isOver) {
        helper().onOver(isOver);
    }

    /** Has the work that was refused; a thread that has nothing else to do comes for it. */
    Helper helper();

    /** Lets every thread end as soon as it finds nothing to do. */
    void close();

    /**
     * Whether the threads that bring work also run it: what is ready runs on the thread that has made it so, and an
     * interrupt of that thread is its own affair.
     */
    default boolean areCallers() {
        return false;
    }

    /** Whether there are more threads than there may be: one that has nothing in hand ends. */
    default boolean areTooMany() {
        return false;
    }

    /** Whether other work may be waiting for the current thread. */
    boolean isWantedElsewhere();

    /** The clock and the timers. */
    Platform platform();

    /** How long a thread may stay with what it has come for when it is wanted elsewhere. */
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
