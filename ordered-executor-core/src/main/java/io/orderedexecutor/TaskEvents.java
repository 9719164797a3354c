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
        contain(() -> listener.queued(nameable(key), task));
    }

    void started(Object key, Object task, long nanosQueued) {
        contain(() -> listener.started(nameable(key), task, nanosQueued));
    }

    void finished(Object key, Object task, long nanosRun) {
        contain(() -> listener.finished(nameable(key), task, nanosRun));
    }

    void failed(Object key, Object task, long nanosRun, Throwable failure) {
        contain(() -> listener.failed(nameable(key), task, nanosRun, failure));
    }

    void rejected(Object key, Object task, Throwable reason) {
        contain(() -> listener.rejected(nameable(key), task, reason));
    }

    void dropped(Object key, Object task) {
        contain(() -> listener.dropped(nameable(key), task));
    }

    void cancelled(Object key, Object task) {
        contain(() -> listener.cancelled(nameable(key), task));
    }

    void parked(Object key, Object task, Throwable failure) {
        contain(() -> listener.parked(nameable(key), task, failure));
    }

    void retried(Object key, Object task, int failures, Duration pause, Throwable failure) {
        contain(() -> listener.retried(nameable(key), task, failures, pause, failure));
    }

    private static @Nullable Object nameable(Object key) {
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
