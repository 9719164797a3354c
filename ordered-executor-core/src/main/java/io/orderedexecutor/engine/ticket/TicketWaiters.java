package io.orderedexecutor.engine.ticket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.Ticket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The callers that wait for the next ticket, in the order in which they came. Each waiter is a future: a thread waits
 * for its future, and a caller that no longer wants the ticket completes the future some other way.
 *
 * <p>The lock is held while tickets are issued to waiters, so that they get them in their order, and never while a
 * future is completed or a lease is watched. A thread that makes room reads one field if there are no waiters.
 */
public final class TicketWaiters {
    private final Sequencer sequencer;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<CompletableFuture<Ticket>> waiting = new LinkedHashSet<>();

    /**
     * The size of {@link #waiting}. Written under {@link #lock}; read by callers that want a ticket, and after room is
     * made.
     */
    private volatile int size;

    private record Grant(CompletableFuture<Ticket> future, QueuedTicket ticket) {}

    public TicketWaiters(TicketSettings settings) {
        this.sequencer = new Sequencer(settings, 0, this::call, this::stop);
    }

    public Sequencer sequencer() {
        return sequencer;
    }

    /** Issues the next ticket, and waits if there is no room. */
    public Ticket next(long nanos) throws InterruptedException, TimeoutException {
        Ticket ticket = tryNext();
        if (ticket == null && sequencer.isServedHere()) {
            ticket = tryNextHere();
            if (ticket == null) {
                throw sequencer.selfWait("tryNext() or nextAsync()");
            }
        }
        return ticket == null ? sequencer.await(this::next, nanos, this::describeHead) : ticket;
    }

    /** Issues the next ticket if there is room and there are no waiters. */
    public @Nullable Ticket tryNext() {
        sequencer.requireRunning();
        return size == 0 ? issue() : null;
    }

    /** As {@link #tryNext}, for the thread that serves, which waiters wait for: it may overtake them. */
    private @Nullable Ticket tryNextHere() {
        // waiters may not have been called yet, and then there is room behind them
        call();
        return issue();
    }

    private @Nullable Ticket issue() {
        QueuedTicket ticket = sequencer.queue().issue();
        if (ticket != null) {
            sequencer.server().onAwaited();
        }
        return ticket;
    }

    /** Issues the next ticket, now or when there is room and all earlier waiters have theirs. */
    public CompletableFuture<Ticket> next() {
        RejectedExecutionException refusal = sequencer.refusal();
        if (refusal != null) {
            return CompletableFuture.failedFuture(refusal);
        }
        Ticket ticket = size == 0 ? issue() : null;
        return ticket == null ? await() : CompletableFuture.completedFuture(ticket);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the action only cleans up
    private CompletableFuture<Ticket> await() {
        CompletableFuture<Ticket> future = new CompletableFuture<>();
        lock.lock();
        try {
            waiting.add(future);
            size = waiting.size();
        } finally {
            lock.unlock();
        }
        future.whenComplete((ticket, failure) -> remove(future));
        // there may have been room since the caller has looked, and who stops the sequence may have come before
        call();
        RejectedExecutionException refusal = sequencer.refusal();
        if (refusal != null) {
            future.completeExceptionally(refusal);
        }
        return future;
    }

    @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
    private void remove(CompletableFuture<Ticket> future) {
        lock.lock();
        try {
            waiting.remove(future);
            size = waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** Called when there may be room. */
    private void call() {
        if (size == 0) {
            return;
        }
        List<Grant> grants = grants();
        if (!grants.isEmpty()) {
            sequencer.server().onAwaited();
        }
        for (Grant grant : grants) {
            if (!grant.future.complete(grant.ticket)) {
                // it was no longer wanted
                grant.ticket.giveUp();
            }
        }
    }

    private List<Grant> grants() {
        List<Grant> grants = new ArrayList<>();
        lock.lock();
        try {
            Iterator<CompletableFuture<Ticket>> first = waiting.iterator();
            while (first.hasNext()) {
                QueuedTicket ticket = sequencer.queue().issue();
                if (ticket == null) {
                    break;
                }
                grants.add(new Grant(first.next(), ticket));
                first.remove();
            }
            size = waiting.size();
        } finally {
            lock.unlock();
        }
        return grants;
    }

    private String describeHead() {
        return sequencer.server().head().toString();
    }

    /** The sequencer is stopped. */
    private void stop() {
        List<CompletableFuture<Ticket>> refused;
        lock.lock();
        try {
            refused = List.copyOf(waiting);
        } finally {
            lock.unlock();
        }
        refused.forEach(future -> future.completeExceptionally(sequencer.refusal()));
    }
}
