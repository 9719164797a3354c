package io.orderedexecutor;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submits tasks with groups to a {@link GroupedExecutor}, but can neither steer nor close it. The executor itself is a
 * submitter, with its own settings. {@link #with(Overflow)} returns others, which are cheap, can be kept, and submit to
 * the same groups in the same order. Thread-safe.
 */
public interface GroupedSubmitter {

    /**
     * Runs {@code task} after all earlier tasks that conflict with it. An exception of the task goes to the uncaught
     * exception handler of its thread. An {@link OrderedTask} that is submitted here is ordered by its groups only.
     *
     * @param groups the groups that the task touches
     * @param task the task
     * @throws RejectedExecutionException if the executor is shut down, if the executor or a group has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the task, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws IllegalArgumentException if {@code task} is the future of an earlier submission, and not complete; those
     *     of a completion service are accepted
     * @throws NullPointerException if an argument is null
     */
    void execute(Groups groups, Runnable task);

    /**
     * Runs {@code task} after all earlier tasks that conflict with it.
     *
     * @param groups the groups that the task touches
     * @param task the task
     * @param <T> the type of its result
     * @return a future of the result; see {@link StripedSubmitter#submit}. Cancelling it before the task starts removes
     *     the task at once, and nothing waits for it any longer
     * @throws RejectedExecutionException if the executor is shut down, if the executor or a group has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the task, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws NullPointerException if an argument is null
     */
    <T extends @Nullable Object> CompletableFuture<T> submit(Groups groups, Callable<T> task);

    /**
     * Starts an asynchronous task after all earlier tasks that conflict with it. The task holds its groups, but no
     * thread, until the stage that {@code task} returns is complete.
     *
     * @param groups the groups that the task touches
     * @param task starts the work and returns its stage, on a thread of the executor
     * @param <T> the type of its result
     * @return a future of the result; see {@link StripedSubmitter#submitAsync}
     * @throws RejectedExecutionException if the executor is shut down, if the executor or a group has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the task, or of the thread
     *     factory if the executor has no thread and none can be started
     * @throws NullPointerException if an argument is null
     */
    <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Groups groups, Supplier<? extends CompletionStage<T>> task);

    /**
     * Reserves a place in {@code groups} for a task that comes later. The task will run as if it had been submitted
     * now: after all earlier tasks that conflict with it, and before all later ones. The later tasks wait until the
     * place is used or given back.
     *
     * @param groups the groups that the task will touch
     * @return the place, to be used once or closed
     * @throws RejectedExecutionException if the executor is shut down, if the executor or a group has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws NullPointerException if {@code groups} is null
     */
    Reservation reserve(Groups groups);

    /**
     * Returns a submitter with another overflow policy. It suits a caller that must not wait while other callers may,
     * such as an event loop or a transaction that is being completed.
     *
     * @param overflow the overflow policy, in place of that of the executor
     * @return a submitter to the same groups
     * @throws NullPointerException if {@code overflow} is null
     */
    GroupedSubmitter with(Overflow overflow);

    /**
     * Returns an executor for one combination of groups: its tasks run in their order, together with those submitted
     * here. It is cheap and can be kept.
     *
     * <p>If the overflow policy is {@link Overflow#discardOldest()}, a task may never run although {@code execute} has
     * returned. Then the future of {@code runAsync(task, executor)} never completes: use {@code submit}.
     *
     * @param groups the groups that the tasks touch
     * @return an executor that passes each task to {@link #execute(Groups, Runnable) execute(groups, task)}
     * @throws NullPointerException if {@code groups} is null
     */
    Executor executorFor(Groups groups);
}
