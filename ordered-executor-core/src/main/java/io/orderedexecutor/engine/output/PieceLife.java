package io.orderedexecutor.engine.output;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.output.AfterWork.Next;
import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.strand.TaskRun;
import io.orderedexecutor.engine.task.Reason;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The life of the pieces of one output, from the thread that is handed a piece until that has done the work: it is run,
 * or put aside, or its future is completed before its turn. What follows the work is the concern of {@link AfterWork},
 * and what follows in its turn that of {@link OutputServer}.
 */
final class PieceLife implements Piece.Life, ServesTasks {
    private final PieceHost host;
    private final Slots<Piece<?>, Piece.Owner> slots;
    private final OutputServer server;
    private final PieceEnd ends;
    private final AfterWork after;

    PieceLife(PieceHost host, OutputServer.Output output) {
        this.host = host;
        this.slots = new Slots<>(new Piece.Owner(host.place(), this));
        this.server = new OutputServer(host, slots, output);
        this.ends = new PieceEnd(host, server);
        this.after = new AfterWork(host, server, ends);
    }

    Slots<Piece<?>, Piece.Owner> slots() {
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
    public void forEach(Consumer<? super Piece<?>> visitor) {
        server.forEach(visitor);
    }

    @Override
    public String describe() {
        return host.describe();
    }

    @Override
    public Reason heldUpBy(Piece<?> piece) {
        return PieceReasons.of(piece, host, server);
    }

    // the work

    /** A second run of one hand-over does nothing. */
    @Override
    public void run(Piece<?> piece) {
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
        if (isPutAside(piece) || !PieceState.begin(piece, thread)) {
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
    public boolean work(Piece<?> piece, Thread thread) {
        Next next;
        do {
            next = perform(piece, thread);
        } while (next == Next.WORK && !isPutAside(piece) && PieceState.begin(piece, thread));
        return next == Next.WRITE;
    }

    /** Whether the piece does not start now, since the executor is paused, or stops. */
    private boolean isPutAside(Piece<?> piece) {
        if (!host.holdsBack() || !PieceState.mark(piece, PieceState.WAITING, PieceState.PAUSED)) {
            return false;
        }
        // read after the mark: a thread that resumes has either seen it, or is seen here
        return host.holdsBack() || !PieceState.unmark(piece, PieceState.PAUSED);
    }

    /** Lets a piece go on that was put aside. */
    void unpause(Piece<?> piece) {
        if (PieceState.unmark(piece, PieceState.PAUSED)) {
            handOverAgain(piece);
        }
    }

    @Override
    public void handOverAgain(Piece<?> piece) {
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
                PieceState.ownRunning(piece);
                // who has cancelled it may have seen this thread run it, and be about to interrupt it
                PieceState.awaitInterrupter(piece);
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
                return after.failed(piece, work, failure);
            }
            if (!piece.isStage()) {
                return after.finish(piece);
            }
            return after.leaveToStage(piece) ? Next.LEFT : after.settle(piece);
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
    public void rescue(Piece<?> piece, Thread thread) {
        if (PieceState.holder(piece) == thread && piece.work() != null) {
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
        if (PieceState.holder(piece) != thread) {
            return;
        }
        if (unstarted == null) {
            piece.lose();
            PieceState.leave(piece, PieceState.FINISHED, 0);
        } else {
            piece.putWorkBack(unstarted);
            host.onPutBack();
            leaveUnattended(piece);
        }
        server.forget();
    }

    /** For the holder: leaves a piece to the next thread that comes by. */
    private static void leaveUnattended(Piece<?> piece) {
        PieceState.mark(piece, PieceState.phase(piece), PieceState.PAUSED);
        PieceState.leave(piece, PieceState.WAITING, 0);
    }

    // asynchronous work

    /** The thread that has completed a stage is not kept for outputs. */
    @Override
    public void onStageTold(Piece<?> piece) {
        for (; ; ) {
            int phase = PieceState.phase(piece);
            if (phase == PieceState.STAGED && PieceState.own(piece, phase)) {
                Thread thread = Thread.currentThread();
                boolean interrupted = thread.isInterrupted();
                goOn(piece, after.settle(piece));
                PieceEnd.giveBack(thread, interrupted);
                return;
            }
            boolean isHeld = phase == PieceState.RUNNING || phase == PieceState.OWNED;
            if (phase != PieceState.STAGED && (!isHeld || PieceState.mark(piece, phase, PieceState.TOLD))) {
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

    // before its turn

    /**
     * If nobody does anything for the piece at this moment, this thread is the owner meanwhile: the next output waits
     * for the dependent actions.
     */
    @Override
    public boolean complete(Piece<?> piece, BooleanSupplier way) {
        int phase = PieceState.own(piece, PieceState.STAGED) ? PieceState.STAGED : PieceState.FINISHED;
        boolean owned = phase == PieceState.STAGED || PieceState.own(piece, PieceState.FINISHED);
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
                if (!after.leaveToStage(piece)) {
                    goOn(piece, after.settle(piece));
                }
            } else if (PieceState.leave(piece, PieceState.FINISHED, PieceState.TURN)) {
                after.afterLeaving(piece);
            } else {
                server.serve(piece, false);
            }
        } catch (Throwable noStack) {
            if (PieceState.holder(piece) == thread) {
                piece.lose();
                PieceState.leave(piece, PieceState.FINISHED, 0);
                server.forget();
            }
            throw noStack;
        }
    }
}
