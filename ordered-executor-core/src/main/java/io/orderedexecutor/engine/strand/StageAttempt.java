package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.task.NestedCompletions;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at an asynchronous task, which completes the future of that when its stage is complete. The stage would
 * swallow that there is no memory for that, so what has to be told is written into this object. And no frame from
 * {@link #accept} to {@link #run} may have made an object: the JIT compiler may put its fields into registers, and if
 * there is no memory for it when the compiled code is left, the JVM drops that frame with its handlers.
 *
 * @param <T> the type of the result
 */
final class StageAttempt<T extends @Nullable Object> extends AsyncAttempt
        implements BiConsumer<T, @Nullable Throwable>, Runnable {
    /** Null if the task is run without a strand. A field, for where no call may succeed. */
    private final @Nullable Strand strand;

    /** What the stage has ended with. Used by the thread that completes it. */
    private @Nullable T result;

    private @Nullable Throwable thrown;

    StageAttempt(TaskFuture<T> future) {
        super(future);
        this.strand = future.strand();
    }

    /**
     * Waits for the end of the stage that the task has returned. The work has begun, so the strand is held; without
     * memory, the end of the work would never be told.
     *
     * @return this attempt
     */
    AsyncAttempt listenTo(CompletionStage<T> stage) {
        ofTask().requireOthers(stage);
        if (stage instanceof TaskFuture<?>) {
            awaited = stage;
        }
        for (int tries = 0; ; tries++) {
            try {
                stage.whenComplete(this);
                return this;
            } catch (Throwable thrown) {
                if (!(thrown instanceof OutOfMemoryError) || strand == null || tries == Serving.MOST_TRIES) {
                    // the stage may have completed the future all the same: the strand decides what follows
                    failure = thrown;
                    return this;
                }
                strand.host().platform().awaitMemory(tries);
            }
        }
    }

    @SuppressWarnings("unchecked") // this attempt was made for it
    private TaskFuture<T> ofTask() {
        return (TaskFuture<T>) future;
    }

    @Override
    public void accept(T result, @Nullable Throwable thrown) {
        this.result = result;
        this.thrown = thrown;
        complete(true);
    }

    @Override
    public void run() {
        complete(false);
    }

    /**
     * Completes the future.
     *
     * @param nested whether within other completions of this thread, or after them
     */
    @SuppressWarnings("NullAway") // null only if T says so
    private void complete(boolean nested) {
        try {
            Throwable failure = thrown;
            if (nested) {
                NestedCompletions.run(this);
            } else if (failure == null) {
                future.noteReturn();
                ofTask().complete(result);
            } else {
                ofTask().failStage(this, failure);
            }
        } catch (Throwable noMemory) {
            // writes first, as there may be no stack for a call
            failure = noMemory;
            if (strand != null) {
                strand.unattended = true;
                strand.host.hasUnattended = true;
                TaskLife.goOnAfter(strand, this);
            }
        }
    }
}
