package io.orderedexecutor.engine.timeline;

import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes what happens to the tasks of one executor to the JDK's Flight Recorder, while a recording asks for it. What is
 * not recorded costs the question whether it is: no text is made, and nothing is kept.
 *
 * <p>Needs the JDK's module jdk.jfr. Thread-safe.
 */
public final class Timeline implements TaskListener {
    private final String executor;
    private final boolean keys;

    /** Those that were started while tasks were recorded. Each is removed by the thread that has ended the task. */
    private final Map<Running, TaskRunEvent> running = new ConcurrentHashMap<>();

    /** A task that runs, by identity: its own {@code equals} is none of our business. */
    private record Running(@Nullable Object key, Object task) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Running that && that.key == key && that.task == task;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(key) + System.identityHashCode(task);
        }
    }

    /**
     * Makes a listener. The events are loaded now: to load a class while a recording runs would pin a virtual thread.
     *
     * @param executor the name of the executor
     * @param keys whether keys and tasks are written as text
     */
    @SuppressWarnings("ReturnValueIgnored")
    public Timeline(String executor, boolean keys) {
        this.executor = executor;
        this.keys = keys;
        new TaskRunEvent().isEnabled();
        new RejectedEvent().isEnabled();
        new ParkedEvent().isEnabled();
        new WrittenEvent().isEnabled();
    }

    // from the start to the end

    @Override
    public void started(@Nullable Object key, Object task, long nanosQueued) {
        TaskRunEvent event = new TaskRunEvent();
        if (event.isEnabled()) {
            event.queued = nanosQueued;
            event.begin();
            running.put(new Running(key, task), event);
        }
    }

    @Override
    public void finished(@Nullable Object key, Object task, long nanosRun) {
        end(key, task, "completed");
    }

    @Override
    public void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {
        end(key, task, "failed");
    }

    @Override
    public void cancelled(@Nullable Object key, Object task) {
        end(key, task, "cancelled");
    }

    @Override
    public void retried(@Nullable Object key, Object task, int failures, Duration pause, Throwable failure) {
        end(key, task, "retried");
    }

    private void end(@Nullable Object key, Object task, String outcome) {
        if (running.isEmpty()) {
            return;
        }
        TaskRunEvent event = running.remove(new Running(key, task));
        if (event == null) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.executor = executor;
            event.key = textOf(key);
            event.track = trackOf(key);
            event.task = task.getClass();
            event.text = textOf(task);
            event.outcome = outcome;
            event.commit();
        }
    }

    // what else happens

    @Override
    public void parked(@Nullable Object key, Object task, Throwable failure) {
        end(key, task, "parked");
        ParkedEvent event = new ParkedEvent();
        if (event.shouldCommit()) {
            event.executor = executor;
            event.key = textOf(key);
            event.track = trackOf(key);
            event.failure = failure.getClass();
            event.commit();
        }
    }

    @Override
    public void rejected(@Nullable Object key, Object task, Throwable reason) {
        RejectedEvent event = new RejectedEvent();
        if (event.shouldCommit()) {
            event.executor = executor;
            event.key = textOf(key);
            event.track = trackOf(key);
            event.reason = reason.getClass();
            event.commit();
        }
    }

    @Override
    public void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {
        WrittenEvent event = new WrittenEvent();
        if (event.shouldCommit()) {
            event.executor = executor;
            event.key = textOf(key);
            event.track = trackOf(key);
            event.waited = nanosWaited;
            event.written = nanosWritten;
            event.commit();
        }
    }

    private @Nullable String textOf(@Nullable Object keyOrTask) {
        return keys && keyOrTask != null ? String.valueOf(keyOrTask) : null;
    }

    private static int trackOf(@Nullable Object key) {
        return Objects.hashCode(key);
    }
}
