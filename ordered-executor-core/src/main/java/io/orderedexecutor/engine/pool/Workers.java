package io.orderedexecutor.engine.pool;

import java.util.function.Predicate;

/**
 * Where a {@link Runnable} finds a thread. Workers may run it more than once, so it must be idempotent.
 *
 * <p>Nothing here is called under a lock, since an executor that an application handed in is the application's code.
 */
public interface Workers {

    /** The number of threads that are not ours. */
    int UNKNOWN = -1;

    /**
     * Lets some thread run {@code work}; this may be the calling thread, before the method returns.
     *
     * @throws RuntimeException if the workers refuse the work; they may throw an Error if no thread can be started, and
     *     an executor or thread factory of the application may throw anything else
     */
    void handOver(Runnable work);

    /**
     * Hands over work to another thread.
     *
     * @return false if no other thread will run the work, so that the caller has to find one
     */
    boolean passOn(Runnable work);

    /** Whether {@link #handOver} may run work before it returns. A thread that may run only some work checks this. */
    default boolean mayRunInline() {
        return false;
    }

    /**
     * Called when some work is over that may still be in a queue here. At times, this removes such work from the
     * queues.
     *
     * @param isOver whether a piece of work is over
     */
    default void onOver(Predicate<? super Runnable> isOver) {
        helper().onOver(isOver);
    }

    /** The helper, which keeps refused work; a thread that has served a place polls it, unless callers do the work. */
    Helper helper();

    /** Lets each thread end as soon as it finds nothing to do. */
    void close();

    /**
     * Whether work runs on the thread that makes it ready. Interrupts of that thread belong to the application, and
     * stay.
     */
    default boolean areCallers() {
        return false;
    }

    /** Whether there are more threads than allowed, so that some have to end. */
    default boolean areTooMany() {
        return false;
    }

    /** Whether other work may wait for the current thread. */
    boolean isWantedElsewhere();

    /** The platform of the executor. */
    Platform platform();

    /** How long a thread may continue with the same work when it is wanted elsewhere. */
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
