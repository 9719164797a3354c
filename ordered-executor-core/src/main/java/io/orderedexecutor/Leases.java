package io.orderedexecutor;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/**
 * Skips tickets that have been awaited for too long. A lease begins when the turn of its ticket comes: a ticket that is
 * behind others holds up nobody, however old it is. So only the first open ticket is ever looked at, and there is one
 * timer for all of a sequence, which runs while something is awaited:
 *
 * <pre>
 *   idle ──▶ watching      a ticket is awaited
 *   watching ──▶ watching  the time is over, and the ticket that is awaited now has some left
 *   watching ──▶ idle      the time is over, and nothing is awaited
 * </pre>
 */
final class Leases {
    private final Sequence sequence;
    private final Duration lease;
    private final long nanos;
    private final Platform platform;
    private final BiConsumer<? super Ticket, ? super Throwable> handler;

    /** Whether there is a timer. */
    private final AtomicBoolean watching = new AtomicBoolean();

    Leases(Sequence sequence, Duration lease, TicketSettings settings) {
        this.sequence = sequence;
        this.lease = lease;
        this.nanos = Turn.nanos(lease);
        this.platform = settings.platform();
        this.handler = settings::tell;
    }

    /** The mark of a ticket whose turn comes now. */
    Ticket.Awaited awaited() {
        return new Ticket.Awaited(sequence.now());
    }

    /**
     * Called after a ticket has become the one that is awaited, with no lock held: if there is no timer, that is
     * reported here.
     */
    void watch() {
        Ticket.Awaited awaited = sequence.head().awaited();
        if (awaited != null && !watching.get() && watching.compareAndSet(false, true)) {
            schedule(left(awaited));
        }
    }

    private long left(Ticket.Awaited awaited) {
        return nanos - (sequence.now() - awaited.since());
    }

    private void look() {
        for (; ; ) {
            Ticket first = sequence.head();
            Ticket.Awaited awaited = first.awaited();
            if (awaited == null) {
                watching.set(false);
                // one that was awaited before the write above has seen a timer, and relies on this look
                if (sequence.head().awaited() == null || !watching.compareAndSet(false, true)) {
                    return;
                }
                continue;
            }
            long left = left(awaited);
            if (left > 0) {
                schedule(left);
                return;
            }
            expire(first, awaited);
        }
    }

    private void schedule(long left) {
        try {
            platform.scheduleAsync(Math.max(0, left), this::look);
        } catch (RuntimeException | Error noTimer) {
            // the next ticket that is awaited tries again
            watching.set(false);
            UncaughtFailures.report(noTimer);
        }
    }

    private void expire(Ticket ticket, Ticket.Awaited since) {
        if (ticket.expire(since)) {
            sequence.serveExpired(ticket, () -> handler.accept(ticket, tooLate(ticket)));
        }
    }

    private TimeoutException tooLate(Ticket ticket) {
        return new TimeoutException("ticket " + ticket.position() + " was neither run nor skipped within its lease of "
                + lease + " from its turn on, and has been skipped; close tickets in a try-with-resources statement");
    }
}
