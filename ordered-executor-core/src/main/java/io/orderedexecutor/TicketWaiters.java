package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for a ticket, in the order in which they came. Each is a future: a thread that waits waits for its future, and whoever
 * no longer wants the ticket completes it some other way.
 *
 * <p>One thread at a time grants tickets, so that they are got in the order of the waits, and it holds no lock while they are issued:
 *
 * <pre>
 *   0 calls ──▶ 1        somebody who has made room, or has begun to wait, grants
 *   n calls ──▶ n + 1    others leave it to the one who grants, who will look again
 *   n calls ──▶ 0        the one who grants has looked since the last of them; futures are completed from now on
 * </pre>
 *
 * <p>Those who make room read one field while nobody waits.
 */
final class TicketWaiters {

    /** Issues the next ticket; null if there is no room. */
    private final Supplier<@Nullable Ticket> issuer;

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final Set<CompletableFuture<Ticket>> waiting = new LinkedHashSet<>();

    /** The size of {@link #waiting}. Written under {@link #lock}; read without by those who want a ticket, make room, or grant. */
    private volatile int size;

    /** How often somebody has called since the one who grants began; 0 if nobody grants. Changed atomically. */
    private final AtomicInteger calls = new AtomicInteger();

    /** A ticket for one who waits; for null if the last one has gone since it was issued. */
    private record Grant(@Nullable CompletableFuture<Ticket> future, Ticket ticket) {

        void tell() {
            if (future == null || !future.complete(ticket)) {
                // it is no longer wanted
                ticket.giveUp();
            }
        }
    }

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
        if (size == 0 || calls.getAndIncrement() != 0) {
            return;
        }
        List<Grant> grants = new ArrayList<>();
        try {
            grantUntilAnswered(grants);
        } finally {
            grants.forEach(Grant::tell);
        }
    }

    private void grantUntilAnswered(List<Grant> grants) {
        int answered = 0;
        try {
            do {
                answered = calls.get();
                while (size != 0 && grantNext(grants)) {
                    // there may be room for another one
                }
            } while (!calls.compareAndSet(answered, 0));
            answered = 0;
        } finally {
            if (answered != 0) {
                // without memory for a ticket: the next one who calls tries again
                calls.set(0);
            }
        }
    }

    private boolean grantNext(List<Grant> grants) {
        Ticket ticket = issuer.get();
        if (ticket != null) {
            grants.add(new Grant(pollFirst(), ticket));
        }
        return ticket != null;
    }

    private @Nullable CompletableFuture<Ticket> pollFirst() {
        lock.lock();
        try {
            Iterator<CompletableFuture<Ticket>> first = waiting.iterator();
            if (!first.hasNext()) {
                return null;
            }
            CompletableFuture<Ticket> polled = first.next();
            first.remove();
            size = waiting.size();
            return polled;
        } finally {
            lock.unlock();
        }
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
