package io.orderedexecutor.engine.task;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * The completion of a task's future by a thread that does not run the task: it cancels the task, say, or completes its
 * stage. The task leaves its place when the dependent actions have returned, so that what they do is done, too, when an
 * executor is idle. An action that waits for what comes after its task would thus wait for itself. So a thread that is
 * about to wait for something of an executor first does what else is to be done for the tasks of that executor whose
 * futures it has completed.
 *
 * <p>Used by one thread only.
 */
public final class Completion {
    private static final ThreadLocal<@Nullable Completion> INNERMOST = new ThreadLocal<>();

    private final @Nullable Object executor;
    private final Future<?> future;
    private final @Nullable Completion outer = INNERMOST.get();

    /** Null when it has begun. */
    private @Nullable Runnable followUp;

    private Completion(@Nullable Object executor, Future<?> future, Runnable followUp) {
        this.executor = executor;
        this.future = future;
        this.followUp = followUp;
    }

    /**
     * To be called before a future is completed.
     *
     * @param executor that of the task; null if no wait does the rest
     * @param followUp what is to be done for the task when its future is complete; throws nothing
     */
    public static Completion begin(@Nullable Object executor, Future<?> future, Runnable followUp) {
        Completion completion = new Completion(executor, future, followUp);
        if (executor != null) {
            INNERMOST.set(completion);
        }
        return completion;
    }

    /**
     * To be called afterwards, by the same thread.
     *
     * @param isFollowed false if another thread has completed the future
     */
    public void end(boolean isFollowed) {
        if (executor != null) {
            // null stays as the value, since to set one anew allocates
            INNERMOST.set(outer);
        }
        if (isFollowed) {
            follow();
        }
    }

    private void follow() {
        Runnable task = followUp;
        followUp = null;
        if (task != null) {
            task.run();
        }
    }

    /**
     * For a thread that is about to wait for something of an executor: it may be in dependent actions of futures that
     * it has completed.
     */
    public static void followAll(@Nullable Object executor) {
        for (Completion completion = INNERMOST.get(); completion != null; completion = completion.outer) {
            if (completion.executor == executor && completion.future.isDone()) {
                completion.follow();
            }
        }
    }
}
