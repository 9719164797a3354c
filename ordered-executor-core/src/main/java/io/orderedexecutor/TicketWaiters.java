package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for a ticket, in the order in which they came. Each is a future: a thread that waits waits for its
 * future, and whoever no longer wants the ticket completes it some other way.
 *
 * <p>The lock is held while tickets are issued to those who wait, so that they get them in their order, and never while
 * a future is completed. Those who make room read one field while nobody waits.
 */
final class TicketWaiters {

    /** Issues the next ticket; null if there is no room. */
    private final Supplier<@Nullable Ticket> issuer;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final Set<CompletableFuture<Ticket>> waiting = new LinkedHashSet<>();

    /**
     * The size of {@link #waiting}. Written under {@link #lock}; read by those who want a ticket, and after room is
     * made.
     */
    private volatile int size;

    private record Grant(CompletableFuture<Ticket> future, Ticket ticket) {}

    TicketWaiters(Supplier<@Nullable Ticket> issuer) {
        this.issuer = issuer;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Waits for a ticket behind all who wait. */
    @SuppressWarnings("FutureReturnValueIgnored") // the action only cleans up
    CompletableFuture<Ticket> add() {
        CompletableFuture<Ticket> future = new CompletableFuture<>();
        lock.lock();
        try {
            waiting.add(future);
            size = waiting.size();
        } finally {
            lock.unlock();
        }
        future.whenComplete((ticket, failure) -> remove(future));
        // there may have been room since the caller has looked
        call();
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
    void call() {
        if (size == 0) {
            return;
        }
        for (Grant grant : grants()) {
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
                Ticket ticket = issuer.get();
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

    /** Ends all waits with a failure. */
    void refuse(Supplier<? extends Throwable> failure) {
        List<CompletableFuture<Ticket>> refused;
        lock.lock();
        try {
            refused = List.copyOf(waiting);
        } finally {
            lock.unlock();
        }
        refused.forEach(future -> future.completeExceptionally(failure.get()));
    }
}
