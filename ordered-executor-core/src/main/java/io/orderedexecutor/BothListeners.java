package io.orderedexecutor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Two listeners as one. What the first one throws is contained here, so that it keeps nothing from the second. */
final class BothListeners implements TaskListener {
    private final TaskEvents first;
    private final TaskListener second;

    private BothListeners(TaskEvents first, TaskListener second) {
        this.first = first;
        this.second = second;
    }

    /** Of two that are to hear the same, the one that does nothing is left out. */
    static TaskListener of(TaskListener first, TaskListener second) {
        if (first == NO_OP) {
            return second;
        }
        return second == NO_OP ? first : new BothListeners(new TaskEvents(first), second);
    }

    @Override
    public void queued(@Nullable Object key, Object task) {
        first.queued(key, task);
        second.queued(key, task);
    }

    @Override
    public void started(@Nullable Object key, Object task, long nanosQueued) {
        first.started(key, task, nanosQueued);
        second.started(key, task, nanosQueued);
    }

    @Override
    public void finished(@Nullable Object key, Object task, long nanosRun) {
        first.finished(key, task, nanosRun);
        second.finished(key, task, nanosRun);
    }

    @Override
    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        first.failed(key, task, nanosRun, failure);
        second.failed(key, task, nanosRun, failure);
    }

    @Override
    public void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {
        first.written(key, task, nanosWaited, nanosWritten);
        second.written(key, task, nanosWaited, nanosWritten);
    }

    @Override
    public void rejected(@Nullable Object key, Object task, Throwable reason) {
        first.rejected(key, task, reason);
        second.rejected(key, task, reason);
    }

    @Override
    public void dropped(@Nullable Object key, Object task) {
        first.dropped(key, task);
        second.dropped(key, task);
    }

    @Override
    public void cancelled(@Nullable Object key, Object task) {
        first.cancelled(key, task);
        second.cancelled(key, task);
    }

    @Override
    public void parked(@Nullable Object key, Object task, Throwable failure) {
        first.parked(key, task, failure);
        second.parked(key, task, failure);
    }

    @Override
    public void retried(@Nullable Object key, Object task, int failures, Duration pause, Throwable failure) {
        first.retried(key, task, failures, pause, failure);
        second.retried(key, task, failures, pause, failure);
    }
}
