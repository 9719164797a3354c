package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A place in a chain: one task and the link behind it.
 *
 * <p>The task belongs to whoever claims it: a worker that runs it, a submitter whose hand-over was refused, or a
 * shutdown that takes it back. A claim empties the link, so a task has one end and is unreachable from its chain from its
 * start on.
 *
 * <p>{@code next} goes through these states:
 *
 * <pre>
 *   null ──────────▶ the link behind      a submitter linked it
 *   null ─▶ AWAITED ─▶ the link behind    the server left before a submitter, already the tail, had linked itself;
 *                                         that submitter hands the chain over again
 *   the link behind ─▶ this               the server has gone on: a chain that never ends must not keep what it ran
 * </pre>
 */
class Link {
    private static final VarHandle TASK;
    private static final VarHandle NEXT;

    static {
        try {
            var lookup = MethodHandles.lookup();
            TASK = lookup.findVarHandle(Link.class, "task", Runnable.class);
            NEXT = lookup.findVarHandle(Link.class, "next", Link.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Stands for a link that a submitter is about to set. */
    private static final Link AWAITED = new Link(null);

    /** Claimed by an atomic exchange: a plain read and write would let two parties end one task. */
    private volatile @Nullable Runnable task;

    /** Set by the submitter behind; {@link #AWAITED} and {@code this} by the server. */
    private volatile @Nullable Link next;

    /** The number of links before this one in its chain. Written before the link becomes the tail, which publishes it. */
    int position;

    Link(@Nullable Runnable task) {
        // plain is enough: a link is published by the exchange that makes it the tail, or opens its chain
        TASK.set(this, task);
    }

    /** Takes the task out of this link; null if somebody else has it. */
    final @Nullable Runnable claim() {
        return (Runnable) TASK.getAndSet(this, null);
    }

    final boolean isClaimed() {
        return task == null;
    }

    /**
     * Links {@code link} behind this one.
     *
     * @return whether the server has left, so that the caller must hand the chain over
     */
    final boolean linkNext(Link link) {
        return NEXT.getAndSet(this, link) == AWAITED;
    }

    /** The link behind this one; null if none is linked yet. */
    final @Nullable Link next() {
        Link link = next;
        return link == AWAITED ? null : link;
    }

    /**
     * Leaves it to the submitter of the link behind to hand the chain over.
     *
     * @return false if that link is there already, and the chain has to be served on
     */
    final boolean awaitNext() {
        Link witness = (Link) NEXT.compareAndExchange(this, null, AWAITED);
        return witness == null || witness == AWAITED;
    }

    /** Cuts the way from this served link to those behind it. Release is enough: only those who walk a chain look. */
    final void pass() {
        NEXT.setRelease(this, this);
    }

    final boolean isPassed() {
        return next == this;
    }
}
