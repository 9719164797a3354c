package io.orderedexecutor;

import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous task: it starts some work, and its strand is held until the stage of that is complete.
 *
 * @param <T> the type of the result
 */
final class StageFuture<T extends @Nullable Object> extends TaskFuture<T> {

    /** Written by the thread that starts an attempt, and read by the same. */
    private @Nullable Hold hold;

    /**
     * Whether this future is done and its dependent actions have run. Written by the thread that has completed it,
     * which then looks whether the strand waits for it; read by those who have left the strand to it. So one of the two
     * goes on.
     */
    private volatile boolean settled;

    /** Holds the strand until the dependent actions have run, too. */
    private final class Attempt extends Hold {
        Attempt() {
            super(StageFuture.this);
        }

        @Override
        boolean isSettled() {
            return settled;
        }
    }

    StageFuture(Supplier<? extends @Nullable CompletionStage<T>> supplier) {
        super(supplier);
    }

    @Override
    @Nullable
    Hold hold() {
        return hold;
    }

    @Override
    void settle() {
        settled = true;
    }

    @Override
    @SuppressWarnings("unchecked")
    void perform(Object taken) {
        CompletionStage<T> stage = stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken);
        requireOthers(stage);
        Hold attempt = new Attempt();
        hold = attempt;
        stage.whenComplete((result, failure) -> NestedCompletions.run(() -> end(attempt, result, failure)));
    }

    private void end(Hold attempt, T result, @Nullable Throwable failure) {
        if (failure == null) {
            complete(result);
        } else {
            failStage(attempt, failure);
        }
    }
}
