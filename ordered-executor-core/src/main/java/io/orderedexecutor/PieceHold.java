package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a {@link Piece}, which holds its chain from the end of the work until its output has run. It takes its
 * turn when two things have happened, in any order: the work is finished, and the thread that has started it has left
 * the chain. If that thread finishes the work in its turn, it need not leave, and runs the output as the holder that it
 * is.
 *
 * @param <T> the type of the result
 */
final class PieceHold<T extends @Nullable Object> extends Hold implements Runnable {
    private static final VarHandle HAPPENED;

    static {
        try {
            HAPPENED = MethodHandles.lookup().findVarHandle(PieceHold.class, "happened", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int FINISHED = 1;
    private static final int LEFT = 2;

    /** Somebody is about to say how the work has finished. */
    private static final int FINISHING = 4;

    /** The same as {@link #future}, and typed. */
    private final TaskFuture<T> promise;

    private final Piece piece;

    /** What the work has given, or thrown. Written before {@link #FINISHED} is set by the one who writes it. */
    private @Nullable T value;

    private @Nullable Throwable thrown;

    /** When, by {@link System#nanoTime}; 0 if nobody asks. Written as the value is. */
    private long finishedAt;

    /** Which of the two has happened; whoever adds the second takes the turn. Changed by atomic addition of bits. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile int happened;

    PieceHold(TaskFuture<T> future, Piece piece) {
        super(future);
        this.promise = future;
        this.piece = piece;
    }

    /**
     * The work is finished, perhaps on a thread of others, which is not kept for outputs. The first word counts: a
     * stage of others may tell its end and throw then.
     */
    void finish(@Nullable T result, @Nullable Throwable failure) {
        if ((note(FINISHING) & FINISHING) != 0) {
            return;
        }
        value = result;
        thrown = failure;
        finishedAt = piece.host().events() == null ? 0 : piece.host().platform().nanoTime();
        if (isSecond(FINISHED)) {
            piece.takeTurn(this, false);
        }
    }

    /**
     * As {@link #finish}, for the thread that has started the work, and brings the first word: nobody else knows of
     * this yet.
     */
    void finishHere(@Nullable T result) {
        value = result;
        finishedAt = piece.host().events() == null ? 0 : piece.host().platform().nanoTime();
        // plain is enough: who else is to see it gets this from the holder of the chain
        HAPPENED.set(this, FINISHING | FINISHED);
    }

    @Override
    boolean endsHere() {
        return ((int) HAPPENED.getAcquire(this) & FINISHED) != 0 && piece.takeTurnHere(this);
    }

    private boolean isSecond(int event) {
        return (note(event) & (FINISHED | LEFT)) == (FINISHED | LEFT) - event;
    }

    /** Returns what had happened before. */
    private int note(int event) {
        return (int) HAPPENED.getAndBitwiseOr(this, event);
    }

    /** The thread that has started the work has left the chain. */
    @Override
    void held() {
        if (isSecond(LEFT)) {
            piece.takeTurn(this, true);
        }
    }

    /** Runs the output, in its turn; tells whether it has ended the ticket. */
    boolean write() {
        return piece.write(this);
    }

    /** The same, for one who takes this for a mere {@link Runnable}. */
    @Override
    public void run() {
        write();
    }

    /** Called by the holder of the piece. */
    void writeTo(OutputSequence<T> output) {
        if (!promise.isDone()) {
            output.write(this, value, thrown);
        }
    }

    /** Called when the output has run from {@code begunAt} to now. */
    void written(T written, long begunAt) {
        TaskEvents events = piece.host().events();
        Object work = TaskReporter.running(piece);
        if (events != null && work != null) {
            events.written(
                    piece.key(),
                    work,
                    begunAt - finishedAt,
                    piece.host().platform().nanoTime() - begunAt);
        }
        promise.complete(written);
    }

    void failed(Throwable failure) {
        promise.completeExceptionally(failure);
    }
}
