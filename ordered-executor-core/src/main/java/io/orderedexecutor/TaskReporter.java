package io.orderedexecutor;

import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells the listener, and counts, what becomes of each task, from its start to its end. */
final class TaskReporter {
    private TaskReporter() {}

    // the start

    static void start(Strand strand, Link link, Object work) {
        TaskEvents events = strand.host().events();
        if (events != null) {
            long now = strand.host().platform().nanoTime();
            strand.run = new Strand.Run(work, now);
            events.started(strand.key(), work, now - link.queuedAt());
            Thread.interrupted();
        }
        // a shutdown that has come before interrupts nobody any more: neither while the listener is told, nor a task
        // that was accepted late
        if (strand.host().isStopping()) {
            Thread.currentThread().interrupt();
        }
    }

    /** What was submitted and runs in a strand, if there is a listener. Asked by the holder. */
    static @Nullable Object running(Strand strand) {
        Strand.Run current = strand.run;
        return current == null ? null : current.task();
    }

    static RunningTask describeRunning(Strand strand) {
        Strand.Run current = strand.run;
        Object task = current == null ? null : current.task();
        Duration age = current == null
                ? null
                : Duration.ofNanos(strand.host().platform().nanoTime() - current.startedAt());
        return new RunningTask(strand.key() == Strand.NO_KEY ? null : strand.key(), strand.holdingThread(), task, age);
    }

    // the end

    /** Passes a task that was done before it started. Whoever has taken its work tells of its end. */
    static void skip(Strand strand, TaskFuture<?> done, @Nullable Object work) {
        strand.host().onTaskEnd(done.end());
        if (work != null) {
            tellCancelled(strand, work);
        }
    }

    /** Ends a task that has run. */
    static void end(Strand strand, Runnable task, @Nullable Throwable failure) {
        Strand.Run ended = strand.run;
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
        strand.host().onTaskEnd(end);
        if (ended != null) {
            strand.run = null;
            tellEnd(strand, ended, end, cause);
        }
        if (failure != null && !(task instanceof TaskFuture<?>)) {
            UncaughtFailures.report(failure);
        }
    }

    private static void tellEnd(Strand strand, Strand.Run ended, TaskEnd end, @Nullable Throwable failure) {
        TaskEvents events = Objects.requireNonNull(strand.host().events());
        long nanosRun = strand.host().platform().nanoTime() - ended.startedAt();
        if (end == TaskEnd.CANCELLED) {
            events.cancelled(strand.key(), ended.task());
        } else if (failure != null) {
            events.failed(strand.key(), ended.task(), nanosRun, failure);
        } else {
            events.finished(strand.key(), ended.task(), nanosRun);
        }
    }

    /** Tells that a task has failed and will be run again: after a pause, or when somebody says so if that is null. */
    static void tellPutBack(Strand strand, Object work, int failures, @Nullable Duration pause, Throwable failure) {
        TaskEvents events = strand.host().events();
        if (events == null) {
            return;
        }
        if (pause == null) {
            events.parked(strand.key(), work, failure);
        } else {
            events.retried(strand.key(), work, failures, pause, failure);
        }
    }

    /** Ends a task that was taken out by a shutdown. */
    static void cancel(Strand strand, Runnable task) {
        Object work = takeWork(task);
        end(strand, task);
        if (work != null) {
            tellCancelled(strand, work);
        }
    }

    /** Ends a task that was taken out to make room. */
    static void drop(Strand strand, Runnable task) {
        Object work = takeWork(task);
        end(strand, task);
        TaskEvents events = strand.host().events();
        if (events != null && work != null) {
            events.dropped(strand.key(), work);
        }
    }

    static void tellCancelled(Strand strand, Object work) {
        TaskEvents events = strand.host().events();
        if (events != null) {
            events.cancelled(strand.key(), work);
        }
    }

    /** What has to be told of; null if somebody else has taken it, and tells. */
    static @Nullable Object takeWork(Runnable task) {
        return task instanceof TaskFuture<?> future ? future.take() : task;
    }

    private static void end(Strand strand, Runnable taken) {
        if (taken instanceof TaskFuture<?> future) {
            future.cancel(false);
            strand.host().onTaskEnd(future.end());
        } else {
            strand.host().onTaskEnd(TaskEnd.CANCELLED);
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
