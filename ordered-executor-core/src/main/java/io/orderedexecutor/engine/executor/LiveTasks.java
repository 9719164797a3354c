package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.strand.TakenBack;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.RunningTask;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/**
 * The tasks of an executor that have not ended, as its {@link Engine} and its {@link Lifecycle} see and steer them.
 * Called by any thread, with no lock held.
 */
public interface LiveTasks {

    /** Whether there are none; tasks that come meanwhile count or do not. */
    boolean isEmpty();

    /**
     * Accepts no more tasks, but those that come behind others; may be called again.
     *
     * @param empty is told which of the {@link SegmentedTable#SEGMENTS} are empty, and so for good
     */
    void close(IntConsumer empty);

    /** Finds threads for what was left without one, for want of memory or stack. */
    void adoptUnattended();

    /** Lets go on what has stopped since the executor was paused. */
    void unpause();

    /** Lets batches start that wait for more items. */
    default void endLingers() {}

    /** Called when no more tasks are accepted. */
    void onShutdown();

    /**
     * Takes back all tasks that wait.
     *
     * @param unstarted receives them
     */
    void takeBack(TakenBack unstarted);

    /** For a shutdown that has taken back all tasks: interrupts or cancels what runs. */
    void stop();

    /** Whether a task cannot end before the calling thread has done what it does. */
    boolean isHeldUpHere();

    void forEachRunning(Consumer<? super RunningTask> visitor);

    /**
     * Explains what runs, or waits first for what it waits for, for at least so long; of tasks that are timed. A task
     * that waits for others is none.
     */
    void forEachStuck(long nanos, Consumer<? super Explanation> visitor);

    /** Visits when the tasks were placed that have waited longest in their queues; of tasks that are timed. */
    void forEachOldestQueuedAt(LongConsumer visitor);
}
