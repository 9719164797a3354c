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

    /** A task that has failed, and waits to be run again. */
    private record Failed(Object task) {}

    /**
     * A task, or one that has {@link Failed}; null between tasks: what has run must not be kept. Written with release,
     * after the time.
     */
    private volatile @Nullable Object task;

    private long since;

    /** What is run, or waits to be run again; null if nothing is. */
    public @Nullable Object task() {
        Object current = task;
        return current instanceof Failed failed ? failed.task : current;
    }

    long startedAt() {
        return since;
    }

    /** For how long it had been running at a time; zero if it began after that; null if nothing was. */
    @Nullable
    Duration ageAt(long now) {
        Object current = task;
        return current == null || current instanceof Failed ? null : Duration.ofNanos(Math.max(0, now - since));
    }

    /** When the last task has ended; 0 while one runs, or waits to be run again. For the holder. */
    long endedAt() {
        return task == null ? since : 0;
    }

    void start(Object started, long startedAt) {
        since = startedAt;
        TASK.setRelease(this, started);
    }

    /** The task has failed, and is put back. */
    void fail() {
        Object failed = task();
        if (failed != null) {
            TASK.setRelease(this, new Failed(failed));
        }
    }

    void end(long endedAt) {
        since = endedAt;
        TASK.setRelease(this, null);
    }
}
