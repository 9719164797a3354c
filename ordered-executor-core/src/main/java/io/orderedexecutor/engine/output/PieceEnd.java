package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.strand.TaskReporter;
import org.jspecify.annotations.Nullable;

/** How pieces end that are not written: cancelled, completed by others, taken back, refused. For one output. */
final class PieceEnd implements ServesTasks {
    private final PieceHost host;
    private final OutputServer server;

    PieceEnd(PieceHost host, OutputServer server) {
        this.host = host;
        this.server = server;
    }

    /** For a piece whose future is done: takes it out if it waits, and ends it if nobody does anything for it. */
    void leaveOut(Piece<?> piece) {
        if (PieceState.own(piece, PieceState.WAITING)) {
            endTakenOut(piece, null);
        } else if (PieceState.own(piece, PieceState.STAGED) || PieceState.own(piece, PieceState.FINISHED)) {
            end(piece, null);
        }
    }

    /**
     * Takes a piece back that waits.
     *
     * @return what was submitted; null if it does not wait, or is done
     */
    @Nullable
    Runnable takeBack(Piece<?> piece) {
        if (!PieceState.own(piece, PieceState.WAITING)) {
            return null;
        }
        Thread thread = Thread.currentThread();
        boolean interrupted = thread.isInterrupted();
        Runnable submitted = piece.submitted();
        boolean wasDone = piece.isDone();
        piece.cancel(false);
        endTakenOut(piece, null);
        giveBack(thread, interrupted);
        return wasDone ? null : submitted;
    }

    /** For a submitter that has found no thread: false if the piece has been run or taken out all the same. */
    boolean withdraw(Piece<?> piece) {
        if (!PieceState.own(piece, PieceState.WAITING)) {
            return false;
        }
        Thread thread = Thread.currentThread();
        boolean interrupted = thread.isInterrupted();
        host.leaveSlot(piece);
        over(piece);
        giveBack(thread, interrupted);
        return true;
    }

    /** An interrupt that a thread has brought along is meant for nothing that it does here. */
    static void giveBack(Thread thread, boolean interrupted) {
        if (interrupted) {
            thread.interrupt();
        }
    }

    /** For the owner of a piece whose work has not begun, or waits to be tried again. */
    void endTakenOut(Piece<?> piece, @Nullable Throwable failure) {
        Object work = piece.takeWork();
        host.onTaken();
        if (failure != null) {
            end(piece, failure);
            return;
        }
        TaskReporter reporter = host.reporter();
        if (work != null) {
            reporter.tellCancelled(host.key(), work);
        }
        host.leaveSlot(piece);
        reporter.countTakenOut(piece);
        over(piece);
    }

    /** For the owner of a piece that was taken by a thread, which has found it done. */
    void skip(Piece<?> piece, Object work) {
        host.leaveSlot(piece);
        host.reporter().skip(host.key(), piece, work);
        over(piece);
    }

    /** For the owner of a piece that was worked on. */
    void end(Piece<?> piece, @Nullable Throwable failure) {
        host.leaveSlot(piece);
        host.count(piece, failure);
        over(piece);
    }

    private void over(Piece<?> piece) {
        boolean isServer = piece.end();
        if (host.isStopping()) {
            PieceState.awaitInterrupter(piece);
        }
        if (isServer) {
            server.goOn();
        }
    }
}
