package io.orderedexecutor;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears what becomes of the tasks of a {@link StripedExecutor}, for metrics, tracing or logs. All methods do nothing unless they
 * are overridden.
 *
 * <p>Each is called without a lock held: {@code queued} and {@code rejected} on the submitting thread, {@code started}, {@code finished}
 * and {@code failed} on the thread that runs the task (or completes its stage), the others on the thread that brings it about. They should be
 * quick, since a stripe does not go on before they return. What they throw goes to the uncaught exception handler of the thread
 * and does no harm. As submission and execution are on different threads, {@code started} may be heard before {@code queued}.
 *
 * <p>Every task that is accepted is heard of once as {@code finished}, {@code failed}, {@code dropped} or {@code cancelled}. {@code stripe}
 * is null for a task that has none. {@code task} is the object that was submitted.
 */
public interface TaskListener {

    /** Does nothing, and costs nothing. */
    TaskListener NO_OP = new TaskListener() {};

    /**
     * A task was accepted.
     *
     * @param stripe its stripe
     * @param task what was submitted
     */
    default void queued(@Nullable Object stripe, Object task) {}

    /**
     * A task is about to run, perhaps again.
     *
     * @param stripe its stripe
     * @param task what was submitted
     * @param nanosQueued nanoseconds since its submission
     */
    default void started(@Nullable Object stripe, Object task, long nanosQueued) {}

    /**
     * A task has ended normally; if it is asynchronous, its stage has completed.
     *
     * @param stripe its stripe
     * @param task what was submitted
     * @param nanosRun nanoseconds since it started, the stage included
     */
    default void finished(@Nullable Object stripe, Object task, long nanosRun) {}

    /**
     * A task has failed for good.
     *
     * @param stripe its stripe
     * @param task what was submitted
     * @param nanosRun nanoseconds since it started, the stage included
     * @param failure what it threw
     */
    default void failed(@Nullable Object stripe, Object task, long nanosRun, Throwable failure) {}

    /**
     * A submission was refused.
     *
     * @param stripe its stripe
     * @param task what was submitted
     * @param reason what the submitter gets
     */
    default void rejected(@Nullable Object stripe, Object task, Throwable reason) {}

    /**
     * A queued task had to make room for a newer one.
     *
     * @param stripe its stripe
     * @param task what was submitted
     */
    default void dropped(@Nullable Object stripe, Object task) {}

    /**
     * A task was cancelled or taken back before it started, or, if it is asynchronous, before its stage was complete.
     *
     * @param stripe its stripe
     * @param task what was submitted
     */
    default void cancelled(@Nullable Object stripe, Object task) {}

    /**
     * A stripe has stopped before its next task.
     *
     * @param stripe the stripe
     * @param task what has failed, and waits to be run again or skipped
     * @param failure what it threw
     */
    default void parked(@Nullable Object stripe, Object task, Throwable failure) {}

    /**
     * A task has failed and will be run again.
     *
     * @param stripe its stripe
     * @param task what was submitted
     * @param failures how often it has failed
     * @param pause how long it waits
     * @param failure what it threw
     */
    default void retried(@Nullable Object stripe, Object task, int failures, Duration pause, Throwable failure) {}
}
