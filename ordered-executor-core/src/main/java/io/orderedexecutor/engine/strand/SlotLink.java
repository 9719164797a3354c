package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A link whose task a later submission of the same slot may replace, as long as it has not started and the link is the
 * last of its queue. Whether a task is replaced or started is decided by one compare-and-set of the link's content:
 *
 * <pre>
 *   Open(a) ──▶ Open(b)   a submitter that has found this link the last one: b replaces a, whose future it cancels
 *   Open(a) ──▶ null      the server starts a
 *   Open(a) ──▶ VACATED   another thread takes a out
 *   null ──▶ a            a has failed, and the server puts it back: nothing replaces it any more
 *   a ──▶ null, VACATED   as in any link
 * </pre>
 *
 * <p>A task that has started is not open, so no submitter that has seen it before can replace it after its first
 * attempt. A link that is appended behind this one between the look and the replacement belongs to a submission that
 * was concurrent to the replacing one, and comes after it.
 *
 * <p>What has started is known until it has ended, so that a submission that interrupts can cancel it. It is noted
 * before the content is null: a submitter that does not find its predecessor open any more finds it there.
 */
public final class SlotLink extends ArrivalLink {
    private static final VarHandle STARTED;

    static {
        try {
            STARTED = MethodHandles.lookup().findVarHandle(SlotLink.class, "started", TaskFuture.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A task that has not started. Compared by identity. */
    private static final class Open implements Runnable {
        final TaskFuture<?> task;
        final long queuedAt;

        Open(TaskFuture<?> task, long queuedAt) {
            this.task = task;
            this.queuedAt = queuedAt;
        }

        @Override
        public void run() {
            throw new IllegalStateException("this is not a task, but holds one");
        }
    }

    private final Object slot;
    private final boolean interrupts;

    /** The task that this link was made with. Used by its submitter, and cleared by the server. */
    private volatile @Nullable Open own;

    /**
     * Where the task is, which may be in a link that has taken it over; null if this link opens its queue. And the task
     * that it has replaced. Used by the submitter.
     */
    private @Nullable Link place;

    private @Nullable TaskFuture<?> replaced;

    /** What was claimed here, or is about to be. Cleared by compare-and-set when it has ended. */
    private volatile @Nullable TaskFuture<?> started;

    /** When the task that was claimed here was submitted. Written by the server before the content shows the claim. */
    private long startedQueuedAt;

    /**
     * Makes a link.
     *
     * @param queuedAt see {@link Link#queuedAt}
     * @param interrupts whether the task of the slot that runs is cancelled when this link is placed
     */
    public SlotLink(TaskFuture<?> task, Object slot, long queuedAt, boolean interrupts) {
        this(new Open(task, queuedAt), slot, interrupts);
    }

    private SlotLink(Open own, Object slot, boolean interrupts) {
        super(own);
        this.slot = slot;
        this.interrupts = interrupts;
        this.own = own;
    }

    // the submitter of this link

    @Override
    Placed enqueueIn(Strand strand, int capacity) {
        place = this;
        // before this task has its place: if the application's equals throws, the submission is refused
        Link compared = interrupts ? strand.lastServedUpTo(strand.last()) : this;
        boolean isOfSlot = isOfSlot(compared);
        Placed placed = strand.enqueueOrJoin(this, capacity);
        if (placed == Placed.LINKED || placed == Placed.JOINED) {
            endReplaced(strand);
            if (interrupts) {
                supersedeStarted(strand, compared, isOfSlot);
            }
        }
        return placed;
    }

    private boolean isOfSlot(Link other) {
        return other instanceof SlotLink known && slot.equals(known.slot);
    }

    /** As {@link #isOfSlot}, when it is too late to refuse the submission. */
    private boolean isKnownToBeOfSlot(Link other) {
        try {
            return isOfSlot(other);
        } catch (Throwable thrown) {
            UncaughtFailures.report(thrown);
            return false;
        }
    }

    /** Whether another link has taken the task over, so that this one is not used. */
    public boolean hasJoined() {
        return place != null && place != this;
    }

    private void endReplaced(Strand strand) {
        TaskFuture<?> old = replaced;
        if (old != null) {
            replaced = null;
            TaskReporter reporter = strand.host().reporter();
            Object work = reporter.cancel(old);
            reporter.tellReplaced(strand.key, work);
        }
    }

    /** Cancels what runs before the place of this task: what runs there or behind it is this task, or a later one. */
    private void supersedeStarted(Strand strand, Link compared, boolean isComparedOfSlot) {
        Link current = strand.lastServedUpTo(strand.last());
        int ahead = Objects.requireNonNull(place).position - current.position;
        boolean isOfSlot = current == compared ? isComparedOfSlot : ahead > 0 && isKnownToBeOfSlot(current);
        if (ahead > 0 && isOfSlot && current instanceof SlotLink running) {
            TaskFuture<?> task = running.started;
            if (task != null && StrandControl.parkedWith(strand) == null) {
                Object work = submittedAs(task, strand.run);
                if (task.supersede(strand)) {
                    strand.host().reporter().tellInterrupted(strand.key, work);
                }
            }
        }
    }

    /** What was submitted: while it waits, its future knows it; while it runs, the strand. */
    private static @Nullable Object submittedAs(TaskFuture<?> task, @Nullable TaskRun run) {
        Object work = task.work();
        return work == null && run != null ? run.task() : work;
    }

    // submitters of other links

    @Override
    boolean takeOver(Link newer) {
        if (!(newer instanceof SlotLink other) || !other.slot.equals(slot)) {
            return false;
        }
        Open theirs = Objects.requireNonNull(other.own);
        LinkQueue queue = Objects.requireNonNull(theirs.task.queue());
        while (content() instanceof Open open) {
            // before it can be found here
            theirs.task.waitIn(queue, this);
            if (replaceContent(open, theirs)) {
                other.place = this;
                other.replaced = open.task;
                return true;
            }
        }
        theirs.task.waitIn(queue, newer);
        return false;
    }

    // the server, and those who take something out

    @Override
    @Nullable
    Runnable claim() {
        while (content() instanceof Open open) {
            started = open.task;
            startedQueuedAt = open.queuedAt;
            if (replaceContent(open, null)) {
                own = null;
                return open.task;
            }
        }
        Runnable claimed = super.claim();
        if (claimed == null || claimed == VACATED) {
            started = null;
            own = null;
        }
        return claimed;
    }

    @Override
    boolean vacate(Runnable waiting) {
        return content() instanceof Open open
                ? open.task == waiting && replaceContent(open, VACATED)
                : super.vacate(waiting);
    }

    @Override
    @Nullable
    Runnable waiting() {
        return content() instanceof Open open ? open.task : super.waiting();
    }

    @Override
    @Nullable
    Runnable waitingAsPlaced() {
        Open mine = own;
        return mine != null && content() == mine ? mine.task : null;
    }

    @Override
    public long queuedAt() {
        return content() instanceof Open open ? open.queuedAt : startedQueuedAt;
    }

    @Override
    void onEnd(Runnable ended) {
        STARTED.compareAndSet(this, ended, null);
    }
}
