package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.strand.StageFuture;
import io.orderedexecutor.engine.strand.TaskRun;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What follows when the work of a piece has returned, or thrown, or its stage is complete: it is left to its stage; or
 * it is finished, and written if its turn has come; or it has failed, and is tried again, perhaps after a pause. Called
 * by the thread that runs or owns the piece. For the pieces of one output.
 */
final class AfterWork implements ServesTasks {
    private final PieceHost host;
    private final OutputServer server;
    private final PieceEnd ends;

    AfterWork(PieceHost host, OutputServer server, PieceEnd ends) {
        this.host = host;
        this.server = server;
        this.ends = ends;
    }

    /** What the thread that has done the work of a piece does next. */
    enum Next {
        /** It is the owner, since the turn has come, and writes. */
        WRITE,
        /** The piece waits, and is to be run again at once. */
        WORK,
        /** Nothing. */
        LEFT
    }

    // asynchronous work

    /**
     * Leaves a piece to its stage.
     *
     * @return false if that is complete already, and the piece still with this thread
     */
    boolean leaveToStage(Piece<?> piece) {
        if (!PieceState.leave(piece, PieceState.STAGED, PieceState.TOLD)) {
            PieceState.unmark(piece, PieceState.TOLD);
            return false;
        }
        afterLeaving(piece);
        return true;
    }

    /** Goes on with a piece whose stage is complete. */
    Next settle(Piece<?> piece) {
        Piece.Details details = piece.makeDetails();
        PieceStage stage = Objects.requireNonNull(details.stage);
        Throwable thrown = stage.thrown;
        if (thrown != null) {
            boolean isLast = !host.policy().retriesAfter(details.failures + 1);
            return failed(piece, details.work, isLast ? StageFuture.unwrapped(thrown) : thrown);
        }
        piece.setResult(stage.result);
        return finish(piece);
    }

    // the end of the work

    /** The work is finished: leaves the piece to the server, or is the server if its turn has come. */
    Next finish(Piece<?> piece) {
        host.leaveSlot(piece);
        Piece.Details details = piece.details();
        if (details != null && details.run != null) {
            details.finishedAt = host.now();
        }
        if (!PieceState.hasTurn(piece) && PieceState.leave(piece, PieceState.FINISHED, PieceState.TURN)) {
            afterLeaving(piece);
            return Next.LEFT;
        }
        PieceState.ownRunning(piece);
        if (isOver(piece)) {
            PieceState.awaitInterrupter(piece);
        }
        return Next.WRITE;
    }

    private boolean isOver(Piece<?> piece) {
        return piece.isDone() || host.isStopping();
    }

    /**
     * Read after the phase has changed: a thread that completes the future, or shuts down, has either seen the new
     * phase, or is seen here.
     */
    void afterLeaving(Piece<?> piece) {
        if (isOver(piece)) {
            PieceState.awaitInterrupter(piece);
            if (piece.isDone()) {
                ends.leaveOut(piece);
            } else {
                piece.cancel(true);
            }
        }
    }

    // failures

    /** Tries again, or finishes with the failure, as the policy says. */
    Next failed(Piece<?> piece, @Nullable Object work, Throwable failure) {
        Piece.Details details = piece.makeDetails();
        int failures = ++details.failures;
        details.work = null;
        details.stage = null;
        if (work == null || piece.isDone() || !host.policy().retriesAfter(failures)) {
            piece.setFailure(failure);
            return finish(piece);
        }
        if (host.isStopping()) {
            PieceState.ownRunning(piece);
            PieceState.awaitInterrupter(piece);
            ends.end(piece, failure);
            return Next.LEFT;
        }
        Duration pause = host.policy().pauseAfter(failures);
        piece.putWorkBack(work);
        host.onPutBack();
        host.reporter().tellPutBack(host.key(), work, failures, pause, failure);
        TaskRun ended = details.run;
        details.run = null;
        return waitsNoLonger(piece, pause, failure, ended) ? Next.WORK : Next.LEFT;
    }

    /**
     * Lets a piece wait that is to be tried again.
     *
     * @param ended the run that has failed; null if there is no listener. It is the last one if the executor is being
     *     shut down
     * @return whether this thread goes on with the piece
     */
    private boolean waitsNoLonger(Piece<?> piece, Duration pause, Throwable failure, @Nullable TaskRun ended) {
        if (!pause.isZero()) {
            piece.makeDetails().failure = failure;
            piece.makeDetails().until = host.now() + Turn.nanos(pause);
            PieceState.mark(piece, PieceState.phase(piece), PieceState.BACKING_OFF);
        }
        PieceState.leave(piece, PieceState.WAITING, 0);
        if (isOver(piece)) {
            PieceState.awaitInterrupter(piece);
            if (PieceState.own(piece, PieceState.WAITING)) {
                piece.makeDetails().run = ended;
                ends.endTakenOut(piece, piece.isDone() ? null : failure);
            }
            return false;
        }
        if (pause.isZero()) {
            return true;
        }
        try {
            host.engine().platform().schedule(Turn.nanos(pause), () -> goOnElsewhere(piece));
            return false;
        } catch (Throwable noTimer) {
            // the pause is lost, the piece is not
            UncaughtFailures.report(noTimer);
            return PieceState.unmark(piece, PieceState.BACKING_OFF);
        }
    }

    /** For the thread of a timer, which must not do the work. */
    private void goOnElsewhere(Piece<?> piece) {
        if (PieceState.unmark(piece, PieceState.BACKING_OFF)) {
            try {
                host.workers().runElsewhere(piece);
            } catch (Throwable noMemory) {
                PieceState.mark(piece, PieceState.WAITING, PieceState.PAUSED);
                server.forget();
                UncaughtFailures.report(noMemory);
            }
        }
    }
}
