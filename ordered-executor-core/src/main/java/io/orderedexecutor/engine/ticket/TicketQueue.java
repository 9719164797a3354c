package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.stats.SequencerSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tickets in the order in which they were issued, which a {@link TicketServer} serves. A ticket is linked behind the
 * last one by two steps, the second of which fails if that one was served in between; then the issuer has the right to
 * serve.
 *
 * <p>At most {@code window} tickets are open. It is counted by their positions, and how many are served is published
 * after each.
 *
 * <p>To leave an output to the thread that serves the one before it, instead of waiting for its turn, is the idea of
 * Ullink's ordered scheduler, after an article by Intel on ordered data streams; this one links its tickets, so that it
 * needs no ring of slots.
 */
public final class TicketQueue {
    private static final VarHandle LATEST;

    static {
        try {
            LATEST = MethodHandles.lookup().findVarHandle(TicketQueue.class, "latest", QueuedTicket.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TicketServer server;

    /** The last ticket that was issued. Moved by compare-and-set, which fixes the order. */
    private volatile QueuedTicket latest;

    private volatile int window;

    /**
     * Begins.
     *
     * @param first the position of the first ticket
     */
    public TicketQueue(int window, long first, ServerSettings settings) {
        this.server = new TicketServer(settings, first);
        this.window = window;
        this.latest = server.head();
    }

    public TicketServer server() {
        return server;
    }

    // issuing

    /** Issues the next ticket; null if there is no room in the window. */
    public @Nullable QueuedTicket issue() {
        long issuedAt = server.now();
        for (; ; ) {
            QueuedTicket before = latest;
            long position = before.position() + 1;
            if (!hasRoomFor(position)) {
                return null;
            }
            QueuedTicket issued = new QueuedTicket(server, position, issuedAt);
            if (append(before, issued)) {
                return issued;
            }
        }
    }

    /** Makes a ticket that is to be {@linkplain #link linked}; it can be used before. */
    QueuedTicket issue(long position) {
        return new QueuedTicket(server, position, server.now());
    }

    /** Whether a ticket of this position may be open. */
    boolean hasRoomFor(long position) {
        return position - server.served() < window;
    }

    /**
     * Puts a ticket behind all others, whose positions must be less. Callers exclude each other.
     *
     * @return whether its turn has come, and it was used or skipped before: then the caller has to serve it
     */
    boolean link(QueuedTicket issued) {
        QueuedTicket before = latest;
        LATEST.setVolatile(this, issued);
        return !before.append(issued) && server.comeToFirst(issued);
    }

    private boolean append(QueuedTicket before, QueuedTicket issued) {
        boolean isNext = LATEST.compareAndSet(this, before, issued);
        if (isNext && !before.append(issued)) {
            // no other thread can know of it yet, and so it is open
            server.comeToFirst(issued);
        }
        return isNext;
    }

    public void setWindow(int window) {
        this.window = window;
        server.onRoom();
    }

    public int window() {
        return window;
    }

    // looking at it

    public QueuedTicket latest() {
        return latest;
    }

    /** What it looks like at this moment. */
    public SequencerSnapshot snapshot() {
        // in this order: never more are seen open than there were, nor a first one that is done
        QueuedTicket last = latest;
        long issued = last.position() + 1;
        long tail = Math.min(server.served(), issued);
        return seen(tail, Math.max(0, issued - tail), server.head());
    }

    /**
     * As {@link #snapshot()}, for tickets whose numbers have gaps.
     *
     * @param issued how many tickets were issued
     * @param first the position of the first
     * @param ahead the first one that was issued and not linked; null if there is none
     */
    SequencerSnapshot snapshot(long issued, long first, @Nullable QueuedTicket ahead) {
        long passed = server.skipped();
        long tail = server.served();
        QueuedTicket linked = server.head();
        boolean isLinkedOpen = linked.position() >= tail && !linked.isGap();
        QueuedTicket oldest = ahead == null || isLinkedOpen ? linked : ahead;
        return seen(tail, Math.max(0, issued - (tail - first - passed)), oldest);
    }

    private SequencerSnapshot seen(long tail, long open, QueuedTicket oldest) {
        boolean isOpen = open > 0 && oldest.position() >= tail && !oldest.isGap();
        return new SequencerSnapshot(tail, open, isOpen ? oldest.age(server.now()) : Duration.ZERO);
    }
}
