package io.orderedexecutor;

import io.orderedexecutor.engine.grouped.GroupedEngine;

/** A {@link GroupedExecutor} seen as an {@link java.util.concurrent.ExecutorService}; see there. */
final class GroupedExecutorService extends ExecutorServiceView {
    private final GroupedEngine engine;

    GroupedExecutorService(GroupedExecutor grouped, GroupedEngine engine) {
        super(grouped, engine.platform());
        this.engine = engine;
    }

    @Override
    void place(Object submitted, Runnable task) {
        if (submitted instanceof OrderedTask ordered) {
            engine.placeComparable(ordered, task);
        } else {
            engine.placeAlone(task);
        }
    }
}
