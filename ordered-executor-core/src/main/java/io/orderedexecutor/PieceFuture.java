package io.orderedexecutor;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A piece of work whose output follows in its turn.
 *
 * @param <T> the type of the result
 */
final class PieceFuture<T extends @Nullable Object> extends TaskFuture<T> {
    private final boolean isStage;

    /**
     * Written by the thread that starts an attempt, and read by the same; by the one who ends the task, when that has
     * left.
     */
    private @Nullable PieceHold<T> hold;

    /**
     * Makes a piece that is to be submitted.
     *
     * @param isStage whether {@code work} is a supplier of a stage, and else a callable
     */
    PieceFuture(Object work, boolean isStage) {
        super(work);
        this.isStage = isStage;
    }

    @Override
    @Nullable
    Hold hold() {
        return hold;
    }

    @Override
    void forgetAttempt() {
        hold = null;
    }

    @Override
    boolean waitsForOthersToTheEnd() {
        return true;
    }

    @Override
    void perform(Object taken) throws Exception {
        Piece piece = Objects.requireNonNull((Piece) strand());
        PieceHold<T> attempt = new PieceHold<>(this, piece);
        hold = attempt;
        try {
            begin(taken, piece, attempt);
        } catch (Throwable failure) {
            if (!TaskLife.isLastAttempt(piece)) {
                throw failure;
            }
            attempt.finish(null, failure);
        }
    }

    @SuppressWarnings("unchecked")
    private void begin(Object taken, Piece piece, PieceHold<T> attempt) throws Exception {
        if (!isStage) {
            attempt.finishHere(((Callable<T>) taken).call());
            return;
        }
        CompletionStage<T> stage = stageOf((Supplier<? extends @Nullable CompletionStage<T>>) taken);
        requireOthers(stage);
        stage.whenComplete((result, failure) -> {
            if (failure == null || TaskLife.isLastAttempt(piece)) {
                attempt.finish(result, failure == null ? null : unwrapped(failure));
            } else {
                failStage(attempt, failure);
            }
        });
    }
}
