package io.orderedexecutor.engine.task;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.stats.WhenBusyStats;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the tasks of an executor by their ends, and tells its listeners of them. Thread-safe. */
public final class Reports {
    private final @Nullable TaskEvents events;
    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final RejectionCounts rejections = new RejectionCounts();
    private final LongAdder replaced = new LongAdder();
    private final LongAdder interrupted = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final LongAdder batchedItems = new LongAdder();

    public Reports(List<TaskListener> listeners) {
        this.events = listeners.isEmpty() ? null : new TaskEvents(listeners);
    }

    /** Null if there is no listener: then tasks are not timed. */
    public @Nullable TaskEvents events() {
        return events;
    }

    public RejectionCounts rejections() {
        return rejections;
    }

    /** The time for a task that begins to wait or run; 0 if tasks are not timed. */
    public long now(Platform platform) {
        return events == null ? 0 : platform.nanoTime();
    }

    public void count(TaskEnd end) {
        counter(end).increment();
    }

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

    // submissions to keys that were busy

    public void countReplaced() {
        replaced.increment();
    }

    public void countInterrupted() {
        interrupted.increment();
    }

    public void countSkipped() {
        skipped.increment();
    }

    public void countBatch(int items) {
        batches.increment();
        batchedItems.add(items);
    }

    public WhenBusyStats whenBusy() {
        return new WhenBusyStats(replaced.sum(), interrupted.sum(), skipped.sum(), batches.sum(), batchedItems.sum());
    }

    /** What the application has submitted, for a listener; to be asked before the task can start. */
    public static Object submitted(Runnable task) {
        Object work = task instanceof TaskFuture<?> future ? future.work() : null;
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
}
