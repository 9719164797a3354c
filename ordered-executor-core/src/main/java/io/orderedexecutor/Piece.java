package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * A piece of the work of an {@link OrderedOutput}: a strand of one link, whose task is asynchronous. It is worked on
 * beside others, and then holds its chain until its {@link Ticket} has its turn and the output has run.
 *
 * <p>If the output limits how many of its pieces are worked on at once, this one needs a slot from before it is handed
 * over until the work is finished, and waits for it; see {@link Slots}.
 *
 * <p>When it ends, however it does, its ticket is given up if it was not used; so it never holds up those behind it.
 */
final class Piece extends Strand implements AfterServing {
    private static final VarHandle HAS_SLOT;

    static {
        try {
            HAS_SLOT = MethodHandles.lookup().findVarHandle(Piece.class, "hasSlot", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final OutputSequence<?> output;
    private final Ticket ticket;
    private final TaskFuture<?> future;
    /**
     * Whether this piece counts among those that are worked on. Changed by atomic exchange, so that a slot is given
     * back once.
     */
    private volatile boolean hasSlot;

    /** Guarded by the monitor of the segment, which sets it. */
    int placeInSegment;

    Piece(OutputEngine engine, OutputSequence<?> output, Ticket ticket, TaskFuture<?> future, boolean needsSlot) {
        super(engine, engine.newLink(future), needsSlot ? WAITING : READY);
        this.output = output;
        this.ticket = ticket;
        this.future = future;
    }

    private OutputEngine engine() {
        return (OutputEngine) host();
    }

    @Override
    Object key() {
        return output.facade();
    }

    OutputSequence<?> output() {
        return output;
    }

    @Override
    public String describe() {
        return "piece " + ticket.position() + " of " + output.describe();
    }

    @Override
    FailurePolicy failurePolicy() {
        // what becomes of the pieces behind a failed one is up to the output
        return super.failurePolicy().withoutParking();
    }

    @Override
    boolean isPaused() {
        // one that was taken out must give its ticket up: those behind it may be finished
        return engine().isPaused() && !head().isVacated();
    }

    // the slot

    void takeSlot() {
        hasSlot = true;
    }

    private void leaveSlot() {
        if (hasSlot && (boolean) HAS_SLOT.getAndSet(this, false)) {
            output.slots().release();
        }
    }

    /** Hands this piece over, which has got a slot, or gives that back if it was taken out meanwhile. */
    void startInSlot() {
        if (!becomeReady()) {
            leaveSlot();
        } else if (!workers().passOn(this)) {
            run();
        }
    }

    // the output

    /** Called when the work is finished, and nobody serves this chain. */
    void takeTurn(PieceHold<?> finished, boolean mayStay) {
        leaveSlot();
        if (mayStay) {
            ticket.tryRun(finished);
        } else {
            ticket.leave(finished);
        }
    }

    /**
     * Called by the holder when the work is finished: runs the output, and ends this chain, if its turn has come and
     * nothing else is to be done first.
     *
     * @return false if this has had no effect
     */
    boolean takeTurnHere(PieceHold<?> finished) {
        // a shutdown that comes later interrupts the output; one that came before has interrupted the work, and the
        // piece is
        // to be cancelled
        return !hasSlot && !engine().isStopping() && ticket.tryRunNow(finished);
    }

    /**
     * Runs the output, unless somebody else is ending this piece.
     *
     * @return false if the ticket was left to that one: those behind it, and those who want to know when it is done,
     *     are to wait until the future is
     */
    boolean write(PieceHold<?> finished) {
        Thread thread = Thread.currentThread();
        if (isHeldBy(thread)) {
            if (writeAsHolder(finished, thread)) {
                servePassingOn(thread);
            }
            return true;
        }
        // an interrupt that this thread has brought along is meant for no output
        boolean interrupted = Thread.interrupted();
        boolean entered = enterAndServe(finished, holder -> writeAsHolder(finished, holder), true);
        if (interrupted) {
            thread.interrupt();
        }
        return entered || output.awaitAgain(ticket, this::hasEnded);
    }

    /** Returns whether this thread still holds the strand. */
    private boolean writeAsHolder(PieceHold<?> finished, Thread holder) {
        output.write(finished);
        // one that was meant for this output is meant for no other
        Thread.interrupted();
        return TaskLife.endHold(this, finished, holder);
    }

    // the end

    @Override
    void onEnd(boolean mayStay) {
        leaveSlot();
        ticket.giveUp();
        output.end(this);
    }

    @Override
    public void afterServing() {
        engine().onEnd(this);
    }

    void cancel() {
        future.cancel(true);
    }

    @Override
    void onTakenOut() {
        endIfTakenOut();
    }

    @Override
    boolean isHeldUpHere() {
        // whoever waits for the outputs before this one may have actions of his own, which run between two
        return super.isHeldUpHere() || output.isServedHere();
    }

    // observation

    @Override
    List<Thread> threadsAhead() {
        return engine().threadsUpTo(this);
    }

    @Override
    boolean isBehind(Strand held) {
        return held instanceof Piece other && isBehind(other);
    }

    boolean isBehind(Piece other) {
        return output == other.output && ticket.position() > other.ticket.position();
    }
}
