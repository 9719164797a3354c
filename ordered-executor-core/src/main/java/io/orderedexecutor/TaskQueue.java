package io.orderedexecutor;

import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A served queue of an application's tasks, which all have one key and one {@link Host}: what is told and counted of
 * each task, from its start to its end.
 */
abstract class TaskQueue extends ServedQueue {

    /** Stands for the key of a task that has none: equal to no other, and never looked up. */
    static final Object NO_KEY = new Object() {
        @Override
        public String toString() {
            return "no key";
        }
    };

    /**
     * What is being run, and since when, if there is a listener. Written by the holder; observers may see a former one.
     */
    private volatile @Nullable Run run;

    private record Run(Object task, long startedAt) {}

    private final Host host;

    /** Opens a queue with its first task; the one who opens it must hand it over. */
    TaskQueue(Host host, @Nullable Runnable first) {
        super(first);
        this.host = host;
    }

    /** What the tasks have in common. */
    abstract Object key();

    /** Names this queue, for people. */
    public abstract String describe();

    // what the host says, and what it is told

    final Host host() {
        return host;
    }

    @Override
    final Workers workers() {
        return host.workers();
    }

    final @Nullable TaskEvents events() {
        return host.events();
    }

    FailurePolicy failurePolicy() {
        return host.failurePolicy();
    }

    @Override
    final boolean isStopping() {
        return host.isStopping();
    }

    @Override
    void onTaken() {
        host.onTaken();
    }

    /** Called when a task that was taken is put back. */
    void onPutBack() {
        host.onPutBack();
    }

    @Override
    final void onRejected() {
        // the submitter gives it back, as it does whatever the reason
        host.onPutBack();
        host.onRejected();
    }

    final boolean isActive() {
        return holdingThread() != null || hold() != null;
    }

    /** What runs here at this moment; null if nothing does. */
    final @Nullable RunningTask runningTask() {
        if (!isActive()) {
            return null;
        }
        Run current = run;
        Object task = current == null ? null : current.task;
        Duration age = current == null ? null : Duration.ofNanos(System.nanoTime() - current.startedAt);
        return new RunningTask(key() == TaskQueue.NO_KEY ? null : key(), holdingThread(), task, age);
    }

    /** What was submitted and runs here, if there is a listener. Asked by the holder. */
    final @Nullable Object running() {
        Run current = run;
        return current == null ? null : current.task;
    }

    /** The threads that have to get on with what they do before a task that waits here can start. */
    List<Thread> threadsAhead() {
        Thread thread = holdingThread();
        return thread == null ? List.of() : List.of(thread);
    }

    /**
     * Whether what waits here has to wait until what holds another queue has ended. That one is held, and by the
     * caller.
     */
    boolean isBehind(TaskQueue held) {
        return this == held;
    }

    // what is told and counted of a task

    /** Passes a task that was done before it started. Whoever has taken its work tells of its end. */
    final void skip(TaskFuture<?> done, @Nullable Object work) {
        host.onTaskEnd(done.end());
        if (work != null) {
            tellCancelled(work);
        }
    }

    final void start(Link link, Object work) {
        TaskEvents events = events();
        if (events != null) {
            long now = System.nanoTime();
            run = new Run(work, now);
            events.started(key(), work, now - link.queuedAt());
            Thread.interrupted();
        }
        // a shutdown that has come before interrupts nobody any more: neither while the listener is told, nor a task
        // that was accepted late
        if (isStopping()) {
            Thread.currentThread().interrupt();
        }
    }

    final void endTask(Runnable task, @Nullable Throwable failure) {
        Run ended = run;
        Throwable cause = failure;
        TaskEnd end;
        if (task instanceof TaskFuture<?> future) {
            if (failure != null) {
                future.fail(failure);
            }
            end = future.end();
            cause = ended != null && end == TaskEnd.FAILED ? future.failure() : null;
        } else {
            end = failure == null ? TaskEnd.COMPLETED : TaskEnd.FAILED;
        }
        host.onTaskEnd(end);
        if (ended != null) {
            run = null;
            tellEnd(ended, end, cause);
        }
        if (failure != null && !(task instanceof TaskFuture<?>)) {
            UncaughtFailures.report(failure);
        }
    }

    private void tellEnd(Run ended, TaskEnd end, @Nullable Throwable failure) {
        TaskEvents events = Objects.requireNonNull(events());
        long nanosRun = System.nanoTime() - ended.startedAt;
        if (end == TaskEnd.CANCELLED) {
            events.cancelled(key(), ended.task);
        } else if (failure != null) {
            events.failed(key(), ended.task, nanosRun, failure);
        } else {
            events.finished(key(), ended.task, nanosRun);
        }
    }

    /** Ends a task that was taken out by a shutdown. */
    final void cancel(Runnable task) {
        Object work = takeWork(task);
        end(task);
        if (work != null) {
            tellCancelled(work);
        }
    }

    /** Ends a task that was taken out to make room. */
    final void drop(Runnable task) {
        Object work = takeWork(task);
        end(task);
        TaskEvents events = events();
        if (events != null && work != null) {
            events.dropped(key(), work);
        }
    }

    final void tellCancelled(Object work) {
        TaskEvents events = events();
        if (events != null) {
            events.cancelled(key(), work);
        }
    }

    /** What has to be told of; null if somebody else has taken it, and tells. */
    static @Nullable Object takeWork(Runnable task) {
        return task instanceof TaskFuture<?> future ? future.take() : task;
    }

    private void end(Runnable taken) {
        if (taken instanceof TaskFuture<?> future) {
            future.cancel(false);
            host.onTaskEnd(future.end());
        } else {
            host.onTaskEnd(TaskEnd.CANCELLED);
        }
    }

    /** The application's own objects in a message: what they throw must not hide it. */
    static String toString(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable unprintable) {
            return object.getClass().getName();
        }
    }
}
