package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.strand.AsyncAttempt;
import io.orderedexecutor.engine.strand.StageFuture;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.engine.strand.TaskLife;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task whose output follows in its turn.
 *
 * @param <T> the type of the result
 */
public final class OutputFuture<T extends @Nullable Object> extends TaskFuture<T> {
    private final boolean isStage;

    /**
     * Makes a task that is to be submitted.
     *
     * @param isStage whether {@code work} is a supplier of a stage, and else a callable
     */
    public OutputFuture(Object work, boolean isStage) {
        super(work, false);
        this.isStage = isStage;
    }

    @Override
    public AsyncAttempt perform(Object taken) throws Exception {
        @SuppressWarnings("unchecked") // only that of an output of this type places it
        OutputTask<T> task = Objects.requireNonNull((OutputTask<T>) strand());
        OutputAttempt<T> attempt = new OutputAttempt<>(this, task);
        try {
            begin(taken, task, attempt);
        } catch (Throwable failure) {
            if (!TaskLife.isLastAttempt(task)) {
                throw failure;
            }
            attempt.finish(null, failure);
        }
        return attempt;
    }

    @SuppressWarnings("unchecked")
    private void begin(Object taken, OutputTask<T> task, OutputAttempt<T> attempt) throws Exception {
        if (!isStage) {
            attempt.finishHere(((Callable<T>) taken).call());
            return;
        }
        CompletionStage<T> stage = StageFuture.stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken);
        requireOthers(stage);
        stage.whenComplete((result, failure) -> {
            if (failure == null || TaskLife.isLastAttempt(task)) {
                attempt.finish(result, failure == null ? null : StageFuture.unwrapped(failure));
            } else {
                failStage(attempt, failure);
            }
        });
    }
}
