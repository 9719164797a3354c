package io.orderedexecutor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Listens to task events of an {@link OrderedExecutor}, for metrics, tracing or logs. All methods do nothing unless
 * they are overridden.
 *
 * <p>Each is called without a lock held: {@code queued} and {@code rejected} on the submitting thread, {@code started},
 * {@code finished} and {@code failed} on the thread that runs the task (or completes its stage), the others on the
 * thread that causes the event. They should be fast, since the next task does not start before they return. What they
 * throw goes to the uncaught exception handler of the thread and has no other effect. Since submission and execution
 * are on different threads, {@code started} may be called before {@code queued}.
 *
 * <p>The clock is read twice for each task: when it is submitted, and when it has ended. A task that directly follows
 * another one of its stripe starts at that one's end, so the time that listeners take to hear of an end counts for the
 * next task.
 *
 * <p>For every accepted task, exactly one of {@code finished}, {@code failed}, {@code dropped}, {@code replaced} and
 * {@code cancelled} is called, once: the end that {@linkplain io.orderedexecutor.stats.OrderedExecutorStats statistics}
 * count. If the application completes the future of a task, the end of the future decides which one is called, whether
 * or not the task has started. {@code key} is the stripe of the task, in a grouped executor its {@link Groups}, or its
 * {@link OrderedOutput}; null for a task that has none. {@code task} is the object that was submitted.
 *
 * <p>Each item of a {@link Batcher} is a task. Its time is that of its batch, from the start to the end of which no
 * other task of the stripe runs.
 *
 * <p>A {@link Reservation} is no task: {@code queued} is called when its task comes, and nothing if it is given back.
 * If there is no room for it, it is the {@code task} of {@code rejected}. The time for which its task was queued begins
 * with the reservation.
 */
public interface TaskListener {

    /** Does nothing, and costs nothing. */
    TaskListener NO_OP = new TaskListener() {};

    /**
     * A task was accepted.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     */
    default void queued(@Nullable Object key, Object task) {}

    /**
     * A task is about to run, or to run again. If its future is completed before it starts, it does not run, and its
     * end is the next event.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     * @param nanosQueued nanoseconds since its submission
     */
    default void started(@Nullable Object key, Object task, long nanosQueued) {}

    /**
     * A task has ended normally; if it is asynchronous, its stage has completed. Or the application has completed its
     * future.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     * @param nanosRun nanoseconds since it started, the stage included; 0 if it waited for its start, or to run again
     */
    default void finished(@Nullable Object key, Object task, long nanosRun) {}

    /**
     * A task has failed for good, or the application has completed its future with a failure.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     * @param nanosRun nanoseconds since it started, the stage included; 0 if it waited for its start, or to run again
     * @param failure what it threw, or its future was completed with
     */
    default void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {}

    /**
     * A piece of an {@link OrderedOutput} was written; its end follows. Called on the thread that has written it.
     *
     * @param key its {@link OrderedOutput}
     * @param task what was submitted
     * @param nanosWaited nanoseconds from the end of the work to the output, which had to wait for those before it
     * @param nanosWritten nanoseconds that the output took
     */
    default void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {}

    /**
     * A submission was rejected.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     * @param reason the exception that the submitter gets
     */
    default void rejected(@Nullable Object key, Object task, Throwable reason) {}

    /**
     * A queued task was dropped to make room for a newer one.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     */
    default void dropped(@Nullable Object key, Object task) {}

    /**
     * A task has ended cancelled: its future was cancelled, or it was removed by {@code shutdownNow}, or a shutdown has
     * cancelled it behind a parked task; or, if it is asynchronous, its stage was cancelled. If it was running, this is
     * called when its work has returned. A task that throws a {@link java.util.concurrent.CancellationException} has
     * failed. See {@link #dropped} and {@link #replaced} for tasks that are cancelled for newer ones.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     */
    default void cancelled(@Nullable Object key, Object task) {}

    /**
     * A queued task was replaced by a later one of the same slot, and its future is cancelled. It is the end of the
     * task: unless overridden, this calls {@link #cancelled}.
     *
     * @param key its stripe
     * @param task what was submitted, and does not run
     */
    default void replaced(@Nullable Object key, Object task) {
        cancelled(key, task);
    }

    /**
     * A running task is cancelled for a later one of the same slot; its end follows.
     *
     * @param key its stripe
     * @param task what was submitted
     */
    default void interrupted(@Nullable Object key, Object task) {}

    /**
     * A task was not accepted because its stripe was busy; see {@link WhenBusy#refuse()}. It has no other event.
     *
     * @param key its stripe
     * @param task what was submitted
     */
    default void refused(@Nullable Object key, Object task) {}

    /**
     * Items of a {@link Batcher} are about to run as one batch, for the first time: {@code started} follows for each of
     * them, and later its end. If the batch is retried, this is not called again.
     *
     * @param key their stripe
     * @param items how many they are
     */
    default void batched(@Nullable Object key, int items) {}

    /**
     * A stripe, or the groups of a task, stopped after a failure. The task is in its queue again by then: a thread that
     * cancels or drops it there at the same time may be heard of first.
     *
     * @param key the stripe or {@link Groups}
     * @param task the failed task, which waits for somebody to resume it or give it up
     * @param failure what it threw
     */
    default void parked(@Nullable Object key, Object task, Throwable failure) {}

    /**
     * A task has failed and will be run again. It is in its queue again by then: a thread that cancels or drops it
     * there at the same time may be heard of first.
     *
     * @param key its stripe or {@link Groups}
     * @param task what was submitted
     * @param failures how often it has failed
     * @param delay how long it waits
     * @param failure what it threw
     */
    default void retried(@Nullable Object key, Object task, int failures, Duration delay, Throwable failure) {}
}
