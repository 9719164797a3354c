package io.orderedexecutor.engine.ticket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.Ticket;
import io.orderedexecutor.stats.SequencerSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tickets whose numbers come from outside, in any order. A number is
 *
 * <pre>
 *   unknown ──▶ waiting   a caller asks for it, and it is beyond the window, which counts from the first number not done
 *   waiting ──▶ unknown   the caller gives up: the time is over, an interrupt, a cancelled future
 *   unknown, waiting ──▶ ahead    it is issued, and one before it is unknown or waiting
 *   unknown, waiting ──▶ linked   it is issued, and all before it are linked or skipped
 *   ahead ──▶ linked      the last one before it is linked or skipped
 *   unknown ──▶ skipped   by {@link #skipTo}, or since the sequence is stopped
 * </pre>
 *
 * <p>What is linked stands in the {@link TicketQueue}, which knows no gaps; so that is not changed by numbers that are
 * missing: it comes to its end before the first one, and the thread that links the next ticket goes on if it was used
 * before; see {@link NumberLine}. All steps are taken under the lock, but for the future of a waiter, which is
 * completed after it; if the waiter has given up in the meantime, the ticket is kept for the next caller that asks for
 * this number. Nothing is served and no lease is watched under the lock.
 *
 * <p>Each waiter has a number of its own, so the order in which they came does not matter: when the window moves, all
 * get their tickets whose numbers are in it.
 */
public final class NumberedTickets {
    private final Sequencer sequencer;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final NumberLine numbers;

    @GuardedBy("lock")
    private final NavigableMap<Long, CompletableFuture<Ticket>> waiting = new TreeMap<>();

    /** Tickets that were issued to waiters, until it is known whether they have taken them. */
    @GuardedBy("lock")
    private final Map<Long, Grant> grants = new HashMap<>();

    /** The size of {@link #waiting}. Written under {@link #lock}; read after room is made. */
    private volatile int size;

    private record Grant(CompletableFuture<Ticket> future, QueuedTicket ticket) {
        boolean isTaken() {
            return future.isDone() && !future.isCompletedExceptionally() && future.join() == ticket;
        }

        boolean isTurnedDown() {
            return future.isDone() && !isTaken();
        }
    }

    public NumberedTickets(TicketSettings settings, long first) {
        this.sequencer = new Sequencer(settings, first, this::call, this::stop);
        this.numbers = new NumberLine(sequencer.queue(), first);
    }

    public Sequencer sequencer() {
        return sequencer;
    }

    // issuing

    /** Issues the ticket of a number, and waits while that is beyond the window. */
    public Ticket issue(long position, long nanos) throws InterruptedException, TimeoutException {
        QueuedTicket ticket = tryIssue(position);
        if (ticket != null) {
            return ticket;
        }
        if (sequencer.isServedHere()) {
            throw sequencer.selfWait("tryIssue(position) or issueAsync(position)");
        }
        return sequencer.await(() -> issue(position), nanos, this::describeHead);
    }

    /** Issues the ticket of a number if that is in the window. */
    public @Nullable QueuedTicket tryIssue(long position) {
        QueuedTicket ticket;
        lock.lock();
        try {
            // asked under the lock: a stop either comes later and finds what is issued here, or is seen
            sequencer.requireRunning();
            ticket = issueIfRoom(position);
        } finally {
            lock.unlock();
        }
        sequencer.server().onAwaited();
        return ticket;
    }

    /** Issues the ticket of a number, now or when it is in the window. */
    public CompletableFuture<Ticket> issue(long position) {
        CompletableFuture<Ticket> future = new CompletableFuture<>();
        QueuedTicket ticket;
        lock.lock();
        try {
            RejectedExecutionException refusal = sequencer.refusal();
            if (refusal != null) {
                return CompletableFuture.failedFuture(refusal);
            }
            ticket = issueIfRoom(position);
            if (ticket == null) {
                waiting.put(position, future);
                size = waiting.size();
            }
        } finally {
            lock.unlock();
        }
        if (ticket == null) {
            await(position, future);
            return future;
        }
        sequencer.server().onAwaited();
        return CompletableFuture.completedFuture(ticket);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the action only cleans up
    private void await(long position, CompletableFuture<Ticket> future) {
        future.whenComplete((ticket, failure) -> giveUp(position, future));
        // there may have been room since this one has looked
        call();
    }

    /** A waiter has got its ticket, or no longer wants it. */
    private void giveUp(long position, CompletableFuture<Ticket> future) {
        QueuedTicket toServe = null;
        lock.lock();
        try {
            if (waiting.remove(position, future)) {
                size = waiting.size();
                toServe = numbers.linkAll(firstAwaited());
            }
        } finally {
            lock.unlock();
        }
        serve(toServe, false);
    }

    @GuardedBy("lock")
    private @Nullable QueuedTicket issueIfRoom(long position) {
        Grant grant = grants.isEmpty() ? null : grants.get(position);
        if (grant != null && grant.isTurnedDown() && grant.ticket.isOpen()) {
            grants.remove(position);
            return grant.ticket;
        }
        requireUnknown(position);
        return sequencer.queue().hasRoomFor(position) ? numbers.issue(position, firstAwaited()) : null;
    }

    @GuardedBy("lock")
    private void requireUnknown(long position) {
        CompletableFuture<Ticket> other = waiting.isEmpty() ? null : waiting.get(position);
        if (other != null && !other.isDone()) {
            throw NumberLine.comesTwice(position, "a caller waits for its ticket");
        }
        numbers.requireUnknown(position);
    }

    @GuardedBy("lock")
    private long firstAwaited() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.firstKey();
    }

    private void serve(@Nullable QueuedTicket ticket, boolean mayStay) {
        sequencer.server().onAwaited();
        if (ticket != null) {
            sequencer.server().serve(ticket, ticket.take(), mayStay);
        }
    }

    // tickets for waiters

    /** Called when there may be room. */
    private void call() {
        if (size == 0) {
            return;
        }
        List<Grant> granted = new ArrayList<>();
        lock.lock();
        try {
            while (!waiting.isEmpty() && sequencer.queue().hasRoomFor(waiting.firstKey())) {
                var next = waiting.pollFirstEntry();
                Grant grant = new Grant(next.getValue(), numbers.issue(next.getKey(), firstAwaited()));
                grants.put(next.getKey(), grant);
                granted.add(grant);
            }
            size = waiting.size();
        } finally {
            lock.unlock();
        }
        if (!granted.isEmpty()) {
            sequencer.server().onAwaited();
            granted.forEach(grant -> grant.future.complete(grant.ticket));
            settleGrants();
        }
    }

    // gaps

    /** Skips all numbers before this one that no caller has asked for. */
    public void skipTo(long position) {
        QueuedTicket toServe;
        lock.lock();
        try {
            requireSkippable(position);
            numbers.skipTo(position);
            toServe = numbers.linkAll(firstAwaited());
        } finally {
            lock.unlock();
        }
        serve(toServe, true);
        settleGrants();
    }

    @GuardedBy("lock")
    private void requireSkippable(long position) {
        if (position < numbers.first()) {
            throw new IllegalArgumentException("there is nothing to skip before " + position
                    + ": the tickets of this sequencer are numbered from " + numbers.first());
        }
    }

    /** Forgets tickets that were taken, and gives up those that were turned down and will not be asked for again. */
    private void settleGrants() {
        List<QueuedTicket> skipped = new ArrayList<>();
        lock.lock();
        try {
            grants.values().removeIf(Grant::isTaken);
            NumberLine line = numbers;
            grants.values()
                    .removeIf(grant -> grant.isTurnedDown()
                            && line.isSkipped(grant.ticket.position())
                            && skipped.add(grant.ticket));
        } finally {
            lock.unlock();
        }
        skipped.forEach(QueuedTicket::giveUp);
    }

    // the end

    /** The sequencer is stopped. */
    private void stop() {
        List<CompletableFuture<Ticket>> refused;
        long end;
        lock.lock();
        try {
            refused = List.copyOf(waiting.values());
            waiting.clear();
            size = 0;
            end = numbers.end();
        } finally {
            lock.unlock();
        }
        refused.forEach(future -> future.completeExceptionally(sequencer.refusal()));
        // numbers that are missing will not come any more
        skipTo(end);
    }

    // looking at it

    public SequencerSnapshot snapshot() {
        lock.lock();
        try {
            return numbers.snapshot();
        } finally {
            lock.unlock();
        }
    }

    /** Names what holds up the waiters, in messages. */
    private String describeHead() {
        QueuedTicket head = sequencer.server().head();
        lock.lock();
        try {
            boolean isMissing = sequencer.server().hasServed(head) && !waiting.containsKey(numbers.unlinked());
            return isMissing ? "number " + numbers.unlinked() + ", whose ticket nobody has asked for" : head.toString();
        } finally {
            lock.unlock();
        }
    }

    /** The last ticket in the order of the numbers. */
    public QueuedTicket latest() {
        lock.lock();
        try {
            return numbers.latest();
        } finally {
            lock.unlock();
        }
    }
}
