package io.orderedexecutor;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/**
 * Skips tickets that are awaited and whose time is over. Only the first open ticket is ever looked at, since the others
 * hold up nobody; and there is one timer for all of a sequence, which runs while something is awaited:
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
    private final Timer timer;
    private final BiConsumer<? super Ticket, ? super Throwable> handler;

    /** Whether there is a timer. */
    private final AtomicBoolean watching = new AtomicBoolean();

    Leases(Sequence sequence, Duration lease, Timer timer, BiConsumer<? super Ticket, ? super Throwable> handler) {
        this.sequence = sequence;
        this.lease = lease;
        this.nanos = Turn.nanos(lease);
        this.timer = timer;
        this.handler = handler;
    }

    /**
     * Called after a ticket has become the one that is awaited. The caller may hold a lock, or have come to the end of
     * its turn: even if the time is over, the handler is told and the tail is served by the timer's thread.
     */
    void watch() {
        if (!watching.get() && watching.compareAndSet(false, true)) {
            schedule(Math.max(0, left(sequence.head())));
        }
    }

    private long left(Ticket awaited) {
        return nanos - Turn.nanos(awaited.age(sequence.now()));
    }

    private void look() {
        for (; ; ) {
            Ticket awaited = sequence.head();
            long left = left(awaited);
            if (!awaited.isAwaited()) {
                watching.set(false);
                // one that was awaited before the write above has seen a timer, and relies on this look
                if (!sequence.head().isAwaited() || !watching.compareAndSet(false, true)) {
                    return;
                }
            } else if (left <= 0) {
                expire(awaited);
            } else {
                schedule(left);
                return;
            }
        }
    }

    private void schedule(long left) {
        try {
            timer.schedule(left, this::look);
        } catch (RuntimeException | Error noTimer) {
            // the next ticket that is awaited tries again
            watching.set(false);
            UncaughtFailures.report(noTimer);
        }
    }

    private void expire(Ticket ticket) {
        if (ticket.expire()) {
            sequence.serveExpired(ticket, () -> handler.accept(ticket, tooLate(ticket)));
        }
    }

    private TimeoutException tooLate(Ticket ticket) {
        return new TimeoutException("ticket " + ticket.position() + " was neither run nor skipped within its lease of "
                + lease + ", and has been skipped; close tickets in a try-with-resources statement");
    }
}
