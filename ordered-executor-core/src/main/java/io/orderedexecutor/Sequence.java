package io.orderedexecutor;

import io.orderedexecutor.stats.SequencerSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tickets in the order in which they were issued, and the right to serve them. There is no thread that waits for
 * tickets: whoever uses the one whose turn it is, serves it and all that were left behind it, as far as they have been
 * used, and leaves the right to serve at the next:
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
 * {@link Ticket}. A ticket is linked behind the last one by two steps, the second of which fails if that one was served
 * in between; then the issuer has the right to serve.
 *
 * <p>At most {@code window} tickets are open. It is counted by their positions, and how many are served is published
 * after each.
 *
 * <p>To leave an output to whoever serves the one before it, instead of waiting for its turn, is the idea of Ullink's
 * ordered scheduler, after an article by Intel on ordered data streams; this one links its tickets, so that it needs no
 * ring of slots.
 */
abstract class Sequence {
    /** No thread has this id. */
    private static final long NOBODY = 0;

    private static final VarHandle LATEST;
    private static final VarHandle SERVER;

    static {
        try {
            var lookup = MethodHandles.lookup();
            LATEST = lookup.findVarHandle(Sequence.class, "latest", Ticket.class);
            SERVER = lookup.findVarHandle(Sequence.class, "server", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The last ticket that was issued. Moved by compare-and-set, which fixes the order. */
    private volatile Ticket latest;

    /** How many tickets are served. Written by the server after each, read by those who wait for one. */
    private volatile long served;

    /**
     * How many tickets are no longer in the window: those that are served, and the one whose output has run. Written by
     * the server, read by those who want another ticket.
     */
    private volatile long outOfWindow;

    /** How many of the numbers that are out of the window had no ticket. Written by the server. */
    private volatile long skipped;

    /**
     * The ticket that is served, or awaited, or was served last. Written by the server, and by the issuer of a first
     * ticket.
     */
    private volatile Ticket head;

    private volatile int window;

    /**
     * The id of the thread that runs an output, or tells those who want to know of it; {@link #NOBODY} between. Written
     * by the server; opaque, since each thread asks for itself only. No reference: the garbage collector would have to
     * note each change, which costs more than all else here.
     */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private long server = NOBODY;

    /**
     * Begins.
     *
     * @param first the position of the first ticket
     */
    Sequence(int window, long first) {
        this.window = window;
        this.served = first;
        this.outOfWindow = first;
        Ticket none = Ticket.before(this, first);
        this.latest = none;
        this.head = none;
    }

    // what differs

    /** Runs the output of a ticket, and contains what it throws; false if {@link #awaitAgain} was. */
    abstract boolean perform(Ticket ticket, Runnable output);

    /** What has ended while the server was serving, and counts until it has left; null if there is nothing. */
    abstract @Nullable AfterServing takeEnded();

    /** Called when there may be room for another ticket. */
    abstract void onServed();

    /** The mark of a ticket whose turn comes now, and that is not used. */
    abstract Ticket.Awaited awaited();

    /**
     * Called after nothing can be served before the first open ticket is used, unless that was issued just now: who
     * issues a ticket says so when it holds no lock.
     */
    abstract void onAwaited();

    /**
     * Finds another thread to go on.
     *
     * @return false if no other thread will
     */
    abstract boolean passOn(Runnable continuation);

    /** How long a thread serves outputs that were left behind the one that it has brought. */
    abstract Turn turn();

    /** The time by {@link System#nanoTime}. */
    abstract long now();

    /** Whether this sequence is stopped; null if it is not. */
    abstract @Nullable Stop stopped();

    // issuing

    /** Issues the next ticket; null if there is no room in the window, or the sequence is closed. */
    final @Nullable Ticket issue() {
        long issuedAt = now();
        for (; ; ) {
            Ticket before = latest;
            long position = before.position() + 1;
            if (position - outOfWindow >= window || before.isLast()) {
                return null;
            }
            Ticket issued = new Ticket(this, position, issuedAt);
            if (append(before, issued)) {
                return issued;
            }
        }
    }

    /** Makes a ticket that is to be {@linkplain #link linked}; it can be used before. */
    final Ticket issue(long position) {
        return new Ticket(this, position, now());
    }

    /** Whether a ticket of this position may be open. */
    final boolean hasRoomFor(long position) {
        return position - outOfWindow < window;
    }

    /**
     * Puts a ticket behind all others, whose positions must be less. Callers exclude each other.
     *
     * @return whether its turn has come, and it was used or skipped before: then the caller has to serve it
     */
    final boolean link(Ticket issued) {
        Ticket before = latest;
        LATEST.setVolatile(this, issued);
        return !before.append(issued) && comeToFirst(issued);
    }

    /**
     * Issues no more tickets.
     *
     * @return the last one, which is skipped
     */
    final Ticket close() {
        for (; ; ) {
            Ticket before = latest;
            if (before.isLast()) {
                return before;
            }
            Ticket closing = Ticket.last(this, before.position() + 1, now());
            if (append(before, closing)) {
                closing.close();
                return closing;
            }
        }
    }

    private boolean append(Ticket before, Ticket issued) {
        boolean isNext = LATEST.compareAndSet(this, before, issued);
        if (isNext && !before.append(issued)) {
            // nobody else can know of it yet, and so it is open
            comeToFirst(issued);
        }
        return isNext;
    }

    /** Comes to a ticket before which all are served; tells whether to go on with it. */
    private boolean comeToFirst(Ticket issued) {
        head = issued;
        return issued.comeTo(awaited());
    }

    final boolean isClosed() {
        return latest.isLast();
    }

    final void setWindow(int window) {
        this.window = window;
        onServed();
    }

    final int window() {
        return window;
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
    final void serve(Ticket first, @Nullable Runnable left, boolean mayStay) {
        ServingTurn turn = new ServingTurn(this, mayStay);
        try {
            serve(first, left, turn, mayStay);
        } finally {
            turn.end();
        }
    }

    private void serve(Ticket first, @Nullable Runnable left, ServingTurn turn, boolean mayStay) {
        Ticket ticket = first;
        Runnable output = left;
        boolean leaves = left != null && !mayStay;
        for (; ; ) {
            if (leaves) {
                if (passOn(ticket, output)) {
                    return;
                }
                // nobody else will: this thread goes on for another turn
                turn.extend();
            }
            if (output != null) {
                SERVER.setOpaque(this, Thread.currentThread().getId());
                if (!perform(ticket, output)) {
                    return;
                }
                turn.performed();
            }
            Ticket next = goOn(ticket, turn);
            if (next == null) {
                return;
            }
            ticket = next;
            output = ticket.take();
            leaves = turn.isOver(output);
        }
    }

    /** Serves a ticket that has expired, after a report in the place of its output. */
    final void serveExpired(Ticket ticket, Runnable report) {
        SERVER.setOpaque(this, Thread.currentThread().getId());
        report.run();
        serve(ticket, null, true);
    }

    /** Goes on from a ticket that is served; null if this thread cannot go on. */
    private @Nullable Ticket goOn(Ticket ticket, ServingTurn turn) {
        long after = ticket.position() + 1;
        boolean hasLeftWindow = outOfWindow == after;
        if (!hasLeftWindow) {
            if (ticket.isGap()) {
                long before = skipped;
                skipped = before + after - outOfWindow;
            }
            outOfWindow = after;
        }
        served = after;
        // who is told may have actions of his own, which run here
        SERVER.setOpaque(this, Thread.currentThread().getId());
        ticket.tellServed();
        if (!hasLeftWindow) {
            onServed();
        }
        SERVER.setOpaque(this, NOBODY);
        turn.keep(takeEnded());
        Ticket next = ticket.passOrEnd();
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

    /**
     * For the server, whose output somebody else is about to end, who gives the ticket up then: lets the ticket be
     * awaited again.
     *
     * @param isOver whether that one may have given the ticket up before it was awaited again
     * @return whether this thread has the right to serve again
     */
    final boolean awaitAgain(Ticket ticket, BooleanSupplier isOver) {
        SERVER.setOpaque(this, NOBODY);
        Ticket.Awaited awaited = awaited();
        ticket.putBack(awaited);
        return isOver.getAsBoolean() && ticket.takeBack(awaited);
    }

    /** Asks another thread to go on here; false if none will. */
    private boolean passOn(Ticket ticket, @Nullable Runnable output) {
        ticket.putReady(output);
        return passOn(() -> goOnAt(ticket)) || ticket.takeReady() == null;
    }

    /** For a thread that has nothing better to do: goes on if another one was asked to and has not begun. */
    final void goOnIfAsked() {
        goOnAt(head);
    }

    /** Whether somebody was asked to go on and has not begun. */
    final boolean isReady() {
        return head.isReady();
    }

    private void goOnAt(Ticket ticket) {
        Ticket.Ready ready = ticket.takeReady();
        if (ready != null) {
            serve(ticket, ready.output(), true);
        }
    }

    /**
     * For an output that has run, and whose end is told before its ticket is served: whoever is told is to find room.
     */
    final void leaveWindow() {
        outOfWindow = head.position() + 1;
        onServed();
    }

    // looking at it

    /** Whether what the calling thread does holds up this sequence: an output, or what is done between two. */
    final boolean isServedHere() {
        return (long) SERVER.getOpaque(this) == Thread.currentThread().getId();
    }

    final boolean hasServed(Ticket ticket) {
        return ticket.position() < served;
    }

    final Ticket latest() {
        return latest;
    }

    final Ticket head() {
        return head;
    }

    /** What it looks like at this moment. */
    final SequencerSnapshot snapshot() {
        // in this order: never more are seen open than there were, nor a first one that is done
        Ticket last = latest;
        // the one that closes a sequence is nobody's
        long issued = last.isLast() ? last.position() : last.position() + 1;
        long tail = Math.min(outOfWindow, issued);
        return seen(tail, Math.max(0, issued - tail), head);
    }

    /**
     * As {@link #snapshot()}, for tickets whose numbers have gaps.
     *
     * @param issued how many tickets were issued
     * @param first the position of the first
     * @param ahead the first one that was issued and not linked; null if there is none
     */
    final SequencerSnapshot snapshot(long issued, long first, @Nullable Ticket ahead) {
        long passed = skipped;
        long tail = outOfWindow;
        Ticket linked = head;
        boolean isLinkedOpen = linked.position() >= tail && !linked.isGap();
        Ticket oldest = ahead == null || isLinkedOpen ? linked : ahead;
        return seen(tail, Math.max(0, issued - (tail - first - passed)), oldest);
    }

    private SequencerSnapshot seen(long tail, long open, Ticket oldest) {
        boolean isOpen = open > 0 && oldest.position() >= tail && !oldest.isGap();
        return new SequencerSnapshot(tail, open, isOpen ? oldest.age(now()) : Duration.ZERO);
    }
}
