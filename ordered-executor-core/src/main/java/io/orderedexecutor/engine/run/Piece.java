package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.task.TaskFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A place in the order of an {@link Output}. Its work runs whether it is granted or not, as soon as a thread is free;
 * when that is done for good, the piece is filled, and once it is granted, too, a thread writes the result.
 *
 * <p>Its state is that of each {@link Place}, and its {@link Attempt} goes on until the result is written. What else
 * has happened to it is noted by marks, each of which is set once, atomically, by any thread:
 *
 * <pre>
 *   GRANTED        by the one who has granted it
 *   FILLED         by the one who has ended the work; of these two, the later one goes on with the piece
 *   STARTABLE      by the submitter, or who has taken a slot for it; not before it may be started
 *   GIVES_NO_SLOT  the work is over, or never begins: who sets this gives the slot back if there is one
 *   OUT_OF_WINDOW  it is written, or left out: who sets this gives the room in the window back
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
    private static final int GIVES_NO_SLOT = 8;
    private static final int OUT_OF_WINDOW = 16;

    private final Output<?> output;

    private volatile int marks;

    /** When it was accepted, on the clock of the platform; 0 if that is not known. */
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

    /** It keeps its room until it is written, and waits for another kind of room only until it starts. */
    @Override
    public int countedSteps() {
        return 0;
    }

    /** Sets a mark; returns what was there before. */
    private int mark(int mark) {
        return (int) MARKS.getAndBitwiseOr(this, mark);
    }

    @Override
    public boolean isReadyWhenGranted() {
        return (mark(GRANTED) & FILLED) != 0;
    }

    /** Its work is done for good; returns whether it is granted, and the caller goes on with it. */
    boolean isReadyWhenFilled() {
        return (mark(FILLED) & GRANTED) != 0;
    }

    /** Whether its result is to be written now. */
    public boolean isReady() {
        return (marks & (GRANTED | FILLED)) == (GRANTED | FILLED);
    }

    /** It may be started; false if it is over already, and needs no slot. */
    public boolean setStartable() {
        return (mark(STARTABLE) & GIVES_NO_SLOT) == 0;
    }

    /** Whether it has no slot. */
    boolean isHeldBack() {
        return (marks & (STARTABLE | GIVES_NO_SLOT)) != STARTABLE;
    }

    /** It needs its slot no longer. */
    void leaveSlot() {
        Slots slots = output.slots();
        if (slots == null) {
            return;
        }
        int before = mark(GIVES_NO_SLOT) & (STARTABLE | GIVES_NO_SLOT);
        if (before == STARTABLE) {
            slots.release();
        } else if (before == 0) {
            slots.onOverWithoutSlot();
        }
    }

    /** Whether it is over, or has given its slot back. */
    boolean givesNoSlot() {
        return (marks & GIVES_NO_SLOT) != 0;
    }

    @Override
    protected void leaveRooms() {
        leaveSlot();
        leaveWindow();
    }

    /** It is written, or left out. */
    void leaveWindow() {
        if ((mark(OUT_OF_WINDOW) & OUT_OF_WINDOW) == 0) {
            output.window().giveBack();
        }
    }

    boolean isOutOfWindow() {
        return (marks & OUT_OF_WINDOW) != 0;
    }
}
