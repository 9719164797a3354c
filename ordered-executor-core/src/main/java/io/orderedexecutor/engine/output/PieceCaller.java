package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.output.Slots.Block;
import io.orderedexecutor.engine.output.Slots.Mark;
import io.orderedexecutor.engine.pool.ServesTasks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Calls threads to the pieces of an output that wait, with one hand-over for many. The thread that comes takes the call
 * back, and then looks for a piece; so a submitter that finds a call knows that its piece will be seen:
 *
 * <pre>
 *   none ──▶ called   a submitter whose piece has its place, or a thread that leaves pieces behind; it hands this over
 *   called ──▶ none   the thread that was handed this, before it looks; or one whose hand-over was refused
 * </pre>
 *
 * <p>A thread that begins one piece and sees another one behind it calls again, before it begins: the first may take
 * long, and an idle thread is to find the second. So each piece that waits, and is not put aside, is behind a call or
 * before the eyes of a thread that has taken one back. How many pieces the thread then works on is the concern of
 * {@link OutputServer}.
 *
 * <p>For outputs that limit how many pieces are worked on at once, and for threads of others, which may refuse a piece
 * or have a thread for each, every piece is handed over by itself.
 */
final class PieceCaller implements Runnable, ServesTasks {
    private static final VarHandle CALLED;
    private static final VarHandle FROM;

    static {
        try {
            var lookup = MethodHandles.lookup();
            CALLED = lookup.findVarHandle(PieceCaller.class, "called", boolean.class);
            FROM = lookup.findVarHandle(PieceCaller.class, "from", Block.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final PieceHost host;
    private final PieceLife life;

    /** Set by compare-and-set. Cleared by the thread that comes, which reads the slots after that. */
    private volatile boolean called;

    /**
     * No piece before this block waits. A hint, written without order by threads that look: none of them writes a block
     * before it has seen that no piece in those before it waits.
     */
    @SuppressWarnings("UnusedVariable") // it is written through its handle
    private Block<Piece<?>, Piece.Owner> from;

    PieceCaller(PieceHost host, PieceLife life) {
        this.host = host;
        this.life = life;
        this.from = life.server().block();
    }

    /** For a submitter whose piece has its place; throws if no thread will come. */
    void call() {
        if (called || !CALLED.compareAndSet(this, false, true)) {
            return;
        }
        boolean handedOver = false;
        try {
            host.workers().handOver(this);
            handedOver = true;
        } finally {
            if (!handedOver) {
                called = false;
            }
        }
    }

    /** As {@link #call}, for a thread that is to go on itself if this returns false. */
    private boolean isCalled() {
        if (called || !CALLED.compareAndSet(this, false, true)) {
            return true;
        }
        boolean isCalled = false;
        try {
            isCalled = host.workers().passOn(this);
        } finally {
            if (!isCalled) {
                called = false;
            }
        }
        return isCalled;
    }

    /** Lets a thread look, if there may be a piece that waits and that no thread was called to. */
    void callAgain() {
        if (!isCalled()) {
            run();
        }
    }

    @Override
    public void run() {
        Thread thread = Thread.currentThread();
        boolean interrupted = Thread.interrupted();
        boolean looked = false;
        try {
            called = false;
            look(thread);
            looked = true;
        } finally {
            if (!looked) {
                life.server().forget();
            }
        }
        PieceEnd.giveBack(thread, interrupted);
    }

    /** Works on the first piece that waits, and on all of them if no other thread comes. */
    private void look(Thread thread) {
        Block<Piece<?>, Piece.Owner> block = from();
        while (block != null && goesOn(block, thread)) {
            block = next(block);
        }
    }

    /** Looks at a block; returns whether those behind it are to be looked at. */
    private boolean goesOn(Block<Piece<?>, Piece.Owner> block, Thread thread) {
        for (int index = firstOf(block); index < block.length(); index++) {
            Object here = block.get(index);
            if (!isTaken(here)) {
                return false;
            }
            if (here instanceof Piece<?> piece && PieceState.waits(piece)) {
                block.setWaiting(index);
                boolean isOthersConcern = !isAnyBehind(block, index) || isCalled();
                if (life.tryRun(piece, thread) && isOthersConcern) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The index before which no piece of a block waits. */
    private int firstOf(Block<Piece<?>, Piece.Owner> block) {
        return (int) Math.max(block.waiting(), Math.min(life.server().served(), block.end()) - block.first);
    }

    /** Whether a slot was taken behind this one: its piece may be over, as one that was cancelled, and others wait. */
    private static boolean isAnyBehind(Block<Piece<?>, Piece.Owner> block, int index) {
        if (index + 1 < block.length()) {
            return isTaken(block.get(index + 1));
        }
        Block<Piece<?>, Piece.Owner> behind = block.next();
        return behind != null && (behind == block || isTaken(behind.get(0)));
    }

    private static boolean isTaken(@Nullable Object here) {
        return here instanceof Piece<?> || here == Mark.OVER;
    }

    @SuppressWarnings("unchecked")
    private Block<Piece<?>, Piece.Owner> from() {
        return (Block<Piece<?>, Piece.Owner>) FROM.getAcquire(this);
    }

    private @Nullable Block<Piece<?>, Piece.Owner> next(Block<Piece<?>, Piece.Owner> seen) {
        Block<Piece<?>, Piece.Owner> behind = seen.next();
        if (behind == seen) {
            behind = life.server().block();
        }
        if (behind != null) {
            FROM.setRelease(this, behind);
        }
        return behind;
    }
}
