package io.orderedexecutor.engine.task;

import io.orderedexecutor.TaskListener;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.WhenBusyStats;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts the outcomes of the submissions of an executor, and has the {@link TaskEvents} that call its listeners.
 * Thread-safe.
 */
public final class Reports {

    /** The outcomes that are counted. */
    public enum Count {
        /** The future of an accepted task was completed with a result; or the task has no future, and returned. */
        COMPLETED,
        /**
         * The future of an accepted task was completed with a failure; or the task has no future, and ended because it
         * threw.
         */
        FAILED,
        /** The future of an accepted task was cancelled; or the task has no future, and was taken back. */
        CANCELLED,

        // rejected submissions, see Rejections

        CAPACITY,
        KEY_CAPACITY,
        SHUTDOWN,
        NO_THREAD,

        // submissions to keys that were busy, see WhenBusyStats

        REPLACED,
        INTERRUPTED,
        REFUSED,
        BATCHES,
        BATCHED_ITEMS
    }

    private final @Nullable TaskEvents events;

    /** One counter for each {@link Count}. The map does not change after the constructor. */
    private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

    public Reports(List<TaskListener> listeners) {
        this.events = listeners.isEmpty() ? null : new TaskEvents(listeners);
        for (Count what : Count.values()) {
            counts.put(what, new LongAdder());
        }
    }

    /** Null if there is no listener; then tasks are not timed. */
    public @Nullable TaskEvents events() {
        return events;
    }

    /** The time for a task that begins to wait or run; 0 if tasks are not timed. */
    public long now(Platform platform) {
        return events == null ? 0 : platform.nanoTime();
    }

    private LongAdder counter(Count what) {
        return Objects.requireNonNull(counts.get(what));
    }

    public void count(Count what) {
        counter(what).increment();
    }

    /** Counts a submission that is not accepted; returns the exception for its submitter. */
    public RejectedExecutionException rejected(Count reason, String message, @Nullable Throwable cause) {
        count(reason);
        return new RejectedExecutionException(message, cause);
    }

    public void add(Count what, int more) {
        counter(what).add(more);
    }

    public long counted(Count what) {
        return counter(what).sum();
    }

    public Rejections rejections() {
        return new Rejections(
                counted(Count.CAPACITY),
                counted(Count.KEY_CAPACITY),
                counted(Count.SHUTDOWN),
                counted(Count.NO_THREAD));
    }

    public WhenBusyStats whenBusy() {
        return new WhenBusyStats(
                counted(Count.REPLACED),
                counted(Count.INTERRUPTED),
                counted(Count.REFUSED),
                counted(Count.BATCHES),
                counted(Count.BATCHED_ITEMS));
    }

    // the application's own objects

    /** The submitted object, for a listener. To be called before the task can start, since that takes the work. */
    public static Object submitted(Runnable task) {
        Object work = task instanceof TaskFuture<?> future ? future.work() : null;
        return work == null ? task : work;
    }

    /** An object as text for a message; its class if its toString throws, so that there is a message. */
    public static String toString(Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable unprintable) {
            return object.getClass().getName();
        }
    }
}
