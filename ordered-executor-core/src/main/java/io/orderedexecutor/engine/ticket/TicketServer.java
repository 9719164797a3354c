package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.engine.pool.ServesTasks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The right to serve the tickets of a {@link TicketQueue}. There is no thread that waits for tickets: the thread that
 * uses the one whose turn it is, serves it and all that were left behind it, as far as they have been used, and leaves
 * the right to serve at the next:
 *
 * <pre>
 *   none open ──▶ awaited     a ticket is issued, and is the first
 *   awaited ──▶ served        a thread uses that ticket, or its lease is over
 *   served ──▶ served         the next one was used before, or the thread's turn is over and another one is asked to
 *                             go on
 *   served ──▶ awaited        the next one is open
 *   served ──▶ none open      there is no next one
 * </pre>
 *
 * <p>The states are those of the first ticket that is not served, and of the way behind the last one; see
 * {@link QueuedTicket}.
 */
public final class TicketServer implements ServesTasks {
    /** No thread has this id. */
    private static final long NO_THREAD = 0;

    private static final VarHandle SERVER;
    private static final VarHandle STOP;

    static {
        try {
            var lookup = MethodHandles.lookup();
            SERVER = lookup.findVarHandle(TicketServer.class, "server", long.class);
            STOP = lookup.findVarHandle(TicketServer.class, "stop", Stop.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ServerSettings settings;

    /**
     * How many tickets are served. Written by the server after each; read by threads that wait for one, and by callers
     * that want another one: these are no longer in the window.
     */
    private volatile long served;

    /** How many of the numbers that are served had no ticket. Written by the server. */
    private volatile long skipped;

    /**
     * The ticket that is served, or awaited, or was served last. Written by the server, and by the issuer of a first
     * ticket.
     */
    private volatile QueuedTicket head;

    /**
     * The id of the thread that runs an output, or completes the future of a ticket; {@link #NO_THREAD} between.
     * Written by the server; opaque, since each thread asks for itself only. No reference: the garbage collector would
     * have to note each change, which costs more than all else here.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private long server = NO_THREAD;

    /** Null while outputs run. Set once, by compare-and-set. */
    private volatile @Nullable Stop stop;

    /**
     * Begins.
     *
     * @param first the position of the first ticket
     */
    TicketServer(ServerSettings settings, long first) {
        this.settings = settings;
        this.served = first;
        this.head = QueuedTicket.before(this, first);
    }

    /** The time by {@link System#nanoTime}. */
    public long now() {
        return settings.platform().nanoTime();
    }

    // tickets that come

    /**
     * Comes to a ticket before which all are served.
     *
     * @return whether it was used before: then the caller has to serve it
     */
    boolean comeToFirst(QueuedTicket issued) {
        head = issued;
        return issued.comeTo(awaited());
    }

    /** The mark of a ticket whose turn comes now, and that is not used. */
    private Leases.Awaited awaited() {
        Leases leases = settings.leases();
        return leases == null ? Leases.Awaited.WITHOUT_LEASE : leases.begin();
    }

    /**
     * Called after a ticket was issued that may be the first, with no lock held; and when nothing can be served before
     * the first open ticket is used.
     */
    void onAwaited() {
        Leases leases = settings.leases();
        if (leases != null) {
            leases.watch();
        }
    }

    /** Tells that there may be room for another ticket. */
    void onRoom() {
        settings.onRoom().run();
    }

    // serving

    /**
     * Serves a ticket that this thread has taken in its turn, and those behind it.
     *
     * @param first the ticket
     * @param left its output; null if it is skipped
     * @param mayStay whether this thread may run outputs; else it passes on what is to be run, unless no other thread
     *     will
     */
    void serve(QueuedTicket first, @Nullable Runnable left, boolean mayStay) {
        ServingTurn turn = new ServingTurn(settings, mayStay);
        QueuedTicket ticket = first;
        Runnable output = left;
        boolean leaves = left != null && !mayStay;
        for (; ; ) {
            if (leaves) {
                if (passOn(ticket, output)) {
                    return;
                }
                // no other thread will: this one goes on for another turn
                turn.extend();
            }
            if (output != null) {
                SERVER.setOpaque(this, Thread.currentThread().getId());
                settings.outputs().accept(ticket, output);
                turn.performed();
            }
            QueuedTicket next = goOn(ticket);
            if (next == null) {
                return;
            }
            ticket = next;
            output = ticket.take();
            leaves = turn.isOver(output);
        }
    }

    /** Serves a ticket that has expired, after a report in the place of its output. */
    void serveExpired(QueuedTicket ticket, Runnable report) {
        SERVER.setOpaque(this, Thread.currentThread().getId());
        report.run();
        serve(ticket, null, true);
    }

    /** Goes on from a ticket that is served; null if this thread cannot go on. */
    private @Nullable QueuedTicket goOn(QueuedTicket ticket) {
        long after = ticket.position() + 1;
        if (ticket.isGap()) {
            long before = skipped;
            skipped = before + after - served;
        }
        served = after;
        // dependent actions run here
        SERVER.setOpaque(this, Thread.currentThread().getId());
        ticket.tellServed();
        onRoom();
        SERVER.setOpaque(this, NO_THREAD);
        QueuedTicket next = ticket.passOrEnd();
        if (next == null) {
            return null;
        }
        head = next;
        if (next.comeTo(awaited())) {
            return next;
        }
        onAwaited();
        return null;
    }

    // passing on

    /** Asks another thread to go on here; false if none will. */
    private boolean passOn(QueuedTicket ticket, @Nullable Runnable output) {
        ticket.putReady(output);
        return settings.passOn().test(() -> goOnAt(ticket)) || ticket.takeReady() == null;
    }

    /** For a thread that has nothing better to do: goes on if another one was asked to and has not begun. */
    void goOnIfAsked() {
        goOnAt(head);
    }

    /** Whether a thread was asked to go on and has not begun. */
    boolean isReady() {
        return head.isReady();
    }

    private void goOnAt(QueuedTicket ticket) {
        QueuedTicket.Ready ready = ticket.takeReady();
        if (ready != null) {
            serve(ticket, ready.output(), true);
        }
    }

    // the end

    /** Refuses outputs from now on; false if it has before. */
    boolean stop(Stop reason) {
        return STOP.compareAndSet(this, null, reason);
    }

    /** Why tickets cannot be run any more; null if they can. */
    @Nullable
    Stop stopped() {
        return stop;
    }

    // looking at it

    /** Whether what the calling thread does holds up the queue: an output, or what is done between two. */
    public boolean isServedHere() {
        return (long) SERVER.getOpaque(this) == Thread.currentThread().getId();
    }

    boolean hasServed(QueuedTicket ticket) {
        return ticket.position() < served;
    }

    public QueuedTicket head() {
        return head;
    }

    long served() {
        return served;
    }

    long skipped() {
        return skipped;
    }
}
