package io.orderedexecutor.engine.task;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells each {@link TaskListener} in its turn, and contains what it throws: that is not the concern of the next one.
 * Each event has a {@code try} of its own: one for all would make an object for each call, and the calls of all events
 * one that no compiler can look through.
 */
public final class TaskEvents {

    /** Stands for the key of a task that has none: equal to no other, and never looked up. */
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

    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        for (TaskListener listener : listeners) {
            try {
                listener.failed(nameable(key), task, nanosRun, failure);
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

    public void rejected(@Nullable Object key, Object task, Throwable reason) {
        for (TaskListener listener : listeners) {
            try {
                listener.rejected(nameable(key), task, reason);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void dropped(@Nullable Object key, Object task) {
        for (TaskListener listener : listeners) {
            try {
                listener.dropped(nameable(key), task);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void cancelled(@Nullable Object key, Object task) {
        for (TaskListener listener : listeners) {
            try {
                listener.cancelled(nameable(key), task);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void replaced(@Nullable Object key, Object task) {
        for (TaskListener listener : listeners) {
            try {
                listener.replaced(nameable(key), task);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void interrupted(@Nullable Object key, Object task) {
        for (TaskListener listener : listeners) {
            try {
                listener.interrupted(nameable(key), task);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void skipped(@Nullable Object key, Object task) {
        for (TaskListener listener : listeners) {
            try {
                listener.skipped(nameable(key), task);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void batched(@Nullable Object key, int items) {
        for (TaskListener listener : listeners) {
            try {
                listener.batched(nameable(key), items);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void parked(@Nullable Object key, Object task, Throwable failure) {
        for (TaskListener listener : listeners) {
            try {
                listener.parked(nameable(key), task, failure);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    public void retried(@Nullable Object key, Object task, int failures, Duration pause, Throwable failure) {
        for (TaskListener listener : listeners) {
            try {
                listener.retried(nameable(key), task, failures, pause, failure);
            } catch (Throwable ofListener) {
                UncaughtFailures.report(ofListener);
            }
        }
    }

    private static @Nullable Object nameable(@Nullable Object key) {
        return key == NO_KEY ? null : key;
    }
}
