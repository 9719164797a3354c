package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/**
 * One attempt of an asynchronous task, which holds its strand until the stage is complete. Compared by identity: a late
 * stage of an earlier attempt must not end this one.
 */
public class AsyncAttempt {
    /** The task's future. */
    final WorkFuture<?> future;

    /** What the stage has failed with, if the strand decides what follows. Written before the strand is asked. */
    volatile @Nullable Throwable failure;

    /**
     * The future of another task that this one has returned; null if it has returned another stage, or not yet. Read by
     * those who explain what this task waits for.
     */
    volatile @Nullable Object awaited;

    public AsyncAttempt(WorkFuture<?> future) {
        this.future = future;
    }

    /** Whether there is nothing to wait for. */
    final boolean isOver() {
        return future.isDone() ? future.isSettled() : failure != null;
    }
}
