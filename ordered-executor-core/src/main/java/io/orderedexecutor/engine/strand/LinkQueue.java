package io.orderedexecutor.engine.strand;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Links in the order of their submission. Any number of submitters append at the end, one server at a time goes along
 * from the {@code head}, and anybody may take out what waits in between.
 *
 * <p>A submitter links itself to the last link by a compare-and-set, which fixes the order, and the server ends the
 * queue behind the last link in the same way; so there is never a gap, and a task that is accepted is found by whoever
 * walks the queue. This is the queue of Michael and Scott, in the form that
 * {@link java.util.concurrent.ConcurrentLinkedQueue} gave it.
 *
 * <p>Submitters and the server share the fields of this object, and to write one takes its cache line away from the
 * others. So {@code tail} and {@code head} are hints, moved on once for several links: the end is not far behind the
 * one, and while the queue is served, the link that is served is not far behind the other. When nobody serves, the head
 * is exact.
 *
 * <p>A task that is taken out leaves a vacated link. When there are as many of them as tasks that wait, one of those
 * who take something out sweeps: it links past them, except the last, to which a submitter may be linking itself. So
 * taking a task out costs constant time on average, and vacated links never outnumber the tasks by more than a few.
 */
public class LinkQueue {
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;
    private static final VarHandle VACATED_LINKS;
    private static final VarHandle UNSWEPT;

    /** The capacity of a queue in which any number of tasks may wait. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** Vacated links that are not worth a sweep. */
    private static final int FEW = 32;

    /** How many links the tail lags behind at most, but for races: submitters walk along half of them on average. */
    private static final int TAIL_LAG = 2;

    /**
     * The same where a queue is long: it is served while it grows, and what a submitter walks along is what it has just
     * written.
     */
    private static final int LONG_TAIL_LAG = 8;

    private static final int LONG = 64;

    /** How many served links there are behind the head at most while the queue is served; a power of two. */
    private static final int HEAD_LAG = 16;

    static {
        try {
            var lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(LinkQueue.class, "tail", Link.class);
            HEAD = lookup.findVarHandle(LinkQueue.class, "head", Link.class);
            VACATED_LINKS = lookup.findVarHandle(LinkQueue.class, "vacatedLinks", int.class);
            UNSWEPT = lookup.findVarHandle(LinkQueue.class, "unswept", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A link from which the last one can be reached, or a passed one. Moved by compare-and-set. */
    private volatile Link tail;

    /**
     * The link that is served or was served last, or one before it with nothing but served ones in between. Moved by
     * the server with release; read by all who walk the queue.
     */
    private volatile Link head;

    /**
     * How many vacated links the server has not passed, linked or swept; less the tasks that wait in a link in addition
     * to its first one. Changed by atomic addition.
     */
    private volatile int vacatedLinks;

    /** How many links were vacated since the last sweep. Changed by atomic addition; whoever sets it to 0 sweeps. */
    @SuppressWarnings("UnusedVariable") // it is used through its handle
    private volatile int unswept;

    /**
     * The position of the last link whose task's work is known to have returned, plus 1; 0 if none is. Written by the
     * thread that did the work, before it completes the future; who knows of the completion sees it.
     */
    private int returned;

    /** Opens a queue with its first link, which is in no other; it may be served already. */
    @SuppressWarnings("NullAway.Init") // it does not see that the handles set the fields
    LinkQueue(Link first) {
        first.position = 0;
        // plain is enough: the queue is published by whatever makes it findable
        TAIL.set(this, first);
        HEAD.set(this, first);
    }

    // what submitters do

    /**
     * Called before a task is taken, and again if that failed, for those who count what waits: the count may be too low
     * for a moment, and never too high.
     *
     * @param tasks 1, or -1 if another thread was faster or the task is put back
     */
    public void onTaking(int tasks) {}

    /**
     * Places {@code link} at the end.
     *
     * @param capacity how many tasks may wait at most; what is taken in the meantime counts or does not
     */
    final Placed enqueue(Link link, int capacity) {
        Link hint = tail;
        for (Link last = hint; ; ) {
            Link next = last.next();
            if (next == null) {
                if (capacity != UNLIMITED && mayBeFull(last, capacity) && queuedUpTo(last) >= capacity) {
                    return last.isClosed() ? Placed.ENDED : Placed.FULL;
                }
                link.position = last.position + 1;
                if (last.append(link)) {
                    if (link.position % (link.position < LONG ? TAIL_LAG : LONG_TAIL_LAG) == 0) {
                        TAIL.compareAndSet(this, hint, link);
                    }
                    last.onFollowed();
                    return Placed.LINKED;
                }
                if (last.isClosed()) {
                    return Placed.ENDED;
                }
            } else {
                last = next == last ? head : next;
            }
        }
    }

    /**
     * As {@link #enqueue}, but lets the last link take over the task of {@code link} if it does; that needs no room. So
     * nothing is between the two.
     */
    final Placed enqueueOrJoin(Link link, int capacity) {
        for (; ; ) {
            Link last = last();
            if (last.takeOver(link)) {
                return Placed.JOINED;
            }
            if (isFull(last, capacity)) {
                return Placed.FULL;
            }
            Placed placed = appendTo(last, link);
            if (placed != null) {
                return placed;
            }
        }
    }

    /** Whether as many tasks wait up to the last link as may, in a queue that has not ended. */
    final boolean isFull(Link last, int capacity) {
        return capacity != UNLIMITED && !last.isClosed() && queuedUpTo(last) >= capacity;
    }

    /** Counts tasks that wait in a link in addition to its first one; negative if they no longer wait there. */
    final void countFurther(int tasks) {
        VACATED_LINKS.getAndAdd(this, -tasks);
    }

    /** Links {@code link} behind the last one; null if it is no longer the last. */
    final @Nullable Placed appendTo(Link last, Link link) {
        Link hint = tail;
        link.position = last.position + 1;
        if (last.append(link)) {
            TAIL.compareAndSet(this, hint, link);
            last.onFollowed();
            return Placed.LINKED;
        }
        return last.isClosed() ? Placed.ENDED : null;
    }

    /** Places a link without a task at the end, which the server has to pass. */
    public final boolean enqueueVacated() {
        VACATED_LINKS.getAndAdd(this, 1);
        Placed placed;
        do {
            Link last = last();
            placed = appendTo(last, Link.vacatedBehind(last));
        } while (placed == null);
        return placed == Placed.LINKED;
    }

    /** Whether the last link has no task, and the server has not passed it. */
    public final boolean isVacatedAtTheEnd() {
        return last().isVacated();
    }

    // what the server does

    /** Whether the work of a served task is known to have returned. */
    final boolean hasReturned(Link served) {
        return returned == served.position + 1;
    }

    /** Notes that what is served does no more work. For the server, before it completes the future. */
    final void noteReturn(Link served) {
        returned = served.position + 1;
    }

    /**
     * The link that is served or was served last; for the server, when it comes, and for others while nobody serves.
     */
    public final Link head() {
        return head;
    }

    /** To be called by the server before it leaves, or puts a task back: others rely on the head then. */
    final void settleAt(Link link) {
        HEAD.setRelease(this, link);
    }

    /** Takes the task of a link in its turn; null if it is vacated, or was served before. */
    final @Nullable Runnable claimFrom(Link link) {
        onTaking(1);
        Runnable claimed = link.claim();
        // from here to the caller no call that could fail for want of stack: the task is nowhere else
        if (claimed == null || claimed == Link.VACATED) {
            onTaking(-1);
            if (claimed != null) {
                VACATED_LINKS.getAndAdd(this, -1);
                noteReturn(link);
            }
            return null;
        }
        return claimed;
    }

    /** Goes on from a served link to the one behind it, which there must be. */
    final Link advance(Link from) {
        Link to = Objects.requireNonNull(from.next());
        int swept = to.position - from.position - 1;
        if (swept != 0 || to.position % HEAD_LAG == 0) {
            HEAD.setRelease(this, to);
            if (swept != 0) {
                VACATED_LINKS.getAndAdd(this, -swept);
            }
            // who walks along those before it comes to this one, and goes on from the head
            from.pass();
        }
        return to;
    }

    // what everybody does

    /**
     * Takes a task out before its turn.
     *
     * @return false if it has been taken by somebody else, and perhaps run
     */
    final boolean takeOut(Link link, Runnable waiting) {
        VACATED_LINKS.getAndAdd(this, 1);
        onTaking(1);
        if (!link.vacate(waiting)) {
            onTaking(-1);
            VACATED_LINKS.getAndAdd(this, -1);
            return false;
        }
        int count = (int) UNSWEPT.getAndAdd(this, 1) + 1;
        if (count >= FEW && count >= queued() && UNSWEPT.compareAndSet(this, count, 0)) {
            sweep();
        }
        return true;
    }

    /** Takes out all tasks that wait, in order, and the places that are reserved among them. */
    final void takeOutAll(Consumer<? super Runnable> taker) {
        // a passed link leads nowhere; the head has then moved on
        for (Link link = head; link != null; link = link.isPassed() ? head : link.next()) {
            // several may wait in one link
            for (Runnable waiting = link.waiting(); waiting != null; waiting = link.waiting()) {
                if (waiting instanceof ReservedPlace place && !place.end(ReservedPlace.State.DISCARDED)) {
                    // its task is about to come, and is accepted; or it is being taken out
                    break;
                }
                if (takeOut(link, waiting)) {
                    taker.accept(waiting);
                }
            }
        }
    }

    private void sweep() {
        Link before = head;
        Link link = before.next();
        while (link != null) {
            Link next = link.next();
            if (next == null) {
                return;
            }
            if (before.isPassed() || next == link) {
                // the server has overtaken this sweep
                before = head;
                next = before.next();
            } else if (!link.isVacated() || !before.linkPast(link, next)) {
                before = link;
            }
            link = next;
        }
    }

    /** Whether the server has ended this queue. */
    public final boolean hasEnded() {
        return last().isClosed();
    }

    /** How many tasks wait; approximate while the queue changes. */
    public final int queued() {
        Link last = last();
        return last.isClosed() ? 0 : queuedUpTo(last);
    }

    /** How many tasks have had their turn here, or lost it. For the server, and others while nobody serves. */
    public final int length() {
        Link last = head;
        // the head may lag behind
        for (Link next = last.next(); next != null && next != last && next.isServed(); next = last.next()) {
            last = next;
        }
        return last.position + 1;
    }

    /** When the task was placed that has waited longest; 0 if none waits, or tasks are not timed. */
    public final long oldestQueuedAt() {
        for (Link link = head; link != null; link = link.isPassed() ? head : link.next()) {
            if (link.waiting() != null) {
                return link.queuedAt();
            }
        }
        return 0;
    }

    /**
     * While links are taken, it may seem to be less for a moment, and never more: who finds the queue full can rely on
     * it.
     */
    private int queuedUpTo(Link last) {
        // before the links: one that the server passes in between is then missing here and there. Seen the other way
        // round, it would be taken for a task, and a submitter wait for room that nobody is left to make
        int vacated = vacatedLinks;
        Link first = lastServedUpTo(last);
        int notServed = last.position - first.position + (first.isServed() ? 0 : 1);
        return Math.max(0, notServed - vacated);
    }

    /** What the head will be moved on to when it need not lag; if that is not served, it is what comes next. */
    final Link lastServedUpTo(Link last) {
        Link link = head;
        while (link.isServed()) {
            Link next = link.next();
            if (next == link) {
                link = head;
            } else if (next != null && next.isServed() && last.position - next.position >= 0) {
                link = next;
            } else {
                break;
            }
        }
        return link;
    }

    /** Whether it is worth the way to the link that is served to see whether {@code capacity} tasks wait. */
    private boolean mayBeFull(Link last, int capacity) {
        // in this order: seen the other way round, what the server passes in between would be missing twice
        return last.position - head.position + 1 - vacatedLinks >= capacity;
    }

    /** Whether no task waits, for sure. */
    public final boolean hasNoTask() {
        // the count may be too low for a moment, and never too high
        if (queued() > 0) {
            return false;
        }
        // a link that is passed has a server, who will see what is behind it
        for (Link link = head; link != null && !link.isPassed(); link = link.next()) {
            if (link.waiting() != null) {
                return false;
            }
        }
        return true;
    }

    final Link last() {
        Link last = tail;
        for (Link next = last.next(); next != null; next = last.next()) {
            last = next == last ? head : next;
        }
        return last;
    }
}
