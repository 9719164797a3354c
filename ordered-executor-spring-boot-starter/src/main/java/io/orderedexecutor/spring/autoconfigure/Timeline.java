package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of the tasks of one executor to the JDK's Flight Recorder, while a recording asks for them. Without
 * a recording, an event costs only the check whether it is recorded: no text is created, and nothing is kept.
 *
 * <p>Needs the JDK's module jdk.jfr. Thread-safe.
 */
final class Timeline implements TaskListener {
    static final String TASK = "io.orderedexecutor.Task";
    static final String REJECTED = "io.orderedexecutor.Rejected";
    static final String PARKED = "io.orderedexecutor.Parked";
    static final String WRITTEN = "io.orderedexecutor.Written";

    private final String executor;
    private final boolean keys;

    /** The running tasks that were started during a recording. The thread that ends a task removes it. */
    private final Map<Running, TaskEvent> running = new ConcurrentHashMap<>();

    /** A running task, compared by identity, since {@code equals} may be code of the application. */
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
     * Creates a listener, and loads the classes of the events: loading them while a recording runs would pin a virtual
     * thread.
     *
     * @param executor the name of the executor
     * @param keys whether keys and tasks are written as text
     */
    @SuppressWarnings("ReturnValueIgnored")
    Timeline(String executor, boolean keys) {
        this.executor = executor;
        this.keys = keys;
        new TaskEvent().isEnabled();
        new RejectedEvent().isEnabled();
        new ParkedEvent().isEnabled();
        new WrittenEvent().isEnabled();
    }

    // from the start to the end

    @Override
    public void started(@Nullable Object key, Object task, long nanosQueued) {
        TaskEvent event = new TaskEvent();
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
    public void retried(@Nullable Object key, Object task, int failures, Duration delay, Throwable failure) {
        end(key, task, "retried");
    }

    private void end(@Nullable Object key, Object task, String outcome) {
        TaskEvent event = running.isEmpty() ? null : running.remove(new Running(key, task));
        if (event == null) {
            return;
        }
        event.end();
        if (event.shouldCommit()) {
            event.task = task.getClass();
            event.text = textOf(task);
            event.outcome = outcome;
            commit(event, key);
        }
    }

    // what else happens

    @Override
    public void parked(@Nullable Object key, Object task, Throwable failure) {
        end(key, task, "parked");
        ParkedEvent event = new ParkedEvent();
        if (event.shouldCommit()) {
            event.failure = failure.getClass();
            commit(event, key);
        }
    }

    @Override
    public void rejected(@Nullable Object key, Object task, Throwable reason) {
        RejectedEvent event = new RejectedEvent();
        if (event.shouldCommit()) {
            event.reason = reason.getClass();
            commit(event, key);
        }
    }

    @Override
    public void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {
        WrittenEvent event = new WrittenEvent();
        if (event.shouldCommit()) {
            event.waited = nanosWaited;
            event.written = nanosWritten;
            commit(event, key);
        }
    }

    private void commit(ExecutorEvent event, @Nullable Object key) {
        event.executor = executor;
        event.key = textOf(key);
        event.track = Objects.hashCode(key);
        event.commit();
    }

    private @Nullable String textOf(@Nullable Object keyOrTask) {
        return keys && keyOrTask != null ? String.valueOf(keyOrTask) : null;
    }

    // the events; the Flight Recorder reads their fields

    @Category("Ordered Executors")
    @Enabled(false)
    @StackTrace(false)
    abstract static class ExecutorEvent extends Event {
        @Label("Executor")
        String executor = "";

        @Label("Key")
        @Description("The key, keys or output; nothing unless keys may be shown")
        @Nullable
        String key;

        @Label("Track")
        @Description("The same number for equal keys, and most often another one for others")
        int track;
    }

    @Name(TASK)
    @Label("Task")
    @Description("A task from its start to its end, or to the end of an attempt")
    static final class TaskEvent extends ExecutorEvent {
        @Label("Task")
        @Description("The class of what was submitted")
        @Nullable
        Class<?> task;

        @Label("Text")
        @Description("What the task says of itself; nothing unless keys may be shown")
        @Nullable
        String text;

        @Label("Queued")
        @Description("Time from the submission to the start")
        @Timespan(Timespan.NANOSECONDS)
        long queued;

        @Label("Outcome")
        @Description("completed, failed, cancelled, retried or parked")
        String outcome = "";
    }

    @Name(REJECTED)
    @Label("Rejected")
    @Description("A submission that was rejected; the stack trace shows whose")
    @StackTrace
    static final class RejectedEvent extends ExecutorEvent {
        @Label("Reason")
        @Description("The class of what the submitter got")
        @Nullable
        Class<?> reason;
    }

    @Name(PARKED)
    @Label("Parked")
    @Description("A task has failed and waits to be resumed or skipped")
    static final class ParkedEvent extends ExecutorEvent {
        @Label("Failure")
        @Description("The class of what the task has thrown")
        @Nullable
        Class<?> failure;
    }

    @Name(WRITTEN)
    @Label("Written")
    @Description("A result was written to an ordered output")
    static final class WrittenEvent extends ExecutorEvent {
        @Label("Waited")
        @Description("Time from the end of the work to the beginning of the output")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

        @Label("Time of the output")
        @Timespan(Timespan.NANOSECONDS)
        long written;
    }
}
