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
public final class StageFuture<T extends @Nullable Object> extends TaskFuture<T> {

    public StageFuture(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        super(supplier, true);
    }

    @Override
    @SuppressWarnings("unchecked")
    public AsyncAttempt perform(Object taken) {
        CompletionStage<T> stage = stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken);
        requireOthers(stage);
        Attempt attempt = new Attempt();
        try {
            stage.whenComplete(attempt);
        } catch (Throwable thrown) {
            // the stage may have completed this future all the same: the strand decides what follows
            attempt.failure = thrown;
        }
        return attempt;
    }

    /**
     * An attempt that completes this future when its stage is complete. The stage would swallow that there is no memory
     * for that, so what has to be told is written into this object. And no frame from {@link #accept} to {@link #run}
     * may have made an object: the JIT compiler may put its fields into registers, and if there is no memory for it
     * when the compiled code is left, the JVM drops that frame with its handlers.
     */
    private final class Attempt extends AsyncAttempt implements BiConsumer<T, @Nullable Throwable>, Runnable {
        /** What the stage has ended with. Used by the thread that completes it. */
        private @Nullable T result;

        private @Nullable Throwable thrown;

        Attempt() {
            super(StageFuture.this);
        }

        @Override
        public void accept(T result, @Nullable Throwable thrown) {
            this.result = result;
            this.thrown = thrown;
            try {
                NestedCompletions.run(this);
            } catch (Throwable noMemory) {
                fail(noMemory);
            }
        }

        @Override
        @SuppressWarnings("NullAway") // null only if T says so
        public void run() {
            Throwable failure = thrown;
            try {
                if (failure == null) {
                    complete(result);
                } else {
                    failStage(this, failure);
                }
            } catch (Throwable noMemory) {
                fail(noMemory);
            }
        }

        private void fail(Throwable noMemory) {
            Strand strand = strand();
            failure = noMemory;
            if (strand != null) {
                strand.unattended = true;
                strand.host.hasUnattended = true;
                TaskLife.goOnAfter(strand, this);
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
