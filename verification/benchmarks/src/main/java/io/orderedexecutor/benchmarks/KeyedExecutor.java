package io.orderedexecutor.benchmarks;

/**
 * What all subjects are reduced to. An adapter adds what its library needs to be called with a key, and nothing else.
 */
interface KeyedExecutor {

    /** Runs {@code task} after the earlier tasks of {@code key}; the unordered limits do not look at the key. */
    void execute(Object key, Runnable task);

    /** Ends its threads, after the tasks that were submitted. */
    void end() throws Exception;
}
