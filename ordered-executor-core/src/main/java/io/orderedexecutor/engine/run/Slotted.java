package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.TaskPlace;
import org.jspecify.annotations.Nullable;

/** A place of one exclusive key whose task a later one of an equal slot may replace, until it has started. */
public final class Slotted extends Place.Timed implements Served {
    private final Object slot;

    /** Of the task that is here now. Written by the one who has replaced it. */
    private volatile long queuedAt;

    public Slotted(TaskFuture<?> task, Orders orders, Object target, Object slot, long queuedAt) {
        super(task, orders, target, queuedAt);
        this.slot = slot;
        this.queuedAt = queuedAt;
    }

    public Object slot() {
        return slot;
    }

    /**
     * Replaces the task, for a submitter that has found this the last place of its order.
     *
     * @return the task that was replaced; null if it has started, or is over
     */
    @Nullable
    public TaskFuture<?> replace(TaskFuture<?> task, long now) {
        TaskPlace own = task.place();
        Object seen = state();
        // a thread may set it aside meanwhile, or take it up again
        while (States.unpaused(seen) instanceof TaskFuture<?> replaced) {
            // before it can be found here
            task.setPlace(this);
            if (change(seen, seen instanceof States.Paused ? new States.Paused(task) : task)) {
                queuedAt = now;
                return replaced;
            }
            seen = state();
        }
        task.setPlace(own);
        return null;
    }

    @Override
    public long queuedAt() {
        return queuedAt;
    }
}
