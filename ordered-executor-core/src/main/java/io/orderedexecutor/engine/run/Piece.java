package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.task.TaskFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A place in the order of an {@link Output}. Its work need not wait for the grant: it runs as soon as there are a slot
 * and a thread. When the work has ended for good, the piece is filled; when it is filled and granted, a thread writes
 * the result.
 *
 * <p>It has the same states as any {@link Place}, and its {@link Attempt} continues until the result is written. Marks
 * note what else has happened to the piece. Any thread sets them atomically; none is reset:
 *
 * <pre>
 *   GRANTED        by the thread that grants the piece
 *   FILLED         by the thread that ends the work; the later of these two threads continues with the piece
 *   STARTABLE      by the submitter, or by the thread that takes a slot for the piece: it may start from now on
 *   NEEDS_NO_SLOT  the work is over, or never begins; the first thread that sets this gives back the slot, if any;
 *                  never set in an output without slots
 *   OUT_OF_WINDOW  written, left out, or about to leave its order for any reason; the first thread that sets this gives
 *                  back the room in the window
 * </pre>
 */
public final class Piece extends Place implements Served {
    private static final VarHandle MARKS;

    static {
        try {
            MARKS = MethodHandles.lookup().findVarHandle(Piece.class, "marks", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int GRANTED = 1;
    private static final int FILLED = 2;
    private static final int STARTABLE = 4;
    private static final int NEEDS_NO_SLOT = 8;
    private static final int OUT_OF_WINDOW = 16;

    private final Output<?> output;

    private volatile int marks;

    /** When the piece was accepted, on the clock of the platform; 0 if this piece is not timed. */
    private final long acceptedAt;

    public Piece(TaskFuture.Piece<?> task, Orders orders, Output<?> output, long acceptedAt) {
        super(task, orders);
        this.output = output;
        this.acceptedAt = acceptedAt;
    }

    long acceptedAt() {
        return acceptedAt;
    }

    @Override
    public long queuedAt() {
        return service().events() == null ? 0 : acceptedAt();
    }

    Output<?> output() {
        return output;
    }

    @Override
    public Object targetOrNull() {
        return output.key();
    }

    /** None: a piece needs room in the window of its output, not in a key. */
    @Override
    public int countedSteps() {
        return 0;
    }

    /** Sets a mark; returns the marks before. */
    private int mark(int mark) {
        return (int) MARKS.getAndBitwiseOr(this, mark);
    }

    @Override
    public boolean isReadyWhenGranted() {
        return (mark(GRANTED) & FILLED) != 0;
    }

    /**
     * Marks the piece as filled: its work is done, and does not run again. Returns whether the piece was granted
     * before: then this thread has to get the result written, and not the thread that granted the piece.
     */
    boolean isReadyWhenFilled() {
        return (mark(FILLED) & GRANTED) != 0;
    }

    /** Whether the result can be written now. */
    public boolean isReady() {
        return (marks & (GRANTED | FILLED)) == (GRANTED | FILLED);
    }

    /** Lets the piece start; false if it needs no slot any more. */
    public boolean setStartable() {
        return (mark(STARTABLE) & NEEDS_NO_SLOT) == 0;
    }

    /** Whether the piece must not start: it waits for a slot, or needs none any more. */
    boolean isHeldBack() {
        return (marks & (STARTABLE | NEEDS_NO_SLOT)) != STARTABLE;
    }

    /** Gives back the slot, if the piece has one; the piece needs none from now on. */
    void giveBackSlot() {
        Slots slots = output.slots();
        if (slots == null) {
            return;
        }
        int before = mark(NEEDS_NO_SLOT) & (STARTABLE | NEEDS_NO_SLOT);
        if (before == STARTABLE) {
            slots.release();
        } else if (before == 0) {
            slots.onOverWithoutSlot();
        }
    }

    /** Whether the piece needs no slot any more; always false in an output without slots. */
    boolean needsNoSlot() {
        return (marks & NEEDS_NO_SLOT) != 0;
    }

    @Override
    protected void leaveRooms() {
        giveBackSlot();
        giveBackWindow();
    }

    /** Called when the piece is written or left out, and before it leaves its order for any reason. */
    void giveBackWindow() {
        if ((mark(OUT_OF_WINDOW) & OUT_OF_WINDOW) == 0) {
            output.window().giveBack();
        }
    }

    boolean isOutOfWindow() {
        return (marks & OUT_OF_WINDOW) != 0;
    }
}
