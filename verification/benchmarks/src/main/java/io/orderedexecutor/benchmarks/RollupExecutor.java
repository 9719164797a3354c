package io.orderedexecutor.benchmarks;

/** A subject that knows tasks of more than one key, and tasks that share theirs. */
interface RollupExecutor extends KeyedExecutor {

    /** Runs {@code task} after the earlier tasks of both keys, and before the later ones. */
    void executeRollup(Object key, Object other, Runnable task);

    /** Runs {@code task} after the earlier tasks that do not share the key, and beside others that share it. */
    void executeShared(Object key, Runnable task);
}
