package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.output.Slots.Block;
import io.orderedexecutor.engine.output.Slots.Mark;
import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The right to write the results of an output, one after the other. No thread waits for it: the thread that finishes
 * the piece whose turn it is has the right, writes that piece and those behind it that are finished, and leaves the
 * right where it cannot go on:
 *
 * <pre>
 *   with a thread ──▶ at a piece    that is not finished; its state has the mark TURN, and whoever finishes or ends it
 *                                   has the right
 *   with a thread ──▶ at a free slot  which is marked FIRST; the submitter's piece that comes there has the mark TURN
 *   with a thread ──▶ at a finished piece, or unattended   another thread was asked to go on; the one that comes first
 *                                   takes the right
 *   with a thread ──▶ over          the output is closed, and all is written
 * </pre>
 *
 * <p>All that a server needs to know is in the slot at {@link #served}: so one that is thrown out for want of memory or
 * stack leaves the right unattended, and the next thread that comes goes on.
 */
final class OutputServer implements Runnable, ServesTasks {
    /** What is served. */
    interface Output {

        /** Passes a result on, or handles the failure, and completes the future of the piece. */
        void write(Piece<?> piece);

        /** There is room for one more; returns false if nobody waits for it. */
        boolean onRoom();

        /** There is no piece any more that is not over, unless one has come meanwhile. */
        void onEmpty();
    }

    /** No thread has this id. */
    private static final long NO_THREAD = 0;

    /** So many slots that are over take no longer than a look at the clock. */
    private static final int SLOTS_PER_LOOK = 64;

    /**
     * A server that does the work, too, looks after so many pieces whether it is wanted elsewhere, and then at the
     * clock: after each, that would be a tenth of all that short ones cost.
     */
    private static final int PIECES_PER_LOOK = 4;

    private static final VarHandle SERVER;
    private static final VarHandle UNATTENDED;
    private static final VarHandle OUT_OF_WINDOW;

    static {
        try {
            var lookup = MethodHandles.lookup();
            SERVER = lookup.findVarHandle(OutputServer.class, "server", long.class);
            OUT_OF_WINDOW = lookup.findVarHandle(OutputServer.class, "outOfWindow", long.class);
            UNATTENDED = lookup.findVarHandle(OutputServer.class, "unattended", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PieceHost host;
    private final Slots<Piece<?>, Piece.Owner> slots;
    private final Output output;
    private final Flushes flushes = new Flushes();

    /** The block of the slot at {@link #served}, or the one before. Written by the server. */
    private volatile Block<Piece<?>, Piece.Owner> block;

    /** How many pieces are over, and the position of the next one. Written by the server after each. */
    private volatile long served;

    /**
     * How many pieces are no longer in the window: those that are over, and the one that is written and whose future is
     * being completed. Written by the server, read by submitters.
     */
    @SuppressWarnings("UnusedVariable") // it is written through its handle
    private volatile long outOfWindow;

    /**
     * The id of the thread that completes futures of {@link Flushes}; {@link #NO_THREAD} between. Written by the
     * server; opaque, since each thread asks for itself only.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private long server = NO_THREAD;

    /** Whether a submitter was told that the piece that is written has left the window. Used by the server. */
    private boolean hasToldOfRoom;

    /** Whether no thread has the right, although there is something to do. Taken by compare-and-set. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile boolean unattended;

    /** Whether another thread may have to be found to go on. A hint, written where no call may succeed any more. */
    private volatile boolean forgotten;

    /** Whether a server does the work of the next piece, if that waits. */
    private final boolean mayRun;

    OutputServer(PieceHost host, Slots<Piece<?>, Piece.Owner> slots, Output output) {
        this.host = host;
        this.mayRun = host.callsOnce();
        this.slots = slots;
        this.output = output;
        this.block = slots.last();
    }

    /** The block of the next piece, or the one before. */
    Block<Piece<?>, Piece.Owner> block() {
        return block;
    }

    long served() {
        return served;
    }

    long outOfWindow() {
        return outOfWindow;
    }

    /** Visits the pieces that are not over, in order. */
    void forEach(Consumer<? super Piece<?>> visitor) {
        slots.forEach(() -> block, visitor);
    }

    /** A future that is done when all pieces before this position are over. */
    CompletableFuture<@Nullable Void> whenServed(long position) {
        CompletableFuture<@Nullable Void> future = flushes.at(position);
        // read after the write above: the server has either seen it, or has come so far before
        if (served >= position) {
            flushes.tell(position);
        }
        return future;
    }

    // serving

    /**
     * For a thread that owns the piece whose turn it is: writes it, and goes on.
     *
     * @param mayStay whether this thread may run outputs; else it passes on what is to be written, unless no other
     *     thread will
     */
    void serve(Piece<?> piece, boolean mayStay) {
        serveFrom(piece, mayStay);
    }

    /** For a thread that has ended the piece whose turn it was, and is not kept for outputs: goes on with the next. */
    void goOn() {
        serveFrom(null, false);
    }

    /** For a thread of the executor: goes on if another thread was asked to, and has not. */
    @Override
    public void run() {
        Thread thread = Thread.currentThread();
        boolean interrupted = Thread.interrupted();
        if (UNATTENDED.compareAndSet(this, true, false)) {
            serveFrom(null, true);
        } else if (head() instanceof Piece<?> piece && PieceState.ownInTurn(piece)) {
            serveFrom(piece, true);
        }
        PieceEnd.giveBack(thread, interrupted);
    }

    /** What is in the slot at {@link #served}, or was a moment ago; null if the server has gone on from its block. */
    private @Nullable Object head() {
        Block<Piece<?>, Piece.Owner> here = block;
        long position = served;
        return position < here.first || position >= here.end() ? null : here.get((int) (position - here.first));
    }

    private void serveFrom(@Nullable Piece<?> first, boolean mayStay) {
        Thread thread = Thread.currentThread();
        Workers workers = host.workers();
        // an interrupt that this thread has brought along is meant for no output; callers give it back
        Thread.interrupted();
        Piece<?> owned = first;
        boolean hasRight = true;
        boolean leaves = !mayStay;
        boolean stays = mayStay;
        // no object: most threads write one result only, and there may be no memory for it
        int written = 0;
        int over = 0;
        long begunAt = 0;
        try {
            while (hasRight) {
                if (owned != null) {
                    if (leaves && !owned.isDone()) {
                        if (isLeftTo(owned)) {
                            return;
                        }
                        // no other thread will: this one goes on for another turn
                        stays = true;
                        written = 0;
                        begunAt = 0;
                    }
                    write(owned);
                    owned = null;
                    written++;
                }
                tellServed();
                Block<Piece<?>, Piece.Owner> here = blockOfHead();
                int index = (int) (served - here.first);
                Object next = here.get(index);
                leaves = !stays;
                if (next instanceof Piece<?> piece) {
                    if (stays && mayBeOver(written, piece) && workers.isWantedElsewhere()) {
                        long now = host.now();
                        begunAt = begunAt == 0 ? now : begunAt;
                        leaves = workers.turn().isOver(written, now - begunAt);
                    }
                    int comesTo = PieceState.comeTo(piece, thread, mayRun && !leaves && !host.holdsBack());
                    if (comesTo == PieceState.TURN) {
                        return;
                    }
                    owned = comesTo == PieceState.ENDED ? null : piece;
                    if (comesTo == PieceState.RUNNING && !here.owner.life().work(piece, thread)) {
                        return;
                    }
                } else {
                    hasRight = next == Mark.OVER || (next == null && !here.change(index, null, Mark.FIRST));
                }
                if (!hasRight) {
                    output.onEmpty();
                    return;
                }
                if (owned == null && next != null) {
                    pass();
                    over++;
                }
                if (owned == null && over % SLOTS_PER_LOOK == SLOTS_PER_LOOK - 1 && workers.isWantedElsewhere()) {
                    long now = host.now();
                    begunAt = begunAt == 0 ? now : begunAt;
                    hasRight = !workers.turn().isOver(written, now - begunAt) || !isLeft();
                }
            }
        } catch (Throwable ofOurs) {
            leaveTo(owned, hasRight, thread);
            UncaughtFailures.report(ofOurs);
            attend();
        }
    }

    /**
     * Whether a turn may be over before the next piece. To ask whether other work waits is to look at what all threads
     * write, so that is asked as rarely as the clock.
     */
    private boolean mayBeOver(int written, Piece<?> next) {
        return written % PIECES_PER_LOOK == 0
                || written >= host.workers().turn().tasks()
                || !mayRun
                || !PieceState.waits(next);
    }

    /** Writes a piece, and ends it. */
    private void write(Piece<?> piece) {
        if (host.isStopping()) {
            // an output that begins now would not be interrupted
            piece.cancel(true);
        }
        if (piece.isLost()) {
            piece.completeExceptionally(new IllegalStateException(
                    "this piece was worked on, but its result is lost: memory or stack had run out when it ended"));
        } else if (!piece.isDone()) {
            output.write(piece);
        }
        // an interrupt that was meant for this output is meant for no other
        Thread.interrupted();
        host.count(piece, null);
        piece.endInTurn();
        pass();
        if (host.isStopping()) {
            PieceState.awaitInterrupter(piece);
        }
    }

    /** For the server: the slot at {@link #served} is over. */
    private void pass() {
        Block<Piece<?>, Piece.Owner> here = blockOfHead();
        long after = served + 1;
        here.over((int) (served - here.first));
        OUT_OF_WINDOW.setRelease(this, after);
        served = after;
        // all that is read from here on is read after the write above, and after the piece has ended
        if (!hasToldOfRoom) {
            output.onRoom();
        }
        hasToldOfRoom = false;
    }

    /** For the server: the block with the slot at {@link #served}, to which it goes on if need be. */
    private Block<Piece<?>, Piece.Owner> blockOfHead() {
        Block<Piece<?>, Piece.Owner> here = block;
        if (served != here.end()) {
            return here;
        }
        Block<Piece<?>, Piece.Owner> behind = slots.behind(here);
        block = behind;
        Slots.pass(here);
        return behind;
    }

    /** For the server: completes the futures of those who wait for what is over. */
    private void tellServed() {
        if (flushes.isAwaited(served)) {
            SERVER.setOpaque(this, Thread.currentThread().getId());
            try {
                flushes.tell(served);
            } finally {
                SERVER.setOpaque(this, NO_THREAD);
            }
        }
    }

    /**
     * For an output that has run, and whose future is done before its piece is over: dependent actions are to find
     * room. A submitter that comes to wait at the same time may be missed here, and is called when the piece is over.
     */
    void leaveWindow() {
        OUT_OF_WINDOW.setRelease(this, served + 1);
        hasToldOfRoom = output.onRoom();
    }

    // passing on

    /** Asks another thread to write a piece; false if none will. */
    private boolean isLeftTo(Piece<?> piece) {
        if (host.isStopping()) {
            return false;
        }
        PieceState.leave(piece, PieceState.FINISHED, 0);
        boolean isLeft = host.workers().passOn(this) && !host.isStopping();
        return isLeft || !PieceState.ownInTurn(piece);
    }

    /** Asks another thread to go on; false if none will. */
    private boolean isLeft() {
        unattended = true;
        return host.workers().passOn(this) || !UNATTENDED.compareAndSet(this, true, false);
    }

    /** Memory or stack have run out: leaves everything to a thread that comes by. */
    private void leaveTo(@Nullable Piece<?> owned, boolean hasRight, Thread thread) {
        if (owned != null) {
            if (PieceState.holder(owned) == thread) {
                block.owner.life().rescue(owned, thread);
            } else if (PieceState.phase(owned) == PieceState.ENDED) {
                unattended = true;
            }
        } else if (hasRight) {
            unattended = true;
        }
        forget();
    }

    /** Lets the next thread that comes by look after this output. */
    void forget() {
        forgotten = true;
        host.engine().hasUnattended = true;
    }

    /**
     * For a thread that comes by: finds a thread to go on if no one may know that there is something to do.
     *
     * @return whether there may have been
     */
    boolean attend() {
        if (!forgotten) {
            return false;
        }
        forgotten = false;
        try {
            if (!host.workers().passOn(this)) {
                run();
            }
            return true;
        } catch (Throwable noStack) {
            forget();
            throw noStack;
        }
    }

    // looking at it

    /** Whether the calling thread completes a future of those who wait for pieces to be over. */
    boolean isServedHere() {
        return (long) SERVER.getOpaque(this) == Thread.currentThread().getId();
    }
}
