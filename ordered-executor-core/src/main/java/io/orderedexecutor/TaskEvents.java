package io.orderedexecutor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells a {@link TaskListener}, and contains what it throws. Each call has a {@code try} of its own: one for all would
 * make an object for each call, and the calls of all events one that no compiler can look through.
 */
final class TaskEvents {
    private final TaskListener listener;

    TaskEvents(TaskListener listener) {
        this.listener = listener;
    }

    void queued(@Nullable Object key, Object task) {
        try {
            listener.queued(nameable(key), task);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void started(@Nullable Object key, Object task, long nanosQueued) {
        try {
            listener.started(nameable(key), task, nanosQueued);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void finished(@Nullable Object key, Object task, long nanosRun) {
        try {
            listener.finished(nameable(key), task, nanosRun);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        try {
            listener.failed(nameable(key), task, nanosRun, failure);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {
        try {
            listener.written(nameable(key), task, nanosWaited, nanosWritten);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void rejected(@Nullable Object key, Object task, Throwable reason) {
        try {
            listener.rejected(nameable(key), task, reason);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void dropped(@Nullable Object key, Object task) {
        try {
            listener.dropped(nameable(key), task);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void cancelled(@Nullable Object key, Object task) {
        try {
            listener.cancelled(nameable(key), task);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void parked(@Nullable Object key, Object task, Throwable failure) {
        try {
            listener.parked(nameable(key), task, failure);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void retried(@Nullable Object key, Object task, int failures, Duration pause, Throwable failure) {
        try {
            listener.retried(nameable(key), task, failures, pause, failure);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    private static @Nullable Object nameable(@Nullable Object key) {
        return key == TaskQueue.NO_KEY ? null : key;
    }
}
