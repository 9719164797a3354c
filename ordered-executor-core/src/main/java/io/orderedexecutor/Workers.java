package io.orderedexecutor;

/**
 * Where chains find a thread.
 *
 * <p>Nothing here is called under a lock, since an executor that an application handed in is its own code.
 */
interface Workers {

    /** The number of threads that are not ours. */
    int UNKNOWN = -1;

    /**
     * Sees to it that some thread runs {@code queue}, perhaps this one before the method returns.
     *
     * @throws RuntimeException if no thread will
     */
    void handOver(ServedQueue queue);

    /**
     * Hands over a chain that the current thread has just left and could go on with.
     *
     * @return false if it has to go on: no other thread will
     */
    boolean passOn(ServedQueue queue);

    /** Whether other chains may be waiting for the current thread. */
    boolean isWantedElsewhere();

    /** How long a thread may stay with one chain when it is wanted elsewhere. */
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
