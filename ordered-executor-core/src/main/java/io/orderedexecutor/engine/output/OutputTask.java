package io.orderedexecutor.engine.output;

import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.engine.strand.Host;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.engine.ticket.QueuedTicket;
import io.orderedexecutor.engine.ticket.ServingTurn;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task whose output has an order, which users know as a piece of an {@link OrderedOutput}: a strand of one link,
 * whose task is asynchronous. It runs concurrently with others, and then holds its strand until its ticket has its turn
 * and the output has run.
 *
 * <p>If the output limits how many of its tasks run at once, this one needs a slot from before it is handed over until
 * the work is finished, and waits for it; see {@link ConcurrencyLimit}.
 *
 * <p>When it ends, however it does, its ticket is given up if it was not used; so it never holds up those behind it.
 *
 * @param <T> the type of the result
 */
final class OutputTask<T extends @Nullable Object> extends Strand
        implements ServingTurn.AfterServing, ConcurrencyLimit.Limited, TaskRing.Member {
    private static final VarHandle HAS_SLOT;

    static {
        try {
            HAS_SLOT = MethodHandles.lookup().findVarHandle(OutputTask.class, "hasSlot", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final OutputSequence<T> output;
    private final QueuedTicket ticket;
    private final TaskFuture<T> future;

    /** Whether this task counts among those that run. Changed by atomic exchange, so that a slot is given back once. */
    private volatile boolean hasSlot;

    /** Guarded by the monitor of the ring that it is in. */
    private int place;

    OutputTask(
            Host host,
            OutputSequence<T> output,
            QueuedTicket ticket,
            TaskFuture<T> future,
            Link link,
            boolean needsSlot) {
        // what a failure means for the tasks behind it is up to the output
        super(host, output.key(), link, needsSlot ? WAITING : READY, false, true);
        this.output = output;
        this.ticket = ticket;
        this.future = future;
    }

    OutputSequence<T> output() {
        return output;
    }

    @Override
    public String toString() {
        return "piece " + ticket.position() + " of " + output.describe();
    }

    @Override
    public int place() {
        return place;
    }

    @Override
    public void place(int place) {
        this.place = place;
    }

    @Override
    public void run() {
        Serving.run(this);
    }

    // the slot

    /** Notes that a slot was taken for this task, which is not handed over yet. */
    void takeSlot() {
        hasSlot = true;
    }

    private void leaveSlot() {
        if (hasSlot && (boolean) HAS_SLOT.getAndSet(this, false)) {
            output.limit().release();
        }
    }

    @Override
    public void startInSlot() {
        takeSlot();
        goOnInSlot();
    }

    /** Hands this task over, which has a slot, or gives that back if it was taken out meanwhile. */
    void goOnInSlot() {
        if (!becomeReady()) {
            leaveSlot();
        } else if (!workers().passOn(this)) {
            run();
        }
    }

    // the output

    /** Called when the work is finished, and no thread serves this strand. */
    void takeTurn(OutputAttempt<T> finished, boolean mayStay) {
        leaveSlot();
        if (mayStay) {
            ticket.tryRun(finished);
        } else {
            ticket.leave(finished);
        }
    }

    /**
     * Called by the holder when the work is finished: runs the output, and ends this strand, if its turn has come and
     * nothing else is to be done first.
     *
     * @return false if this has had no effect
     */
    boolean takeTurnHere(OutputAttempt<T> finished) {
        // a shutdown that comes later interrupts the output; one that came before has interrupted the work, and the
        // task is to be cancelled
        return !hasSlot && !host().isStopping() && ticket.tryRunNow(finished);
    }

    /**
     * For a thread that cannot run the output, since another one is ending this task: leaves the ticket to that one.
     * The tickets behind it, and those who flush, wait until the future is done.
     *
     * @return whether this thread has the right to serve the tickets again
     */
    boolean awaitAgain() {
        return output.awaitAgain(ticket, this::hasEnded);
    }

    // the end

    @Override
    public void onEnd(boolean mayStay) {
        leaveSlot();
        ticket.giveUp();
        output.afterServing(this);
    }

    @Override
    public void afterServing() {
        output.onEnd(this);
    }

    void cancel() {
        future.cancel(true);
    }

    @Override
    public boolean isHeldUpHere() {
        // dependent actions of the outputs before this one run between two outputs
        return super.isHeldUpHere() || output.isServedHere();
    }

    // observation

    @Override
    public List<OutputTask<?>> ahead() {
        return output.upTo(this);
    }

    boolean isBehind(OutputTask<?> other) {
        return output == other.output && ticket.position() > other.ticket.position();
    }
}
