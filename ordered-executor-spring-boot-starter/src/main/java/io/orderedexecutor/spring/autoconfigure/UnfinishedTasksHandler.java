package io.orderedexecutor.spring.autoconfigure;

import java.util.List;

/**
 * Callback for beans that take over tasks that an executor does not run, for instance to store them. It is called when
 * the context closes, and the time for that has elapsed ({@code spring.lifecycle.timeout-per-shutdown-phase}) or only
 * paused and parked tasks, and those behind them, are left: once for each executor that still has queued tasks, before
 * any bean is destroyed. If other beans submit tasks while they are destroyed, it may also be called when the executor
 * is destroyed. Finally, it is called, at any time, with a task of a committed transaction that the executor did not
 * accept. All beans of this type are called, in their order; an exception of one of them is logged.
 *
 * <p>Running tasks are not handed over: they are interrupted, and it is unknown how far they got.
 */
@FunctionalInterface
public interface UnfinishedTasksHandler {

    /**
     * Takes over tasks that an executor did not start, or did not accept.
     *
     * @param executorName the name of the executor: that of its bean, or {@code ordered-executor} for the default
     *     executor; for a task of {@code OrderedTransactions.afterCommit}, the name that its builder was given
     * @param tasks at least one, in their order for each key: each as it was submitted; a call of an annotated method
     *     as an {@link io.orderedexecutor.spring.annotation.OrderedAsyncCall OrderedAsyncCall}; an item of a batcher as
     *     a {@link io.orderedexecutor.Batcher.Item Batcher.Item}; a {@code Callable} or a supplier as its future, which
     *     is cancelled
     */
    void handle(String executorName, List<Runnable> tasks);
}
