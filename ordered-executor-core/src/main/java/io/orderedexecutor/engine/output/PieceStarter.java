package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.RejectionCounts;
import org.jspecify.annotations.Nullable;

/**
 * Finds a thread for a piece that has its place in an output: calls one to the output, or hands over each piece, or
 * lets it wait if the output works on as many as it may. A piece for which there is no thread is withdrawn.
 */
final class PieceStarter {
    private final PieceHost host;
    private final PieceEnd ends;

    /** Null if each piece is handed over by itself. */
    private final @Nullable PieceCaller caller;

    PieceStarter(PieceHost host, PieceLife life) {
        this.host = host;
        this.ends = life.ends();
        this.caller = host.callsOnce() ? new PieceCaller(host, life) : null;
    }

    /** Starts a piece, or throws. */
    void start(Piece<?> piece) {
        boolean isStarted = false;
        try {
            startOrAwaitSlot(piece);
            isStarted = true;
        } finally {
            if (!isStarted) {
                // whatever was thrown, memory or stack may have run out
                ends.withdraw(piece);
            }
        }
    }

    private void startOrAwaitSlot(Piece<?> piece) {
        ConcurrencyLimit limit = host.limit();
        if (limit == null) {
            handOver(piece);
        } else if (limit.tryTake()) {
            if (PieceState.takeSlot(piece)) {
                handOver(piece);
            } else {
                limit.release();
            }
        } else {
            limit.await(piece);
        }
    }

    /**
     * Hands a piece to the workers. If they refuse, the submitter takes it back and gets the refusal, unless it has
     * been run or taken out all the same.
     */
    private void handOver(Piece<?> piece) {
        try {
            if (caller == null) {
                host.workers().handOver(piece);
            } else {
                caller.call();
            }
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            boolean isWithdrawn = ends.withdraw(piece);
            callAgain();
            if (!isWithdrawn) {
                UncaughtFailures.report(refusal);
                return;
            }
            host.reporter().rejections().count(RejectionCounts.Reason.NO_THREAD);
            throw refusal;
        }
    }

    /** Finds a thread for pieces that wait, and that no thread may have been called to. */
    void callAgain() {
        if (caller != null) {
            caller.callAgain();
        }
    }
}
