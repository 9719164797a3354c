package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.TaskPlace;
import org.jspecify.annotations.Nullable;

/** A place of one exclusive key. Until its task has started, a later task of an equal slot may replace it. */
public final class Slotted extends Place.Timed implements Served {
    private final Object slot;

    /** When the current task was submitted. Written by the submitter that has replaced the one before. */
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
     * Replaces the task. Called under the bin when this is the last place of its order.
     *
     * @return the replaced task; null if it has started or is over, and so was not replaced
     */
    @Nullable
    public TaskFuture<?> replace(TaskFuture<?> task, long now) {
        TaskPlace own = task.place();
        Object seen = state();
        // repeat: another thread may pause the place, or end its pause, between the look and the change
        while (States.unpaused(seen) instanceof TaskFuture<?> replaced) {
            // before other threads can find the task here
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
