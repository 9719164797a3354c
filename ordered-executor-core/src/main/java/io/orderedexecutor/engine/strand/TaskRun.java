package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.Platform;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a strand runs, if there is a listener, and since when by {@link Platform#nanoTime}; between two tasks, when the
 * first has ended. One object for all tasks of a strand.
 *
 * <p>Written by the holder. Observers may see a former task, or for a moment the time of the next one.
 */
public final class TaskRun {
    private static final VarHandle TASK;

    static {
        try {
            TASK = MethodHandles.lookup().findVarHandle(TaskRun.class, "task", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null between tasks: what has run must not be kept. Written with release, after the time. */
    private volatile @Nullable Object task;

    private long since;

    /** What is run; null if nothing is. */
    public @Nullable Object task() {
        return task;
    }

    long startedAt() {
        return since;
    }

    /** For how long it had been running at a time; zero if it began after that. */
    Duration ageAt(long now) {
        return Duration.ofNanos(Math.max(0, now - since));
    }

    /** When the last task has ended; 0 while one runs, or waits to be run again. For the holder. */
    long endedAt() {
        return task == null ? since : 0;
    }

    void start(Object started, long startedAt) {
        since = startedAt;
        TASK.setRelease(this, started);
    }

    /** Notes what is left of a batch that was put back: items that were taken out since have had their ends. */
    void keepOnly(Object rest) {
        TASK.setRelease(this, rest);
    }

    void end(long endedAt) {
        since = endedAt;
        TASK.setRelease(this, null);
    }
}
