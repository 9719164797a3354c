package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * Links in the order of their submission. Any number of submitters append at the {@code tail}, one server at a time
 * goes along from the {@code head}, and anybody may claim what waits in between. The queue is its own first link, so
 * opening one for a single task makes one object.
 *
 * <p>The tail moves from link to link by the submitters' compare-and-set, which fixes the order, and once, from the last
 * link to {@code CLOSED}, by the server's. A submitter sets the tail first and links itself behind the former tail
 * afterwards. A server that arrives in between does not wait for it: it leaves, and the submitter is told that the queue is
 * unattended.
 */
class LinkQueue extends Link {
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            var lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(LinkQueue.class, "tail", Link.class);
            HEAD = lookup.findVarHandle(LinkQueue.class, "head", Link.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final Link CLOSED = new Link(null);

    /** What has become of an appended link. */
    enum Appended {
        /** It waits for its turn. */
        LINKED,
        /** It waits for its turn, but the server has left: the submitter has to find another. */
        UNATTENDED,
        /** The queue is closed and did not take it. */
        REFUSED
    }

    /** Moved by compare-and-set only. */
    private volatile Link tail;

    /** The link that is served or was served last. Moved by the server with release; read by all who walk the queue. */
    private volatile Link head;

    /** Opens a queue with its first task. */
    @SuppressWarnings("NullAway.Init") // it does not see that the handles set the fields
    LinkQueue(Runnable first) {
        super(first);
        // plain is enough: the queue is published by whatever makes it findable
        TAIL.set(this, this);
        HEAD.set(this, this);
    }

    // what submitters do

    final Appended append(Link link) {
        for (; ; ) {
            Link last = tail;
            if (last == CLOSED) {
                return Appended.REFUSED;
            }
            link.position = last.position + 1;
            if (TAIL.compareAndSet(this, last, link)) {
                return last.linkNext(link) ? Appended.UNATTENDED : Appended.LINKED;
            }
        }
    }

    // what the server does

    final Link head() {
        return head;
    }

    final void advance(Link from, Link to) {
        HEAD.setRelease(this, to);
        from.pass();
    }

    /**
     * Closes the queue behind {@code link}.
     *
     * @return false if it is not the last
     */
    final boolean closeAfter(Link link) {
        return tail == link && TAIL.compareAndSet(this, link, CLOSED);
    }

    // what everybody does

    final boolean isClosed() {
        return tail == CLOSED;
    }

    /** Claims all tasks that wait, in order. One that is appended meanwhile may be left. */
    final void claimAll(Consumer<? super Runnable> claimant) {
        // a passed link leads nowhere; the head has then moved on
        for (Link link = head; link != null; link = link.isPassed() ? head : link.next()) {
            Runnable task = link.claim();
            if (task != null) {
                claimant.accept(task);
            }
        }
    }

    /** How many tasks wait; approximate while the queue changes. */
    final int queued() {
        Link last = tail;
        if (last == CLOSED) {
            return 0;
        }
        Link first = head;
        int behindFirst = last.position - first.position;
        return Math.max(0, first.isClaimed() ? behindFirst : behindFirst + 1);
    }
}
