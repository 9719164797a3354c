package io.orderedexecutor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells a {@link TaskListener}, and contains what it throws. Each call has a {@code try} of its own: one for all would make an object for
 * each call, and the calls of all events one that no compiler can look through.
 */
final class TaskEvents {
    private final TaskListener listener;

    TaskEvents(TaskListener listener) {
        this.listener = listener;
    }

    void queued(Object key, Object task) {
        try {
            listener.queued(nameable(key), task);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void started(Object key, Object task, long nanosQueued) {
        try {
            listener.started(nameable(key), task, nanosQueued);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void finished(Object key, Object task, long nanosRun) {
        try {
            listener.finished(nameable(key), task, nanosRun);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void failed(Object key, Object task, long nanosRun, Throwable failure) {
        try {
            listener.failed(nameable(key), task, nanosRun, failure);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void written(Object key, Object task, long nanosWaited, long nanosWritten) {
        try {
            listener.written(nameable(key), task, nanosWaited, nanosWritten);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void rejected(Object key, Object task, Throwable reason) {
        try {
            listener.rejected(nameable(key), task, reason);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void dropped(Object key, Object task) {
        try {
            listener.dropped(nameable(key), task);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void cancelled(Object key, Object task) {
        try {
            listener.cancelled(nameable(key), task);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void parked(Object key, Object task, Throwable failure) {
        try {
            listener.parked(nameable(key), task, failure);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    void retried(Object key, Object task, int failures, Duration pause, Throwable failure) {
        try {
            listener.retried(nameable(key), task, failures, pause, failure);
        } catch (Throwable ofListener) {
            UncaughtFailures.report(ofListener);
        }
    }

    private static @Nullable Object nameable(Object key) {
        return key == TaskQueue.NO_KEY ? null : key;
    }
}
