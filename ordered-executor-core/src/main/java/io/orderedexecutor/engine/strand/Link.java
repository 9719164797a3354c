package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.Platform;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A node of a queue: one task and the way to the next node.
 *
 * <p>The task belongs to the thread that takes it, by an atomic exchange; so it has one end, and is unreachable from
 * its queue from then on:
 *
 * <pre>
 *   the task ──▶ null     the server claims it in its turn
 *   the task ──▶ VACATED  another thread takes it out before its turn: a cancellation, a submitter whose hand-over was
 *                         refused, a shutdown
 *   VACATED ──▶ null      the server comes by
 *   null ──▶ the task     it has failed, and the server puts it back to be run again
 *   a ReservedPlace ──▶ the task  the place is used, by the thread that has ended it
 * </pre>
 *
 * <p>A {@link ReservedPlace} is taken out as a task is, and is never claimed.
 *
 * <p>Subclasses add states: what is content of the link is then not the task itself.
 *
 * <p>The way to the next link:
 *
 * <pre>
 *   null ──▶ a link          a submitter appends it
 *   null ──▶ CLOSED          the server has served this one and ends the queue
 *   a link ──▶ one behind it a sweep links past those in between, which are vacated
 *   a link ──▶ this          the server has gone on, once for several links: what it served before
 *                            must not keep reachable what it served after
 * </pre>
 */
public class Link {
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

    @SuppressWarnings("UnnecessaryLambda") // it is an object to compare with, and never run
    static final Runnable VACATED = () -> {};

    private static final Link CLOSED = new Link(null);

    /** Taken by an atomic exchange: a plain read and write would let two parties end one task. */
    private volatile @Nullable Runnable task;

    /** Appended and closed by compare-and-set, so that one of the two happens; passed by the server with release. */
    private volatile @Nullable Link next;

    /** The number of links before this one in its queue. Written before the link is appended, which publishes it. */
    public int position;

    public Link(@Nullable Runnable task) {
        // plain is enough: a link is published when it is appended, or opens its queue
        TASK.set(this, task);
    }

    /** A link that knows since when it waits, for a listener that asks. */
    private static final class Timed extends Link {
        private final long queuedAt;

        Timed(Runnable task, long queuedAt) {
            super(task);
            this.queuedAt = queuedAt;
        }

        @Override
        public long queuedAt() {
            return queuedAt;
        }
    }

    /**
     * A link for a listener that asks since when its task waits.
     *
     * @param queuedAt now, as {@link Platform#nanoTime} has it
     */
    public static Link timed(Runnable task, long queuedAt) {
        return new Timed(task, queuedAt);
    }

    /** When the task was submitted; 0 if it is not timed. */
    public long queuedAt() {
        return 0;
    }

    /** A link without a task, which is no submission: it is as if the one before it were the last. */
    private static final class Gap extends Link {
        private final Link before;

        Gap(Link before) {
            super(VACATED);
            this.before = before;
        }

        @Override
        boolean takeOver(Link newer) {
            return before.takeOver(newer);
        }

        @Override
        Link lastSubmission() {
            return before.lastSubmission();
        }
    }

    static Link vacatedBehind(Link last) {
        return new Gap(last);
    }

    /** For a submitter that has found this link the last one: whether it takes over the task of {@code newer}. */
    boolean takeOver(Link newer) {
        return false;
    }

    /** For a submitter that has found this link the last one: the last submission. */
    Link lastSubmission() {
        return this;
    }

    /** Called by the submitter that has appended a link behind this one. */
    void onFollowed() {}

    // the task

    /** The task, or what stands for it; null if it is served. */
    final @Nullable Runnable content() {
        return task;
    }

    final boolean replaceContent(Runnable expected, @Nullable Runnable content) {
        return TASK.compareAndSet(this, expected, content);
    }

    /**
     * For the server: takes the task in its turn.
     *
     * @return the task; null if it was served before; {@link #VACATED} if another thread has taken it out
     */
    @Nullable
    Runnable claim() {
        return (Runnable) TASK.getAndSet(this, null);
    }

    /** For the server: puts a task back that it has claimed from here. */
    void putBack(Runnable claimed) {
        task = claimed;
    }

    /** For all other threads: takes {@code waiting} out before its turn; false if it is gone. */
    boolean vacate(Runnable waiting) {
        return TASK.compareAndSet(this, waiting, VACATED);
    }

    /** Puts the task here for which {@code place} was reserved; for the thread that has ended the place. */
    final void fill(Runnable place, Runnable comes) {
        TASK.compareAndSet(this, place, comes);
    }

    /** The task, if it waits here. */
    @Nullable
    Runnable waiting() {
        Runnable here = task;
        return here == VACATED ? null : here;
    }

    /** The task that this link was placed with, if it waits here. */
    @Nullable
    Runnable waitingAsPlaced() {
        return waiting();
    }

    /** Called when the task has ended that was claimed here, or taken out. */
    void onEnd(Runnable ended) {}

    public final boolean isVacated() {
        return task == VACATED;
    }

    public final boolean isServed() {
        return task == null;
    }

    // the way on

    /** Links {@code link} behind this one, if it is the last; false if it is not, or the queue is closed. */
    final boolean append(Link link) {
        return NEXT.compareAndSet(this, null, link);
    }

    /** Ends the queue behind this link, if it is the last. */
    final boolean close() {
        return NEXT.compareAndSet(this, null, CLOSED);
    }

    /** The link behind this one; null if this is the last; itself if it is passed. */
    public final @Nullable Link next() {
        Link link = next;
        return link == CLOSED ? null : link;
    }

    final boolean isClosed() {
        return next == CLOSED;
    }

    /** Cuts the way from this served link to those behind it. Release is enough: only those who walk a queue look. */
    final void pass() {
        NEXT.setRelease(this, this);
    }

    final boolean isPassed() {
        return next == this;
    }

    /** Links {@code further} behind this instead of {@code vacated}; false if this was passed or swept meanwhile. */
    final boolean linkPast(Link vacated, Link further) {
        return NEXT.compareAndSet(this, vacated, further);
    }
}
