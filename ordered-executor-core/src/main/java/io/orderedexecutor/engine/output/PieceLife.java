package io.orderedexecutor.engine.output;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.strand.Reason;
import io.orderedexecutor.engine.strand.StageFuture;
import io.orderedexecutor.engine.strand.TaskRun;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The life of the pieces of one output, from the thread that is handed a piece until there is a result or a failure: it
 * is run; or it is asynchronous, and its stage goes on elsewhere; or it fails, and is tried again after a pause. What
 * follows in its turn is the concern of {@link OutputServer}.
 */
final class PieceLife extends Piece.Life implements ServesTasks {
    private final PieceHost host;
    private final Slots<Piece<?>, Piece.Life> slots;
    private final OutputServer server;
    private final PieceEnd ends;

    PieceLife(PieceHost host, OutputServer.Output output) {
        super(host.place());
        this.host = host;
        this.slots = new Slots<>(this);
        this.server = new OutputServer(host, slots, output);
        this.ends = new PieceEnd(host, server);
    }

    Slots<Piece<?>, Piece.Life> slots() {
        return slots;
    }

    OutputServer server() {
        return server;
    }

    PieceHost host() {
        return host;
    }

    PieceEnd ends() {
        return ends;
    }

    @Override
    void forEach(Consumer<? super Piece<?>> visitor) {
        server.forEach(visitor);
    }

    @Override
    String describe() {
        return host.describe();
    }

    @Override
    Reason heldUpBy(Piece<?> piece) {
        return PieceReasons.of(piece, host, server);
    }

    // the work

    /** A second run of one hand-over does nothing. */
    @Override
    void run(Piece<?> piece) {
        Thread thread = Thread.currentThread();
        boolean interrupted = Thread.interrupted();
        var unused = tryRun(piece, thread);
        PieceEnd.giveBack(thread, interrupted);
    }

    /**
     * Does the work of a piece and goes on as the server, if its turn has come.
     *
     * @return false if it does not wait, or is put aside
     */
    boolean tryRun(Piece<?> piece, Thread thread) {
        if (isPutAside(piece) || !piece.begin(thread)) {
            return false;
        }
        if (work(piece, thread)) {
            try {
                server.serve(piece, true);
            } catch (Throwable ofOurs) {
                UncaughtFailures.report(ofOurs);
                rescue(piece, thread);
            }
        }
        return true;
    }

    @Override
    boolean work(Piece<?> piece, Thread thread) {
        Next next;
        do {
            next = perform(piece, thread);
        } while (next == Next.WORK && !isPutAside(piece) && piece.begin(thread));
        return next == Next.WRITE;
    }

    /** Whether the piece does not start now, since the executor is paused. */
    private boolean isPutAside(Piece<?> piece) {
        if (!host.engine().isPaused() || !piece.mark(PieceState.WAITING, PieceState.PAUSED)) {
            return false;
        }
        // read after the mark: a thread that resumes has either seen it, or is seen here
        return host.engine().isPaused() || !piece.unmark(PieceState.PAUSED);
    }

    /** Lets a piece go on that was put aside. */
    void unpause(Piece<?> piece) {
        if (piece.unmark(PieceState.PAUSED)) {
            handOverAgain(piece);
        }
    }

    @Override
    void handOverAgain(Piece<?> piece) {
        if (!host.workers().passOn(piece)) {
            run(piece);
        }
    }

    /**
     * Does the work, for the thread that runs the piece, and contains what it throws; and what our own code throws, if
     * memory or stack run out.
     */
    private Next perform(Piece<?> piece, Thread thread) {
        Object work = null;
        boolean started = false;
        try {
            work = Objects.requireNonNull(piece.takeWork());
            host.onTaken();
            if (piece.isDone()) {
                piece.ownRunning();
                ends.skip(piece, work);
                return Next.LEFT;
            }
            start(piece, work, thread);
            started = true;
            Throwable failure = null;
            try {
                host.beforeWork();
                var unused = piece.perform(work);
            } catch (Throwable thrown) {
                failure = thrown;
            }
            Thread.interrupted();
            if (failure != null) {
                return afterFailure(piece, work, failure);
            }
            if (!piece.isStage()) {
                return finish(piece);
            }
            return isStaged(piece) ? Next.LEFT : settle(piece);
        } catch (Throwable ofOurs) {
            UncaughtFailures.report(ofOurs);
            rescue(piece, started ? null : work, thread);
            return Next.LEFT;
        }
    }

    private void start(Piece<?> piece, Object work, Thread thread) {
        TaskRun run = host.reporter().tellStart(host.key(), work, piece.placedAt(), null, 0);
        if (run != null) {
            piece.makeDetails().run = run;
            Thread.interrupted();
        }
        if (piece.isStage() && host.policy() != FailurePolicy.proceed()) {
            piece.makeDetails().work = work;
        }
        // read after this thread has become the holder: a shutdown that has not seen it interrupts it here
        if (host.isStopping()) {
            thread.interrupt();
        }
    }

    @Override
    void rescue(Piece<?> piece, Thread thread) {
        if (piece.holder() == thread && piece.work() != null) {
            leaveUnattended(piece);
            server.forget();
        } else {
            rescue(piece, null, thread);
        }
    }

    /**
     * Puts back what has not started, and loses what has.
     *
     * @param unstarted the work, if it has not started
     */
    private void rescue(Piece<?> piece, @Nullable Object unstarted, Thread thread) {
        if (piece.holder() != thread) {
            return;
        }
        if (unstarted == null) {
            piece.lose();
            piece.leave(PieceState.FINISHED, 0);
        } else {
            piece.putWorkBack(unstarted);
            host.onPutBack();
            leaveUnattended(piece);
        }
        server.forget();
    }

    /** For the holder: leaves a piece to the next thread that comes by. */
    private static void leaveUnattended(Piece<?> piece) {
        piece.mark(piece.phase(), PieceState.PAUSED);
        piece.leave(PieceState.WAITING, 0);
    }

    // asynchronous work

    /**
     * Leaves a piece to its stage.
     *
     * @return false if that is complete already, and the piece still with this thread
     */
    private boolean isStaged(Piece<?> piece) {
        if (!piece.leave(PieceState.STAGED, PieceState.TOLD)) {
            piece.unmark(PieceState.TOLD);
            return false;
        }
        afterLeaving(piece);
        return true;
    }

    /** The thread that has completed a stage is not kept for outputs. */
    @Override
    void onStageTold(Piece<?> piece) {
        for (; ; ) {
            int phase = piece.phase();
            if (phase == PieceState.STAGED && piece.own(phase)) {
                Thread thread = Thread.currentThread();
                boolean interrupted = thread.isInterrupted();
                goOn(piece, settle(piece));
                PieceEnd.giveBack(thread, interrupted);
                return;
            }
            boolean isHeld = phase == PieceState.RUNNING || phase == PieceState.OWNED;
            if (phase != PieceState.STAGED && (!isHeld || piece.mark(phase, PieceState.TOLD))) {
                return;
            }
        }
    }

    /** For a thread that is not kept for work and outputs. */
    private void goOn(Piece<?> piece, Next next) {
        if (next == Next.WORK) {
            handOverAgain(piece);
        } else if (next == Next.WRITE) {
            server.serve(piece, false);
        }
    }

    /** Goes on with a piece whose stage is complete. */
    private Next settle(Piece<?> piece) {
        Piece.Details details = piece.makeDetails();
        PieceStage stage = Objects.requireNonNull(details.stage);
        Throwable thrown = stage.thrown;
        if (thrown != null) {
            boolean isLast = !host.policy().retriesAfter(details.failures + 1);
            return afterFailure(piece, details.work, isLast ? StageFuture.unwrapped(thrown) : thrown);
        }
        piece.setResult(stage.result);
        return finish(piece);
    }

    // after the work

    /** What the thread that has done the work of a piece does next. */
    private enum Next {
        /** It is the owner, since the turn has come, and writes. */
        WRITE,
        /** The piece waits, and is to be run again at once. */
        WORK,
        /** Nothing. */
        LEFT
    }

    /** The work is finished: leaves the piece to the server, or is the server if its turn has come. */
    private Next finish(Piece<?> piece) {
        host.leaveSlot(piece);
        Piece.Details details = piece.details();
        if (details != null && details.run != null) {
            details.finishedAt = host.now();
        }
        if (!piece.hasTurn() && piece.leave(PieceState.FINISHED, PieceState.TURN)) {
            afterLeaving(piece);
            return Next.LEFT;
        }
        piece.ownRunning();
        if (isOver(piece)) {
            piece.awaitInterrupter();
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
    private void afterLeaving(Piece<?> piece) {
        if (isOver(piece)) {
            piece.awaitInterrupter();
            if (piece.isDone()) {
                ends.leaveOut(piece);
            } else {
                piece.cancel(true);
            }
        }
    }

    // failures

    /** Tries again, or finishes with the failure, as the policy says. */
    private Next afterFailure(Piece<?> piece, @Nullable Object work, Throwable failure) {
        Piece.Details details = piece.makeDetails();
        int failures = ++details.failures;
        details.work = null;
        details.stage = null;
        if (work == null || piece.isDone() || !host.policy().retriesAfter(failures)) {
            piece.setFailure(failure);
            return finish(piece);
        }
        if (host.isStopping()) {
            piece.ownRunning();
            piece.awaitInterrupter();
            ends.end(piece, failure);
            return Next.LEFT;
        }
        Duration pause = host.policy().pauseAfter(failures);
        piece.putWorkBack(work);
        host.onPutBack();
        host.reporter().tellPutBack(host.key(), work, failures, pause, failure);
        details.run = null;
        return waitsNoLonger(piece, pause, failure) ? Next.WORK : Next.LEFT;
    }

    /** Lets a piece wait that is to be tried again; returns whether this thread goes on with it. */
    private boolean waitsNoLonger(Piece<?> piece, Duration pause, Throwable failure) {
        if (!pause.isZero()) {
            piece.makeDetails().failure = failure;
            piece.makeDetails().until = host.now() + Turn.nanos(pause);
            piece.mark(piece.phase(), PieceState.BACKING_OFF);
        }
        piece.leave(PieceState.WAITING, 0);
        if (isOver(piece)) {
            piece.awaitInterrupter();
            if (piece.own(PieceState.WAITING)) {
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
            return piece.unmark(PieceState.BACKING_OFF);
        }
    }

    /** For the thread of a timer, which must not do the work. */
    private void goOnElsewhere(Piece<?> piece) {
        if (piece.unmark(PieceState.BACKING_OFF)) {
            try {
                host.workers().runElsewhere(piece);
            } catch (Throwable noMemory) {
                piece.mark(PieceState.WAITING, PieceState.PAUSED);
                server.forget();
                UncaughtFailures.report(noMemory);
            }
        }
    }

    // before its turn

    /**
     * If nobody does anything for the piece at this moment, this thread is the owner meanwhile: the next output waits
     * for the dependent actions.
     */
    @Override
    boolean complete(Piece<?> piece, BooleanSupplier way) {
        int phase = piece.own(PieceState.STAGED) ? PieceState.STAGED : PieceState.FINISHED;
        boolean owned = phase == PieceState.STAGED || piece.own(PieceState.FINISHED);
        Thread thread = Thread.currentThread();
        boolean interrupted = thread.isInterrupted();
        try {
            return way.getAsBoolean();
        } finally {
            if (owned) {
                endOrLeave(piece, phase, thread);
            } else if (piece.isDone()) {
                ends.leaveOut(piece);
            }
            PieceEnd.giveBack(thread, interrupted);
        }
    }

    /** For a thread that has owned a piece to complete its future, and may have done so. */
    private void endOrLeave(Piece<?> piece, int phaseBefore, Thread thread) {
        try {
            if (piece.isDone()) {
                ends.end(piece, null);
            } else if (phaseBefore == PieceState.STAGED) {
                if (!isStaged(piece)) {
                    goOn(piece, settle(piece));
                }
            } else if (piece.leave(PieceState.FINISHED, PieceState.TURN)) {
                afterLeaving(piece);
            } else {
                server.serve(piece, false);
            }
        } catch (Throwable noStack) {
            if (piece.holder() == thread) {
                piece.lose();
                piece.leave(PieceState.FINISHED, 0);
                server.forget();
            }
            throw noStack;
        }
    }
}
