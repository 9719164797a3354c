package io.orderedexecutor.engine.strand;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
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
    public Hold perform(Object taken) {
        CompletionStage<T> stage = stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken);
        requireOthers(stage);
        Hold attempt = new Hold(this);
        try {
            stage.whenComplete((result, failure) -> NestedCompletions.run(() -> end(attempt, result, failure)));
        } catch (Throwable thrown) {
            // the stage may have completed this future all the same: the strand decides what follows
            attempt.failure = thrown;
        }
        return attempt;
    }

    private void end(Hold attempt, T result, @Nullable Throwable failure) {
        if (failure == null) {
            complete(result);
        } else {
            failStage(attempt, failure);
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
