package io.orderedexecutor;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submits tasks to the stripes of a {@link StripedExecutor}, but can neither steer nor close it. The executor itself is
 * a submitter, with its own settings. {@link #with(WhenBusy)} and {@link #with(Overflow)} return others, which are
 * cheap, can be kept, and submit to the same stripes in the same order.
 *
 * <pre>{@code
 * StripedSubmitter latest = executor.with(WhenBusy.latest("refresh"));
 * latest.execute("alice", () -> refresh("alice")); // replaces a refresh of alice that waits
 * }</pre>
 *
 * <p>Thread-safe. {@link StripedExecutor} describes order, visibility and failures.
 */
public interface StripedSubmitter {

    /**
     * Runs {@code task} after all earlier tasks of {@code stripe}. An exception of the task goes to the uncaught
     * exception handler of its thread.
     *
     * @param stripe the stripe of the task
     * @param task the task
     * @throws RejectedExecutionException if the executor is shut down, if the executor or the stripe has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the task, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws IllegalArgumentException if {@code task} is the future of an earlier submission, and not complete; those
     *     of a completion service are accepted
     * @throws NullPointerException if an argument is null
     */
    void execute(Object stripe, Runnable task);

    /**
     * Runs {@code task} after all earlier tasks of {@code stripe}. There is no overload for a {@link Runnable}: let a
     * task without a result return null.
     *
     * @param stripe the stripe of the task
     * @param task the task
     * @param <T> the type of its result
     * @return a future of the result, which is complete before the next task of the stripe starts. Dependent actions
     *     may run beside that task. A caller that completes the future, for example by {@code cancel} or
     *     {@code orTimeout}, ends the task for good: if the task waits for its start or a retry, or is parked, it is
     *     removed at once; if it runs, it is neither retried nor parked, and its stripe continues when it has returned.
     *     {@code cancel(true)} also interrupts it. To a caller that must not do this, pass {@code future.copy()}. The
     *     future is cancelled if a later submission replaces or interrupts this one, and fails with a
     *     {@link TaskRefusedException} if the task was refused because the stripe is busy, see {@link WhenBusy}
     * @throws RejectedExecutionException if the executor is shut down, if the executor or the stripe has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the task, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws NullPointerException if an argument is null
     */
    <T extends @Nullable Object> CompletableFuture<T> submit(Object stripe, Callable<T> task);

    /**
     * Starts an asynchronous task after all earlier tasks of {@code stripe}. The task holds its stripe, but no thread,
     * until the stage that {@code task} returns is complete.
     *
     * @param stripe the stripe of the task
     * @param task starts the work and returns its stage, on a thread of the executor
     * @param <T> the type of its result
     * @return a future that completes as the stage does; it fails with the exception that {@code task} throws, with a
     *     {@link NullPointerException} if {@code task} returns null, or with a {@link SelfWaitException} if
     *     {@code task} returns the future of a task that has to wait for this one. The future is complete before the
     *     next task of the stripe starts; dependent actions may run beside that task. A caller that completes the
     *     future, for example by {@code cancel} or {@code orTimeout}, ends the task for good: it is neither retried nor
     *     parked, and the next task of the stripe starts without waiting for the stage. The stage is not cancelled: its
     *     work may go on beside that task, so stop it, too. To a caller that must not do this, pass
     *     {@code future.copy()}. With {@link WhenBusy#interrupt}, a later submission cancels the stage and waits for it
     * @throws RejectedExecutionException if the executor is shut down, if the executor or the stripe has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the task, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws NullPointerException if an argument is null
     */
    <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task);

    /**
     * Reserves a place in {@code stripe} for a task that comes later. The task will run as if it had been submitted
     * now: after all earlier tasks of the stripe, and before all later ones. The later tasks wait until the place is
     * used or given back.
     *
     * @param stripe the stripe that the task will belong to
     * @return the place, to be used once or closed
     * @throws RejectedExecutionException if the executor is shut down, if the executor or the stripe has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws UnsupportedOperationException if this submitter does anything but {@linkplain WhenBusy#queue() queue}
     *     when a stripe is busy: a place has no task yet, and so cannot replace another task
     * @throws NullPointerException if {@code stripe} is null
     */
    Reservation reserve(Object stripe);

    /**
     * Returns a submitter with another mode for tasks whose stripe is busy, and with the overflow policy of this one.
     *
     * @param whenBusy the mode
     * @return a submitter to the same stripes
     * @throws NullPointerException if {@code whenBusy} is null
     */
    StripedSubmitter with(WhenBusy whenBusy);

    /**
     * Returns a submitter with another overflow policy, and with the mode of this one for busy stripes. It suits a
     * caller that must not wait while other callers may, such as an event loop or a transaction that is being
     * completed.
     *
     * @param overflow the overflow policy, in place of that of the executor
     * @return a submitter to the same stripes
     * @throws NullPointerException if {@code overflow} is null
     */
    StripedSubmitter with(Overflow overflow);

    /**
     * Returns an executor for one stripe: its tasks run in their order, together with those submitted here. It is cheap
     * and can be kept, for example in a connection or a session.
     *
     * <p>If this submitter has another mode than {@link WhenBusy#queue()}, or the overflow policy is
     * {@link Overflow#discardOldest()}, a task may never run although {@code execute} has returned. Then the future of
     * {@code runAsync(task, executor)} never completes: use {@code submit}.
     *
     * @param stripe the stripe of the tasks
     * @return an executor that passes each task to {@link #execute(Object, Runnable) execute(stripe, task)}
     * @throws NullPointerException if {@code stripe} is null
     */
    Executor executorFor(Object stripe);
}
