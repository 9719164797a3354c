package io.orderedexecutor.engine.task;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The completion of a task's future, except by the thread that has run the task to its end or writes its result: for
 * instance, a thread cancels the task or completes its stage. The dependent actions of the future run first. Then the
 * <em>follow-up</em> runs, in which the place of the task leaves its orders. So an executor is usually not idle while
 * such actions run.
 *
 * <p>A dependent action that waits for a task behind its own would wait for ever, since the follow-up comes later.
 * Therefore, a thread that is about to wait for something of an executor first runs the follow-ups of all futures of
 * that executor that it has completed. If the callers of an executor run its tasks, a follow-up may run the tasks
 * behind. There, a thread that is about to wait only interrupts the tasks that it has cancelled, and fails if it would
 * wait for a follow-up.
 *
 * <p>Used by one thread only.
 */
public final class Completion {
    private static final ThreadLocal<@Nullable Completion> INNERMOST = new ThreadLocal<>();

    private final Object executor;
    private final boolean runsTasks;
    private final TaskFuture<?> future;
    private final boolean interrupts;
    private final @Nullable Completion outer = INNERMOST.get();

    /** Null once it has begun. */
    private @Nullable Runnable followUp;

    private Completion(
            Object executor, boolean runsTasks, TaskFuture<?> future, boolean interrupts, Runnable followUp) {
        this.executor = executor;
        this.runsTasks = runsTasks;
        this.future = future;
        this.interrupts = interrupts;
        this.followUp = followUp;
    }

    /**
     * To be called before a future is completed.
     *
     * @param executor the executor of the task
     * @param runsTasks whether the follow-up may run tasks, so that a thread that is about to wait must not do it
     * @param interrupts whether to interrupt the thread that does the work, if the future is cancelled
     * @param followUp what else to do for the task when its future is complete; throws nothing
     */
    public static Completion begin(
            Object executor, boolean runsTasks, TaskFuture<?> future, boolean interrupts, Runnable followUp) {
        Completion completion = new Completion(executor, runsTasks, future, interrupts, followUp);
        INNERMOST.set(completion);
        return completion;
    }

    /**
     * To be called afterwards, by the same thread.
     *
     * @param isFollowed whether to do the follow-up: not if another thread has completed the future
     */
    public void end(boolean isFollowed) {
        // set to null, not removed: to set a removed value again allocates
        INNERMOST.set(outer);
        if (isFollowed) {
            follow();
        }
    }

    private void interrupt() {
        if (interrupts && future.isCancelled()) {
            future.interruptRunner();
        }
    }

    private void follow() {
        interrupt();
        Runnable task = followUp;
        followUp = null;
        if (task != null) {
            task.run();
        }
    }

    /**
     * Called by a thread that is about to wait for something of an executor, perhaps in dependent actions of futures
     * that it has completed.
     */
    public static void followAll(Object executor) {
        for (Completion completion = INNERMOST.get(); completion != null; completion = completion.outer) {
            if (completion.executor == executor && completion.future.isDone()) {
                if (completion.runsTasks) {
                    completion.interrupt();
                } else {
                    completion.follow();
                }
            }
        }
    }

    /**
     * A task of an executor, among those that match, that ends only when this thread has left the dependent action that
     * it runs: the task holds its place, and this thread has completed its future. Null if there is none.
     */
    public static @Nullable TaskFuture<?> pending(Object executor, Predicate<? super TaskFuture<?>> matches) {
        for (Completion completion = INNERMOST.get(); completion != null; completion = completion.outer) {
            TaskFuture<?> future = completion.future;
            if (completion.executor == executor
                    && completion.followUp != null
                    && future.isDone()
                    && future.isHeld()
                    && matches.test(future)) {
                return future;
            }
        }
        return null;
    }
}
