package io.orderedexecutor.engine.admit;

import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.run.HeldPlace;
import io.orderedexecutor.engine.run.Served;
import io.orderedexecutor.engine.run.Service;
import io.orderedexecutor.engine.run.States;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A reservation of a {@link Sequencer}. Unlike other {@link HeldPlace}s, it has no known owner, and its place may stand
 * in the order before the ticket is issued to a caller.
 */
final class Ticket extends HeldPlace {
    private final Sequencer sequencer;
    final long number;

    final InOrder place;

    /** How many issued tickets were placed before this one. Written under the bin. */
    private volatile long ordinal;

    /** Written under the bin, before {@link #isIssued}. */
    private long issuedAt;

    private volatile boolean isIssued;

    /** When its turn came, if there are leases. Written by the granting thread, before the ticket is the front. */
    private long grantedAt;

    static final class InOrder extends Place implements Served {
        private final Ticket ticket;

        InOrder(Ticket ticket, Orders orders) {
            super(new States.Vacancy(ticket, false), orders);
            this.ticket = ticket;
        }

        @Override
        public Object targetOrNull() {
            return TaskEvents.NO_KEY;
        }

        @Override
        protected boolean mustLeaveItself() {
            return true;
        }

        @Override
        public boolean isReadyWhenGranted() {
            ticket.sequencer.comeTo(ticket);
            return super.isReadyWhenGranted();
        }

        @Override
        public void onFailure(Throwable failure) {
            ticket.sequencer.stopAfter(failure);
        }
    }

    Ticket(Sequencer sequencer, Service service, long number) {
        super(service, TaskEvents.NO_KEY, sequencer.settings().lease, 0, null);
        this.sequencer = sequencer;
        this.number = number;
        this.place = new InOrder(this, service.orders());
        setPlace(place);
    }

    long ordinal() {
        return ordinal;
    }

    /** Called under the bin, before the place enters the order. */
    void setOrdinal(long ordinal) {
        this.ordinal = ordinal;
    }

    /** Called under the bin. */
    void setIssued(long now) {
        issuedAt = now;
        isIssued = true;
    }

    boolean isIssued() {
        return isIssued;
    }

    long issuedAt() {
        return issuedAt;
    }

    void setGranted(long now) {
        grantedAt = now;
    }

    /**
     * The time since which the tickets behind wait for this one, which is the front: its grant or its issue, whichever
     * is later.
     */
    long awaitedSince() {
        return grantedAt - issuedAt > 0 ? grantedAt : issuedAt;
    }

    // using it

    @Override
    public void execute(Runnable task) {
        super.execute(sequencer.outputOf(this, TaskFuture.asPlain(task)));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Callable<T> task) {
        return super.submit(sequencer.outputOf(this, task));
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(Supplier<? extends CompletionStage<T>> task) {
        return super.submitAsync(sequencer.outputOf(this, task));
    }

    @Override
    protected String another() {
        return "take a ticket for each output";
    }

    /** Called when the turn has come, and the ticket is not used. */
    @Override
    protected void beginTurn() {
        sequencer.watchLease();
    }

    @Override
    public String toString() {
        boolean isOpen = isOpen();
        Place.Out end = end();
        String state = isOpen ? "open" : end == null ? "used" : end == Place.Out.EXPIRED ? "expired" : "given back";
        return "ticket " + number + " (" + state + ")";
    }
}
