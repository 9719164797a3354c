package io.orderedexecutor.engine.output;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link Piece}. Its phase says who may do something with the piece:
 *
 * <pre>
 *   WAITING ──▶ RUNNING    a thread that was handed the piece, unless something holds it back
 *   WAITING ──▶ OWNED      a thread that takes it out: a cancellation, a shutdown, a submitter whose hand-over failed
 *   RUNNING ──▶ WAITING    that thread: the work has failed and is tried again
 *   RUNNING ──▶ STAGED     that thread: the work is asynchronous, and its stage is not complete
 *   RUNNING ──▶ FINISHED   that thread: there is a result or a failure, and the turn of this piece has not come
 *   RUNNING ──▶ OWNED      that thread: its turn has come, or its future is done
 *   STAGED ──▶ OWNED       a thread that has completed the stage, or that completes the future
 *   FINISHED ──▶ OWNED     the server in its turn, or a thread that completes the future
 *   OWNED ──▶ FINISHED     the owner: there is a result or a failure, and its turn has not come; or it has, and another
 *                          thread is to be the server
 *   OWNED ──▶ STAGED       the owner: it has not completed the future after all
 *   OWNED ──▶ WAITING      the owner: the stage has failed, and the work is tried again
 *   OWNED ──▶ ENDED        the owner
 * </pre>
 *
 * <p>Marks are added to the state by any thread, and tell the one that is to take the next step:
 *
 * <ul>
 *   <li>TURN: all before it is over, and the server has stopped here. The thread that owns this piece is the server:
 *       who ends it goes on with the next. Never taken away.
 *   <li>TOLD: the stage is complete, and the thread that runs or owns this piece has to go on from there.
 *   <li>PAUSED, BACKING_OFF: this piece waits, and does not start before the mark is taken away; who does that hands it
 *       over again.
 *   <li>HAS_SLOT: it counts as being worked on, if the output limits that.
 * </ul>
 *
 * <p>All steps are compare-and-set operations on the state; so each piece has one end, whatever comes at the same time,
 * and the thread that takes a step sees what those before it have written.
 */
final class PieceState {
    private static final VarHandle STATE;
    private static final VarHandle HOLDER;

    static {
        try {
            var lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(Piece.class, "state", int.class);
            HOLDER = lookup.findVarHandle(Piece.class, "holder", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static final int WAITING = 0;
    static final int RUNNING = 1;
    static final int STAGED = 2;
    static final int FINISHED = 3;
    static final int OWNED = 4;
    static final int ENDED = 5;
    private static final int PHASE = 7;

    static final int TURN = 8;
    static final int TOLD = 16;
    static final int PAUSED = 32;
    static final int BACKING_OFF = 64;
    static final int HAS_SLOT = 128;

    private PieceState() {}

    /** For the submitter, before others know of this piece. */
    static void begin(Piece<?> piece, boolean hasTurn) {
        STATE.set(piece, hasTurn ? TURN : 0);
    }

    static int phase(Piece<?> piece) {
        return piece.state & PHASE;
    }

    /** Whether it waits for a thread, and for nothing else. */
    static boolean waits(Piece<?> piece) {
        return (piece.state & (PHASE | PAUSED | BACKING_OFF)) == WAITING;
    }

    static boolean isActive(Piece<?> piece) {
        int phase = phase(piece);
        return phase != WAITING && phase != ENDED;
    }

    /** Goes from a phase to another one, without these marks, if it is in that phase and has none of these marks. */
    private static boolean step(Piece<?> piece, int from, int to, int without) {
        for (int now = piece.state; (now & PHASE) == from && (now & without) == 0; now = piece.state) {
            if (STATE.compareAndSet(piece, now, now - from + to)) {
                return true;
            }
        }
        return false;
    }

    /** Adds a mark if this piece is in that phase. */
    static boolean mark(Piece<?> piece, int phase, int mark) {
        for (int now = piece.state; (now & PHASE) == phase; now = piece.state) {
            if (STATE.compareAndSet(piece, now, now | mark)) {
                return true;
            }
        }
        return false;
    }

    /** Takes a mark away; false if it has it not. */
    static boolean unmark(Piece<?> piece, int mark) {
        return (piece.state & mark) != 0 && ((int) STATE.getAndBitwiseAnd(piece, ~mark) & mark) != 0;
    }

    /** Makes this thread the one that runs the piece. */
    static boolean begin(Piece<?> piece, Thread thread) {
        boolean isMine = step(piece, WAITING, RUNNING, PAUSED | BACKING_OFF);
        if (isMine) {
            // a thread that cancels the piece or shuts down has either seen this one, or is seen when it asks for that
            piece.holder = thread;
        }
        return isMine;
    }

    /** Makes this thread the owner, if the piece is in this phase. */
    static boolean own(Piece<?> piece, int phase) {
        boolean isMine = step(piece, phase, OWNED, 0);
        if (isMine) {
            piece.holder = Thread.currentThread();
        }
        return isMine;
    }

    /** As {@link #own} of a finished piece, if another thread was asked to be the server here. */
    static boolean ownInTurn(Piece<?> piece) {
        return (piece.state & TURN) != 0 && own(piece, FINISHED);
    }

    /** Makes the thread that runs this piece the owner. */
    static void ownRunning(Piece<?> piece) {
        step(piece, RUNNING, OWNED, 0);
    }

    /**
     * For the thread that runs or owns this piece: leaves it in another phase.
     *
     * @param unless marks that keep it
     * @return false if it has one of those
     */
    static boolean leave(Piece<?> piece, int to, int unless) {
        int from = phase(piece);
        Thread thread = piece.holder;
        HOLDER.setOpaque(piece, null);
        boolean hasLeft = step(piece, from, to, unless);
        if (!hasLeft) {
            piece.holder = thread;
        }
        return hasLeft;
    }

    /**
     * The server comes to this piece.
     *
     * @param mayRun whether the server does the work of this piece if it waits
     * @return OWNED if this thread has become its owner, RUNNING if it is to do the work; ENDED if this piece is over;
     *     TURN if the right to serve is with the piece now
     */
    static int comeTo(Piece<?> piece, Thread server, boolean mayRun) {
        for (; ; ) {
            int now = piece.state;
            int phase = now & PHASE;
            if (phase == ENDED) {
                return ENDED;
            }
            boolean runs = mayRun && (now & (PHASE | PAUSED | BACKING_OFF)) == WAITING;
            int next = phase == FINISHED ? OWNED : runs ? RUNNING : phase;
            if (STATE.compareAndSet(piece, now, (now - phase + next) | TURN)) {
                if (next == phase) {
                    return TURN;
                }
                piece.holder = server;
                return next;
            }
        }
    }

    /**
     * The last step of the server. No mark can come to a piece that is written in its turn, so release is enough: what
     * others have to see at once, the server publishes with the position that it has come to.
     */
    static void endStateInTurn(Piece<?> piece) {
        HOLDER.setOpaque(piece, null);
        STATE.setRelease(piece, ENDED);
    }

    static boolean isMarked(Piece<?> piece, int mark) {
        return (piece.state & mark) != 0;
    }

    static boolean hasTurn(Piece<?> piece) {
        return (piece.state & TURN) != 0;
    }

    /**
     * The last step of the owner.
     *
     * @return whether the turn of this piece had come, and so this thread is the server
     */
    static boolean endState(Piece<?> piece) {
        HOLDER.setOpaque(piece, null);
        return ((int) STATE.getAndSet(piece, ENDED) & TURN) != 0;
    }

    /**
     * Notes that it counts as being worked on; false if it does not wait any more. Never added in another phase: who
     * has taken the piece out may have given back its slot already, or may be about to end it with all its marks.
     */
    static boolean takeSlot(Piece<?> piece) {
        return mark(piece, WAITING, HAS_SLOT);
    }

    static boolean leaveSlot(Piece<?> piece) {
        return unmark(piece, HAS_SLOT);
    }

    // its holder

    static @Nullable Thread holder(Piece<?> piece) {
        return piece.holder;
    }

    /** Interrupts the thread that does the work, if it still does. Called when this future is cancelled. */
    static void interruptRunner(Piece<?> piece) {
        synchronized (piece) {
            Thread thread = piece.holder;
            if (thread != null && phase(piece) == RUNNING) {
                thread.interrupt();
            }
        }
    }

    /** Interrupts the thread that does the work, or runs the output. */
    static void interruptHolder(Piece<?> piece) {
        synchronized (piece) {
            Thread thread = piece.holder;
            if (thread != null) {
                thread.interrupt();
            }
        }
    }

    /** For a thread that has left, or has ceased to do the work: clears an interrupt that was meant for that. */
    static void awaitInterrupter(Piece<?> piece) {
        synchronized (piece) {
            // one that has seen this thread as the holder is inside, or will find that it is no longer
        }
        Thread.interrupted();
    }
}
