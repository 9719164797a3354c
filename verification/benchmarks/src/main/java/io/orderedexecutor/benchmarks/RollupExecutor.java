package io.orderedexecutor.benchmarks;

/** A subject that knows tasks of more than one key. */
interface RollupExecutor extends KeyedExecutor {

    /** Runs {@code task} after the earlier tasks of both keys, and before the later ones. */
    void executeRollup(Object key, Object other, Runnable task);
}
