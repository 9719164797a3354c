package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Expires tickets that have been awaited for too long. A lease begins when the turn of its ticket comes: a ticket that
 * is behind others holds up no other, however old it is. So only the first open ticket is ever looked at, and there is
 * one timer for all tickets of a queue, which runs while one is awaited:
 *
 * <pre>
 *   idle ──▶ watching      a ticket is awaited
 *   watching ──▶ watching  the time is over, and the ticket that is awaited now has some left
 *   watching ──▶ idle      the time is over, and no ticket is awaited
 * </pre>
 */
final class Leases {

    /**
     * The mark of a ticket whose turn has come, and that is not used. Compared by identity.
     *
     * @param since the time by {@link System#nanoTime}, if the ticket has a lease
     */
    record Awaited(long since) {
        static final Awaited WITHOUT_LEASE = new Awaited(0);
    }

    private final Duration lease;
    private final long nanos;
    private final Platform platform;

    /** The mark of the first ticket; null if that is not awaited. */
    private final Supplier<@Nullable Awaited> first;

    /** Expires the first ticket, if it still has this mark. */
    private final Consumer<Awaited> expire;

    /** Whether a timer is running. */
    private final AtomicBoolean watching = new AtomicBoolean();

    Leases(Duration lease, Platform platform, Supplier<@Nullable Awaited> first, Consumer<Awaited> expire) {
        this.lease = lease;
        this.nanos = Turn.nanos(lease);
        this.platform = platform;
        this.first = first;
        this.expire = expire;
    }

    /** The mark of a ticket whose turn comes now. */
    Awaited begin() {
        return new Awaited(platform.nanoTime());
    }

    /**
     * Called after a ticket has become the one that is awaited, with no lock held: a timer that cannot be started is
     * reported here.
     */
    void watch() {
        Awaited awaited = first.get();
        if (awaited != null && !watching.get() && watching.compareAndSet(false, true)) {
            schedule(left(awaited));
        }
    }

    private long left(Awaited awaited) {
        return nanos - (platform.nanoTime() - awaited.since());
    }

    private void look() {
        for (; ; ) {
            Awaited awaited = first.get();
            if (awaited == null) {
                watching.set(false);
                // a ticket that was awaited before the write above has seen a timer, and relies on this look
                if (first.get() == null || !watching.compareAndSet(false, true)) {
                    return;
                }
                continue;
            }
            long left = left(awaited);
            if (left > 0) {
                schedule(left);
                return;
            }
            expire.accept(awaited);
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

    /** What the handler of failures is told of a ticket that has expired. */
    TimeoutException expired(long position) {
        return new TimeoutException("ticket " + position + " was neither run nor skipped within its lease of " + lease
                + " from its turn on, and has been skipped; close tickets in a try-with-resources statement");
    }
}
