package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.task.RejectionCounts;
import io.orderedexecutor.engine.task.TaskEnd;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the tasks of an executor by their ends, and the submissions that it has rejected; and tells its listeners of
 * each task, from its start to its end.
 *
 * <p>Thread-safe.
 */
public final class TaskReporter {

    /** For strands whose tasks are neither counted nor listened to. */
    static final TaskReporter NONE = new TaskReporter(null, Platform.JDK, false);

    private final @Nullable TaskEvents events;
    private final Platform platform;

    private final boolean counts;
    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final RejectionCounts rejections = new RejectionCounts();
    private final LongAdder replaced = new LongAdder();
    private final LongAdder interrupted = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final LongAdder batchedItems = new LongAdder();

    /**
     * Makes a reporter that counts.
     *
     * @param events null if there is no listener, and then nobody has to know the time
     */
    public TaskReporter(@Nullable TaskEvents events, Platform platform) {
        this(events, platform, true);
    }

    private TaskReporter(@Nullable TaskEvents events, Platform platform, boolean counts) {
        this.events = events;
        this.platform = platform;
        this.counts = counts;
    }

    /** The submissions that have not become tasks. */
    public RejectionCounts rejections() {
        return rejections;
    }

    public @Nullable TaskEvents events() {
        return events;
    }

    // figures

    /**
     * Counts the end of a task that has run, and completes its future if it has failed.
     *
     * @param failure what it has thrown; null if it has returned, or has completed its future itself
     */
    public TaskEnd countEnd(Runnable task, @Nullable Throwable failure) {
        TaskEnd end = failure == null ? TaskEnd.COMPLETED : TaskEnd.FAILED;
        if (task instanceof WorkFuture<?> future) {
            if (failure != null) {
                future.fail(failure);
            }
            end = future.end();
            TakenItems items = future.items();
            if (items != null) {
                countEnds(items, future);
                return end;
            }
        }
        count(end);
        return end;
    }

    /** A batch is no task: its items are. */
    private void countEnds(TakenItems items, WorkFuture<?> batch) {
        items.endAs(batch);
        for (int i = 0; i < items.size(); i++) {
            WorkFuture<?> item = items.future(i);
            if (item != null) {
                count(item.end());
            }
        }
        batch.forgetItems();
    }

    private void count(TaskEnd end) {
        if (counts) {
            counter(end).increment();
        }
    }

    /** How many tasks have had such an end. */
    public long counted(TaskEnd end) {
        return counter(end).sum();
    }

    private LongAdder counter(TaskEnd end) {
        return switch (end) {
            case COMPLETED -> completed;
            case FAILED -> failed;
            case CANCELLED -> cancelled;
        };
    }

    /** What submissions have done because their key was busy. */
    public WhenBusyStats whenBusy() {
        return new WhenBusyStats(replaced.sum(), interrupted.sum(), skipped.sum(), batches.sum(), batchedItems.sum());
    }

    // the listeners

    /**
     * Tells of a start. A task that directly follows another one starts when that has ended: the clock is not read
     * again.
     *
     * @param queuedAt when the task was submitted
     * @param known where the start is noted; null for a new one
     * @param endedAt when the task before has ended; 0 if there is none, or something has come in between
     * @return what {@link #tellEnd} needs; null if there is no listener
     */
    public @Nullable TaskRun tellStart(Object key, Object work, long queuedAt, @Nullable TaskRun known, long endedAt) {
        if (events == null) {
            return null;
        }
        TaskRun run = known == null ? new TaskRun() : known;
        long startedAt = endedAt == 0 ? platform.nanoTime() : endedAt;
        if (work instanceof TakenItems items) {
            tellStarts(events, key, items, startedAt);
            run.start(work, startedAt);
            return run;
        }
        // it may have been submitted while listeners heard of the end of the one before
        long nanosQueued = Math.max(0, startedAt - queuedAt);
        events.started(key, work, nanosQueued);
        run.start(work, queuedAt + nanosQueued);
        return run;
    }

    private static void tellStarts(TaskEvents events, Object key, TakenItems items, long startedAt) {
        for (int i = 0; i < items.size(); i++) {
            events.started(key, items.work(i), Math.max(0, startedAt - items.queuedAt(i)));
        }
    }

    /** Tells of the end of a task that has run. */
    public void tellEnd(Object key, TaskRun run, Runnable task, TaskEnd end, @Nullable Throwable failure) {
        Object work = run.task();
        if (events == null || work == null) {
            return;
        }
        long now = platform.nanoTime();
        long nanosRun = now - run.startedAt();
        run.end(now);
        if (work instanceof TakenItems items) {
            for (int i = 0; i < items.size(); i++) {
                WorkFuture<?> item = items.future(i);
                if (item != null) {
                    tellEnd(events, key, items.work(i), nanosRun, item, item.end(), null);
                }
            }
        } else {
            tellEnd(events, key, work, nanosRun, task, end, failure);
        }
    }

    private static void tellEnd(
            TaskEvents events,
            Object key,
            Object work,
            long nanosRun,
            Runnable task,
            TaskEnd end,
            @Nullable Throwable failure) {
        switch (end) {
            case COMPLETED -> events.finished(key, work, nanosRun);
            case CANCELLED -> events.cancelled(key, work);
            case FAILED -> {
                Throwable cause = task instanceof WorkFuture<?> future ? future.failure() : failure;
                events.failed(key, work, nanosRun, Objects.requireNonNull(cause));
            }
        }
    }

    /** How long a task has been running. */
    public Duration age(TaskRun run) {
        return Duration.ofNanos(platform.nanoTime() - run.startedAt());
    }

    // tasks that do not run

    /** Ends a task that was done before it started. The thread that has taken its work tells of its end. */
    public void skip(Object key, WorkFuture<?> done, @Nullable Object work) {
        done.noteReturn();
        count(done.end());
        if (work != null) {
            tellCancelled(key, work);
        }
    }

    /** Counts the end of a task that was taken out, and whose future is done. */
    public void countTakenOut(Runnable task) {
        count(task instanceof WorkFuture<?> future ? future.end() : TaskEnd.CANCELLED);
    }

    /**
     * Cancels a task that was taken out.
     *
     * @return what was submitted; null if another thread has taken it, and tells of the end
     */
    @Nullable
    Object cancel(Runnable task) {
        Object work = task;
        if (task instanceof WorkFuture<?> future) {
            work = future.take();
            future.cancel(false);
        }
        countTakenOut(task);
        return work;
    }

    /**
     * Tells that a task has failed and will be run again.
     *
     * @param pause null if the task is parked
     */
    public void tellPutBack(Object key, Object work, int failures, @Nullable Duration pause, Throwable failure) {
        if (events == null) {
            return;
        }
        if (work instanceof TakenItems items) {
            for (int i = 0; i < items.size(); i++) {
                WorkFuture<?> item = items.future(i);
                // an item that has ended since the batch was put back does not run again
                if (item != null && !item.isDone()) {
                    tellPutBack(key, items.work(i), failures, pause, failure);
                }
            }
        } else if (pause == null) {
            events.parked(key, work, failure);
        } else {
            events.retried(key, work, failures, pause, failure);
        }
    }

    /** Ends those items that were done when their batch was claimed. */
    void endDone(Object key, TakenItems items) {
        for (int i = items.firstDone(); i < items.capacity(); i++) {
            endDone(key, items, i);
        }
        items.forgetDone();
    }

    /** Ends those items that are done although their batch will run again, which is without them. */
    void leaveDone(Object key, TakenItems items) {
        for (int i = 0; i < items.size(); i++) {
            WorkFuture<?> item = items.future(i);
            if (item != null && item.isDone()) {
                endDone(key, items, i);
                items.leaveOut(i);
            }
        }
    }

    private void endDone(Object key, TakenItems items, int index) {
        countTakenOut(Objects.requireNonNull(items.future(index)));
        tellCancelled(key, items.work(index));
    }

    /** Counts and tells that items are about to run together, for the first time. */
    void tellBatch(Object key, int items) {
        batches.increment();
        batchedItems.add(items);
        if (events != null) {
            events.batched(key, items);
        }
    }

    public void tellCancelled(Object key, Object work) {
        if (events != null) {
            events.cancelled(key, work);
        }
    }

    /**
     * Counts and tells that a task was replaced by a later one.
     *
     * @param work null if another thread has taken it, and tells of the end
     */
    void tellReplaced(Object key, @Nullable Object work) {
        replaced.increment();
        if (events != null && work != null) {
            events.replaced(key, work);
        }
    }

    /**
     * Counts and tells that a running task was cancelled for a later one.
     *
     * @param work null if it is not known, as there is no listener
     */
    void tellInterrupted(Object key, @Nullable Object work) {
        interrupted.increment();
        if (events != null && work != null) {
            events.interrupted(key, work);
        }
    }

    /** Counts and tells that a submission was not accepted. */
    public void tellSkipped(Object key, Object work) {
        skipped.increment();
        if (events != null) {
            events.skipped(key, work);
        }
    }

    /**
     * What the application has submitted, for a listener; to be asked before the task is placed, since one that has
     * ended has no work.
     */
    public static Object submitted(Runnable task) {
        Object work = task instanceof WorkFuture<?> future ? future.work() : null;
        return work == null ? task : work;
    }

    /** The application's own objects in a message: what they throw must not hide it. */
    public static String toString(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable unprintable) {
            return object.getClass().getName();
        }
    }

    void tellDropped(Object key, Object work) {
        if (events != null) {
            events.dropped(key, work);
        }
    }
}
