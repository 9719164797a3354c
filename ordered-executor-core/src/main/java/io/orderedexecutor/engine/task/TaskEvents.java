package io.orderedexecutor.engine.task;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls each {@link TaskListener} in turn, and reports what a listener throws, so that the next one is called. The
 * methods for the events of ordinary tasks repeat the loop of {@link #tell}, which allocates, and which the JIT
 * compiler cannot inline.
 */
public final class TaskEvents {

    /** Stands for the key of a task without one. Equal to no key, and never looked up. */
    public static final Object NO_KEY = new Object() {
        @Override
        public String toString() {
            return "no key";
        }
    };

    private final TaskListener[] listeners;

    public TaskEvents(List<TaskListener> listeners) {
        this.listeners = listeners.toArray(new TaskListener[0]);
    }

    public void queued(@Nullable Object key, Object task) {
        for (TaskListener listener : listeners) {
            try {
                listener.queued(nameable(key), task);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void started(@Nullable Object key, Object task, long nanosQueued) {
        for (TaskListener listener : listeners) {
            try {
                listener.started(nameable(key), task, nanosQueued);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void finished(@Nullable Object key, Object task, long nanosRun) {
        for (TaskListener listener : listeners) {
            try {
                listener.finished(nameable(key), task, nanosRun);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {
        for (TaskListener listener : listeners) {
            try {
                listener.written(nameable(key), task, nanosWaited, nanosWritten);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        tell(listener -> listener.failed(nameable(key), task, nanosRun, failure));
    }

    public void rejected(@Nullable Object key, Object task, Throwable reason) {
        tell(listener -> listener.rejected(nameable(key), task, reason));
    }

    public void dropped(@Nullable Object key, Object task) {
        tell(listener -> listener.dropped(nameable(key), task));
    }

    public void cancelled(@Nullable Object key, Object task) {
        tell(listener -> listener.cancelled(nameable(key), task));
    }

    public void replaced(@Nullable Object key, Object task) {
        tell(listener -> listener.replaced(nameable(key), task));
    }

    public void interrupted(@Nullable Object key, Object task) {
        tell(listener -> listener.interrupted(nameable(key), task));
    }

    public void refused(@Nullable Object key, Object task) {
        tell(listener -> listener.refused(nameable(key), task));
    }

    public void batched(@Nullable Object key, int items) {
        tell(listener -> listener.batched(nameable(key), items));
    }

    public void parked(@Nullable Object key, Object task, Throwable failure) {
        tell(listener -> listener.parked(nameable(key), task, failure));
    }

    public void retried(@Nullable Object key, Object task, int failures, Duration delay, Throwable failure) {
        tell(listener -> listener.retried(nameable(key), task, failures, delay, failure));
    }

    private void tell(Consumer<TaskListener> event) {
        for (TaskListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    private static @Nullable Object nameable(@Nullable Object key) {
        return key == NO_KEY ? null : key;
    }
}
