package io.orderedexecutor.engine.ticket;

import io.orderedexecutor.Ticket;
import io.orderedexecutor.engine.ticket.Leases.Awaited;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A ticket in a {@link TicketQueue}. Its state, and who may change it:
 *
 * <pre>
 *   open ──▶ Awaited        the server, or the issuer of the first ticket: its turn has come, and it is not used
 *   open ──▶ an output      a thread that runs it before its turn; the output is left to the server
 *   open ──▶ SKIPPED        a thread that gives it up before its turn
 *   an output ──▶ SKIPPED   a thread that gives it up after all
 *   an output, SKIPPED ──▶ USED   the server, in its turn
 *   Awaited ──▶ USED        a thread that runs or skips it, and thereby becomes the server
 *   Awaited ──▶ EXPIRED     its lease is over; the thread that finds out becomes the server
 *   USED ──▶ Ready          the server's turn is over, and another thread is asked to go on here
 *   Ready ──▶ USED          that thread, or one that gives the ticket up, becomes the server
 * </pre>
 */
public final class QueuedTicket implements Ticket {
    private static final VarHandle STATE;
    private static final VarHandle NEXT;
    private static final VarHandle SERVED;

    static {
        try {
            var lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(QueuedTicket.class, "state", Object.class);
            NEXT = lookup.findVarHandle(QueuedTicket.class, "next", QueuedTicket.class);
            SERVED = lookup.findVarHandle(QueuedTicket.class, "served", CompletableFuture.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private enum Mark {
        SKIPPED,
        USED,
        EXPIRED
    }

    /** An output whose turn has come, for the thread that is asked to run it; null if the ticket is skipped. */
    record Ready(@Nullable Runnable output) {}

    /** Behind the last ticket once that is served. */
    private static final QueuedTicket NONE = new QueuedTicket();

    /** Behind a ticket that the server has gone on from, so that a ticket that is kept does not keep all later ones. */
    private static final QueuedTicket PASSED = new QueuedTicket();

    private final @Nullable TicketServer server;
    private final long position;
    private final long issuedAt;

    /**
     * Whether it stands for numbers that will not be issued: the one of its position, and those from the ticket before
     * on.
     */
    private final boolean isGap;

    /** Null while the ticket is open and not awaited. Changed by compare-and-set, so that each use is the only one. */
    private volatile @Nullable Object state;

    /** Null while this is the last ticket. Linked and ended by compare-and-set, so that one of the two happens. */
    private volatile @Nullable QueuedTicket next;

    /** Completed when this ticket is served. Set by compare-and-set; null if no caller has asked for it. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile @Nullable CompletableFuture<@Nullable Void> served;

    /** For what stands in the place of a ticket. */
    private QueuedTicket() {
        this(null, -1, 0, false);
    }

    private QueuedTicket(@Nullable TicketServer server, long position, long issuedAt, boolean isGap) {
        this.server = server;
        this.position = position;
        this.issuedAt = issuedAt;
        this.isGap = isGap;
    }

    QueuedTicket(TicketServer server, long position, long issuedAt) {
        this(server, position, issuedAt, false);
    }

    /** What a queue begins behind, whose first ticket has the position {@code first}. */
    static QueuedTicket before(TicketServer server, long first) {
        QueuedTicket none = new QueuedTicket(server, first - 1, 0, false);
        none.state = Mark.USED;
        none.next = NONE;
        return none;
    }

    /** In the place of numbers that are skipped: those up to {@code position} that have no ticket. */
    static QueuedTicket gap(TicketServer server, long position) {
        QueuedTicket gap = new QueuedTicket(server, position, 0, true);
        gap.state = Mark.SKIPPED;
        return gap;
    }

    boolean isGap() {
        return isGap;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void run(Runnable output) {
        Objects.requireNonNull(output, "output");
        Stop stop = server().stopped();
        useOnce(stop == null ? output : Mark.SKIPPED);
        if (stop != null) {
            throw stop.refusal(this + " has no turn any more");
        }
    }

    @Override
    public void skip() {
        useOnce(Mark.SKIPPED);
    }

    /** Skips this ticket if it was neither run nor skipped; else has no effect. */
    @Override
    public void close() {
        use(Mark.SKIPPED);
    }

    /** Returns the position and the state, as a text for people to read. */
    @Override
    public String toString() {
        return "ticket " + position + " (" + describe(state) + ")";
    }

    private static String describe(@Nullable Object state) {
        if (state == Mark.EXPIRED) {
            return "expired";
        }
        if (isOpen(state)) {
            return "open";
        }
        return state == Mark.SKIPPED ? "skipped" : "used";
    }

    private static boolean isOpen(@Nullable Object state) {
        return state == null || state instanceof Awaited;
    }

    /** Whether this ticket was neither used nor given up, nor has expired. */
    boolean isOpen() {
        return isOpen(state);
    }

    private TicketServer server() {
        return Objects.requireNonNull(server);
    }

    // using it

    private void useOnce(Object use) {
        if (!use(use)) {
            throw new IllegalStateException(this
                    + " cannot be used again: a ticket is run or skipped once, and its lease must not "
                    + "be over; take another one");
        }
    }

    private boolean use(Object use) {
        for (Object now = state; ; now = state) {
            if (now == null) {
                if (STATE.compareAndSet(this, null, use)) {
                    return true;
                }
            } else if (now instanceof Awaited) {
                if (STATE.compareAndSet(this, now, Mark.USED)) {
                    server().serve(this, use instanceof Runnable output ? output : null, true);
                    return true;
                }
            } else {
                return false;
            }
        }
    }

    /** Skips this ticket, unless its output has begun or will not come any more. */
    public void giveUp() {
        for (Object now = state; now != Mark.USED && now != Mark.SKIPPED && now != Mark.EXPIRED; now = state) {
            boolean isItsTurn = now instanceof Awaited || now instanceof Ready;
            if (STATE.compareAndSet(this, now, isItsTurn ? Mark.USED : Mark.SKIPPED)) {
                if (isItsTurn) {
                    server().serve(this, null, false);
                }
                return;
            }
        }
    }

    /** Ends this ticket, for which the sequence has waited so long; false if it does not, or no longer. */
    boolean expire(Awaited since) {
        return STATE.compareAndSet(this, since, Mark.EXPIRED);
    }

    // what the server does, and the issuer of a ticket before which there is none

    /**
     * Comes to this ticket in its turn.
     *
     * @return whether the server goes on with it; else the thread that uses it does
     */
    boolean comeTo(Awaited awaited) {
        return state != null || !STATE.compareAndSet(this, null, awaited);
    }

    /** Takes what was left here; null if the ticket is skipped. */
    @Nullable
    Runnable take() {
        return STATE.getAndSet(this, Mark.USED) instanceof Runnable output ? output : null;
    }

    /** Leaves this ticket to another thread. */
    void putReady(@Nullable Runnable output) {
        state = new Ready(output);
    }

    boolean isReady() {
        return state instanceof Ready;
    }

    /** Takes what was left for another thread; null if another thread has taken it. */
    @Nullable
    Ready takeReady() {
        return state instanceof Ready ready && STATE.compareAndSet(this, ready, Mark.USED) ? ready : null;
    }

    /** Since when the sequence waits for this ticket; null if it does not. */
    @Nullable
    Awaited awaited() {
        return state instanceof Awaited awaited ? awaited : null;
    }

    // the way on

    /** Links a ticket behind this one; false if all tickets up to this one are served. */
    boolean append(QueuedTicket behind) {
        return NEXT.compareAndSet(this, null, behind);
    }

    /**
     * Goes on from this ticket, which is served.
     *
     * @return the one behind it; null if there is none, and the issuer of the next one knows that its turn has come
     */
    @Nullable
    QueuedTicket passOrEnd() {
        QueuedTicket behind = next;
        if (behind == null) {
            if (NEXT.compareAndSet(this, null, NONE)) {
                return null;
            }
            behind = next;
        }
        // only the server changes it from now on, and no other thread needs to see that at once
        NEXT.setRelease(this, PASSED);
        return behind;
    }

    // looking at it

    Duration age(long now) {
        return Duration.ofNanos(now - issuedAt);
    }

    /** A future that is done when this ticket is served. */
    public CompletableFuture<@Nullable Void> whenServed() {
        CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
        CompletableFuture<@Nullable Void> before = served();
        CompletableFuture<@Nullable Void> whenServed =
                before != null || !SERVED.compareAndSet(this, null, asked) ? Objects.requireNonNull(served()) : asked;
        // asked after the write above: the server has either seen it, or has served this ticket before
        if (server().hasServed(this)) {
            whenServed.complete(null);
        }
        return whenServed;
    }

    /** Completes the future of {@link #whenServed}, if a caller has asked for it. */
    void tellServed() {
        CompletableFuture<@Nullable Void> asked = served();
        if (asked != null) {
            asked.complete(null);
        }
    }

    private @Nullable CompletableFuture<@Nullable Void> served() {
        return served;
    }
}
