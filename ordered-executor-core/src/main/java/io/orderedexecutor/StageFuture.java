package io.orderedexecutor;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous task: it starts some work, and its chain is held until the stage of that is complete.
 *
 * @param <T> the type of the result
 */
final class StageFuture<T extends @Nullable Object> extends TaskFuture<T> {

    /** Written by the thread that starts an attempt, and read by the same. */
    private @Nullable Hold hold;

    StageFuture(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        super(supplier);
    }

    @Override
    @Nullable
    Hold hold() {
        return hold;
    }

    @Override
    @SuppressWarnings("unchecked")
    void perform(Object taken) {
        CompletionStage<T> stage = stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken);
        requireOthers(stage);
        Hold attempt = new Hold(this);
        hold = attempt;
        stage.whenComplete((result, failure) -> {
            if (failure == null) {
                complete(result);
            } else {
                failStage(attempt, failure);
            }
        });
    }
}
