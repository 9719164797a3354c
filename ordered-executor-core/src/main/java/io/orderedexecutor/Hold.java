package io.orderedexecutor;

import java.util.concurrent.RunnableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of an asynchronous task, which holds its strand until the stage is complete. Compared by identity: what a
 * late stage of an earlier attempt says must not be taken for the word of this one.
 */
class Hold {
    /** The task's future. */
    final RunnableFuture<?> future;

    /** What the stage has failed with, if the strand decides what follows. Written before the strand is asked. */
    volatile @Nullable Throwable failure;

    Hold(RunnableFuture<?> future) {
        this.future = future;
    }

    /**
     * Called by the thread that has started the work, and still is the holder.
     *
     * @return whether that thread has done the rest, and the strand has ended; else this becomes the holder
     */
    boolean endsHere() {
        return false;
    }

    /** Called once this has become the holder, unless it was over before; with no lock held. */
    void held() {}

    /** Whether the future is done, and its dependent actions are, if the strand has to wait for them. */
    boolean isSettled() {
        return future.isDone();
    }

    /** Whether there is nothing to wait for. */
    final boolean isOver() {
        return future.isDone() ? isSettled() : failure != null;
    }
}
