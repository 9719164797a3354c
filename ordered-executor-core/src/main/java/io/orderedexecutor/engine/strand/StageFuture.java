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
    public @Nullable AsyncAttempt perform(Object taken) {
        // made before the work begins: later, there may be no memory to wait for its end
        StageAttempt<T> attempt = new StageAttempt<>(this);
        return attempt.listenTo(stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken));
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
