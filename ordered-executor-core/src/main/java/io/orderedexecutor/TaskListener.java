package io.orderedexecutor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Listens to task events of an {@link OrderedExecutor}, for metrics, tracing or logs. All methods do nothing unless
 * they are overridden.
 *
 * <p>Each is called with no lock held: {@code queued} and {@code rejected} on the submitting thread, {@code started} on
 * the thread that runs the task, the others on the thread that causes the event. For {@code finished} and
 * {@code failed}, that is the thread that has run the task, completed its stage or its future, or given it up. They
 * should be fast, since the next task does not start before they return. They must not wait for a task or for the end
 * of the executor, which may wait for them. An exception goes to the uncaught exception handler of the thread, and has
 * no other effect. Several threads call a listener at the same time, so it must be thread-safe. Since submission and
 * execution are on different threads, {@code queued} may be called after any other event of the task, even its end.
 *
 * <p>The clock is read at least three times for each task: when it is submitted, when it starts, and when it has ended.
 * The time that listeners take to handle an end counts as queueing time of the next task. The running time is that of
 * the last attempt, its stage included, and of a piece until its result is written, the wait for its turn included. A
 * run that ends in {@code retried}, {@code parked} or {@code cancelled} is reported without a time; measure it from
 * {@code started}.
 *
 * <p>For every accepted task, exactly one of {@code finished}, {@code failed}, {@code dropped}, {@code replaced} and
 * {@code cancelled} is called, once. This end is also the one that
 * {@linkplain io.orderedexecutor.stats.OrderedExecutorStats statistics} count. If the application completes the future
 * of a task, the end of the future decides which one is called, whether or not the task has started. {@code key} is the
 * key of the task, its {@link Groups} if it has several keys or shares one, or its {@link OrderedOutput}; null for a
 * task that has none. {@code task} is the object that was submitted.
 *
 * <p>Each item of a {@link Batcher} is a task. Its running time is that of its batch.
 *
 * <p>A {@link Reservation} is not a task: {@code queued} is called when its task comes, and no method is called if the
 * reservation is given back. If the reservation is rejected, it is the {@code task} of {@code rejected}. If a shutdown
 * gives the reservation back, {@code rejected} is called for a task that comes later. The queueing time of its task
 * begins with the reservation.
 */
public interface TaskListener {

    /** Does nothing, and costs nothing. */
    TaskListener NO_OP = new TaskListener() {};

    /**
     * A task was accepted.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     */
    default void queued(@Nullable Object key, Object task) {}

    /**
     * A task is about to run, or to run again. If its future is completed before the start, the task does not run, and
     * its end is the next event.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     * @param nanosQueued nanoseconds since its submission
     */
    default void started(@Nullable Object key, Object task, long nanosQueued) {}

    /**
     * A task has ended normally (its stage has completed, if it is asynchronous), or the application has completed its
     * future.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     * @param nanosRun nanoseconds since its last attempt started; 0 if it waited for its start or a retry, or was
     *     parked
     */
    default void finished(@Nullable Object key, Object task, long nanosRun) {}

    /**
     * A task has failed for good, or the application has completed its future with a failure.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     * @param nanosRun nanoseconds since its last attempt started; 0 if it waited for its start or a retry, or was
     *     parked, even if it was given up
     * @param failure the exception of the task (of a stage, without its
     *     {@link java.util.concurrent.CompletionException}), or the one with which the application has completed its
     *     future
     */
    default void failed(@Nullable Object key, Object task, long nanosRun, Throwable failure) {}

    /**
     * A piece of an {@link OrderedOutput} was written; its end follows. Called on the thread that has written it.
     *
     * @param key its {@link OrderedOutput}
     * @param task the submitted task
     * @param nanosWaited nanoseconds from the end of the work to the start of the write, which had to wait for earlier
     *     ones
     * @param nanosWritten nanoseconds that the write took
     */
    default void written(@Nullable Object key, Object task, long nanosWaited, long nanosWritten) {}

    /**
     * A submission was rejected.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     * @param reason the exception that the submitter gets
     */
    default void rejected(@Nullable Object key, Object task, Throwable reason) {}

    /**
     * A queued task was dropped to make room for a newer one.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     */
    default void dropped(@Nullable Object key, Object task) {}

    /**
     * A task has ended cancelled: its future was cancelled, {@code shutdownNow} has removed it, or a shutdown has
     * cancelled it behind a parked task. A cancelled stage ends its task as cancelled, too, if
     * {@link WhenBusy#interrupt} has cancelled the stage, or if the {@link FailurePolicy} is
     * {@link FailurePolicy#proceed()} and the task is no piece; otherwise, the task has failed. For a running task,
     * this method is called when its work has returned. A task that throws a
     * {@link java.util.concurrent.CancellationException} has failed. {@link #dropped} and {@link #replaced} are called
     * for tasks that are cancelled for newer ones.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     */
    default void cancelled(@Nullable Object key, Object task) {}

    /**
     * A queued task was replaced by a later one of the same slot, and its future is cancelled. This is the end of the
     * task. Unless overridden, this method calls {@link #cancelled}.
     *
     * @param key its key
     * @param task the submitted task, which does not run
     */
    default void replaced(@Nullable Object key, Object task) {
        cancelled(key, task);
    }

    /**
     * A task that runs, or waits for a retry, is cancelled for a later one of the same slot. Its end is an event of its
     * own, which may come first.
     *
     * @param key its key
     * @param task the submitted task
     */
    default void interrupted(@Nullable Object key, Object task) {}

    /**
     * A task was not accepted because its stripe was busy; see {@link WhenBusy#refuse()}. It has no other event.
     *
     * @param key its key
     * @param task the submitted task
     */
    default void refused(@Nullable Object key, Object task) {}

    /**
     * Items of a {@link Batcher} are about to run as one batch, for the first time: {@code started} follows for each
     * item, and later its end. If the batch is retried, this method is not called again.
     *
     * @param key their key
     * @param items the number of items
     */
    default void batched(@Nullable Object key, int items) {}

    /**
     * A task has failed, and its keys stop when this method has returned. So a resume or a skip of the key during this
     * method has no effect and returns false: let another thread decide later.
     *
     * @param key its key or {@link Groups}
     * @param task the failed task, which waits until somebody resumes it or gives it up
     * @param failure the exception of the task (of a stage, without its
     *     {@link java.util.concurrent.CompletionException})
     */
    default void parked(@Nullable Object key, Object task, Throwable failure) {}

    /**
     * A task has failed and will be run again, unless it is cancelled or dropped before. Its delay begins when this
     * method has returned.
     *
     * @param key its key or {@link Groups}
     * @param task the submitted task
     * @param failures how often the task has failed since it was submitted or resumed
     * @param delay how long the task waits
     * @param failure the exception of the task, as of {@link #parked}
     */
    default void retried(@Nullable Object key, Object task, int failures, Duration delay, Throwable failure) {}
}
