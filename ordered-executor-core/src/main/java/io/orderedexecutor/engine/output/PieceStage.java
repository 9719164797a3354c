package io.orderedexecutor.engine.output;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at the work of a {@link Piece} that is asynchronous: what its stage tells when it is complete. It is
 * heard once: a stage of others may tell its end twice, or tell it and throw then.
 */
final class PieceStage implements BiConsumer<@Nullable Object, @Nullable Throwable> {
    private static final VarHandle TOLD;

    static {
        try {
            TOLD = MethodHandles.lookup().findVarHandle(PieceStage.class, "told", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Piece<?> piece;

    /** Whether it was heard, or will not be. Set once, by compare-and-set. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile boolean told;

    /** Written by the thread that is heard, before it takes a step with the piece, which publishes it. */
    @Nullable
    Object result;

    @Nullable
    Throwable thrown;

    private PieceStage(Piece<?> piece) {
        this.piece = piece;
    }

    /** Listens to a stage, for the thread that runs the piece. */
    static void begin(Piece<?> piece, CompletionStage<?> stage) {
        PieceStage attempt = new PieceStage(piece);
        piece.makeDetails().stage = attempt;
        try {
            stage.whenComplete(attempt);
        } catch (Throwable failure) {
            if (attempt.tell()) {
                throw failure;
            }
        }
    }

    private boolean tell() {
        return TOLD.compareAndSet(this, false, true);
    }

    @Override
    public void accept(@Nullable Object result, @Nullable Throwable thrown) {
        if (tell()) {
            this.result = result;
            this.thrown = thrown;
            piece.onStageTold();
        }
    }
}
