package io.orderedexecutor.spring.autoconfigure;

import java.util.List;

/**
 * Callback for beans that care for tasks which an executor accepted and did not start before its application ended: to
 * write them down, for instance. It is called when the time for the shutdown is over
 * ({@code spring.lifecycle.timeout-per-shutdown-phase}), once for each executor that still had queued tasks, before any
 * bean is destroyed. All beans of this type are called, in their order; what one of them throws is logged.
 *
 * <p>Tasks that were running are not among these: they are interrupted, and it is unknown how far they got.
 */
@FunctionalInterface
public interface UnfinishedTasksHandler {

    /**
     * Takes over the tasks that an executor did not start.
     *
     * @param executorName the bean name of the executor
     * @param tasks at least one, in their order for each key: each as it was submitted; a call of an annotated method
     *     as an {@link io.orderedexecutor.spring.annotation.OrderedAsyncCall OrderedAsyncCall}; an item of a batcher as
     *     a {@link io.orderedexecutor.Batcher.Item Batcher.Item}; a {@code Callable} or a supplier as its future, which
     *     is cancelled
     */
    void handle(String executorName, List<Runnable> tasks);
}
