package io.orderedexecutor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Tells a {@link TaskListener}, and contains what it throws. */
final class TaskEvents {
    private final TaskListener listener;

    TaskEvents(TaskListener listener) {
        this.listener = listener;
    }

    void queued(Object key, Object task) {
        contain(() -> listener.queued(stripe(key), task));
    }

    void started(Object key, Object task, long nanosQueued) {
        contain(() -> listener.started(stripe(key), task, nanosQueued));
    }

    void finished(Object key, Object task, long nanosRun) {
        contain(() -> listener.finished(stripe(key), task, nanosRun));
    }

    void failed(Object key, Object task, long nanosRun, Throwable failure) {
        contain(() -> listener.failed(stripe(key), task, nanosRun, failure));
    }

    void rejected(Object key, Object task, Throwable reason) {
        contain(() -> listener.rejected(stripe(key), task, reason));
    }

    void dropped(Object key, Object task) {
        contain(() -> listener.dropped(stripe(key), task));
    }

    void cancelled(Object key, Object task) {
        contain(() -> listener.cancelled(stripe(key), task));
    }

    void parked(Object key, Object task, Throwable failure) {
        contain(() -> listener.parked(stripe(key), task, failure));
    }

    void retried(Object key, Object task, int failures, Duration pause, Throwable failure) {
        contain(() -> listener.retried(stripe(key), task, failures, pause, failure));
    }

    private static @Nullable Object stripe(Object key) {
        return key == Chain.NO_KEY ? null : key;
    }

    private static void contain(Runnable call) {
        try {
            call.run();
        } catch (Throwable failure) {
            UncaughtFailures.report(failure);
        }
    }
}
