package io.orderedexecutor.engine.strand;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous task: it starts some work, and its strand is held until the stage of that work is complete and the
 * dependent actions of this future have run.
 *
 * @param <T> the type of the result
 */
public class StageFuture<T extends @Nullable Object> extends TaskFuture<T> {

    public StageFuture(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        super(supplier, true);
    }

    /** For a kind of task that has other work to begin with than a supplier. */
    StageFuture(Object work) {
        super(work, true);
    }

    @Override
    @SuppressWarnings("unchecked")
    public @Nullable AsyncAttempt perform(Object taken) {
        // made before the work begins: later, there may be no memory to wait for its end
        Attempt<T> attempt = new Attempt<>(this);
        CompletionStage<T> stage = start((Supplier<? extends @Nullable CompletionStage<T>>) taken);
        requireOthers(stage);
        attempt.listenTo(stage);
        return attempt;
    }

    /** Starts the work. */
    CompletionStage<T> start(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        return stageOf(supplier);
    }

    /**
     * An attempt that completes its future when its stage is complete. The stage would swallow that there is no memory
     * for that, so what has to be told is written into this object. And no frame from {@link #accept} to {@link #run}
     * may have made an object: the JIT compiler may put its fields into registers, and if there is no memory for it
     * when the compiled code is left, the JVM drops that frame with its handlers.
     */
    private static final class Attempt<T extends @Nullable Object> extends AsyncAttempt
            implements BiConsumer<T, @Nullable Throwable>, Runnable {
        /** Null if the task is run without a strand. A field, for where no call may succeed. */
        private final @Nullable Strand strand;

        /** What the stage has ended with. Used by the thread that completes it. */
        private @Nullable T result;

        private @Nullable Throwable thrown;

        /** The stage, if it is the future of another task. Read by those who explain what this task waits for. */
        private volatile @Nullable Object awaited;

        Attempt(StageFuture<T> future) {
            super(future);
            this.strand = future.strand();
        }

        /** The work has begun, so the strand is held; without memory, the end of the work would never be told. */
        void listenTo(CompletionStage<T> stage) {
            if (stage instanceof TaskFuture<?>) {
                awaited = stage;
            }
            for (int tries = 0; ; tries++) {
                try {
                    stage.whenComplete(this);
                    return;
                } catch (Throwable thrown) {
                    if (!(thrown instanceof OutOfMemoryError) || strand == null || tries == Serving.MOST_TRIES) {
                        // the stage may have completed the future all the same: the strand decides what follows
                        failure = thrown;
                        return;
                    }
                    strand.host().platform().awaitMemory(tries);
                }
            }
        }

        @Override
        @Nullable
        Object awaited() {
            return awaited;
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
        @SuppressWarnings({"NullAway", "unchecked"}) // null only if T says so
        private void complete(boolean nested) {
            try {
                Throwable failure = thrown;
                if (nested) {
                    NestedCompletions.run(this);
                } else if (failure == null) {
                    future.noteReturn();
                    ((StageFuture<T>) future).complete(result);
                } else {
                    ((StageFuture<T>) future).failStage(this, failure);
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

    public static <T extends @Nullable Object> CompletionStage<T> stageOf(
            Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        CompletionStage<T> stage = supplier.get();
        if (stage == null) {
            throw new NullPointerException("the supplier of an asynchronous task returned null instead of a stage");
        }
        return stage;
    }

    /** What a stage has failed with, without what a stage behind it wraps around it. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }
}
