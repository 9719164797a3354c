package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.pool.Keyed;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.task.HeldUp;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.Explanation.Place;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The right to run one task at a time, from the task that found nothing to wait for to the one behind which there is
 * nothing more. Its tasks come from the queue that it is; what becomes of each is the concern of {@link TaskLife}. A
 * strand is handed to the workers by the submitter that opened it, threads serve it in turns, one at a time, and it is
 * never used again once it has ended.
 *
 * <p>The {@code holder} says who has the right, or what the strand waits for:
 *
 * <pre>
 *   WAITING ──▶ READY        nothing is before it any more; only a strand that is opened so, and its kind says who may
 *                            do this
 *   WAITING ──▶ Thread       all of it was taken out: by a cancellation, a shutdown, or to make room; that thread lets
 *                            go at once what waits for it
 *   READY ──▶ Thread         a thread that was handed the strand, or that must go on because a hand-over was refused
 *   Thread ──▶ READY         that thread's turn is over, and it passes the strand on; or its memory or stack have run
 *                            out
 *   Thread ──▶ AsyncAttempt  the task is asynchronous, and its stage is not complete
 *   Thread ──▶ a task        it has run, and there is neither memory nor stack to end it
 *   a task ──▶ Thread        a thread comes to end it
 *   AsyncAttempt ──▶ Thread  it is complete: the completing thread takes the strand, or the one that was about to leave
 *   Thread ──▶ Suspension    the strand is paused, a failed task waits for its next attempt or for a decision, or a place
 *                            is reserved for a task that has not come
 *   Suspension ──▶ Thread    a resume, a skip or a shutdown; or the task has come, or will not
 *   Suspension ──▶ READY     the time has come: the timer's thread finds another one, and serves nothing itself
 *   Thread ──▶ ENDED         the last link is served and the queue closed
 *   ENDED ──▶ READY          by the thread that has ended it and has no memory or stack to say so: it is ended again
 * </pre>
 *
 * <p>A thread enters by compare-and-set, so that there is one holder however often the strand is run; only the holder
 * leaves. Threads come in, and give back what they have taken, by {@link Serving}. A submitter that finds the queue
 * closed opens a new strand, which may start while the old one's holder is still on its way out: no task of the old one
 * is left.
 *
 * <p>The strand passes from holder to holder through volatile accesses of {@code holder}, from a submitter to the
 * holder through the links, and from an ended strand to the submitter that opens the next through its last link: that
 * makes the memory consistency effects that the public executors promise.
 */
public abstract class Strand extends LinkQueue implements Runnable, Keyed, HeldUp {
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(Strand.class, "holder", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
        UncaughtFailures.load();
    }

    /** Of a strand that is not handed over yet, since something is before it. */
    public static final Object WAITING = new Object();

    public static final @Nullable Object READY = null;
    static final Object ENDED = new Object();

    /** A field, for where no call may succeed. */
    final Host host;

    /** What the tasks have in common, or {@link TaskEvents#NO_KEY}. */
    public final Object key;

    /** Whether a task that fails for good may park this strand: it can be resumed by its key. */
    private final boolean mayPark;

    /** Whether something waits for the end of this strand, so that it ends at once when all its tasks are taken out. */
    private final boolean isAwaited;

    /** Entered by compare-and-set, and written by the thread that holds. */
    volatile @Nullable Object holder;

    /** What has failed here and will be tried again, or may be. Used by the holder. */
    @Nullable
    Attempts attempts;

    /**
     * What is being run, and since when, if there is a listener. Written by the holder; observers may see a former one.
     */
    public volatile @Nullable TaskRun run;

    /** Whether the holder was interrupted when it entered. Used by the holder. */
    private boolean enteredInterrupted;

    /**
     * Whether this strand may be ready without a thread that knows: memory or stack have run out when one should have
     * been told. A hint for those who come next, whatever their key, who then {@linkplain Serving#adoptIfUnattended
     * adopt} it. It is written where no call may succeed any more, before {@link Host#hasUnattended}, and in doubt: to
     * adopt a strand that is served has no effect.
     */
    public volatile boolean unattended;

    /**
     * Whether this strand is paused, whatever its host is. It then stays open without tasks. Written by those who pause
     * and resume, read by the holder before each task.
     */
    private volatile boolean paused;

    /**
     * Opens a strand with its first task; the one who opens it must hand it over.
     *
     * @param key what the tasks have in common, or {@link TaskEvents#NO_KEY}
     * @param holder {@link #READY}, or what it waits for
     * @param mayPark whether a task that fails for good may park this strand: it can be resumed by its key
     * @param isAwaited whether something waits for the end of this strand
     */
    public Strand(Host host, Object key, Link first, @Nullable Object holder, boolean mayPark, boolean isAwaited) {
        super(first);
        this.host = host;
        this.key = key;
        this.mayPark = mayPark;
        this.isAwaited = isAwaited;
        // plain is enough: the strand is published by whatever makes it findable
        HOLDER.set(this, holder);
        note(first);
    }

    /** Opens a strand that has no task, and is paused. */
    public Strand(Host host, Object key) {
        this(host, key, new Link(null), new Suspension(Suspension.Reason.PAUSED, null), true, false);
        this.paused = true;
    }

    // what kinds of strands differ in

    /** Names this strand in messages. */
    @Override
    public abstract String toString();

    /**
     * Called by the last holder, after the last task. If there is no memory or stack for it, it is called again,
     * perhaps by another thread, and goes on with what is left.
     *
     * @param mayStay whether this thread is there to run tasks
     */
    public abstract void onEnd(boolean mayStay);

    /** Whether no task may start now. Asked by the holder before each task. */
    public boolean isPaused() {
        return host.holdsBack() || isPausedItself();
    }

    /**
     * Whether this strand, which is {@link #WAITING} and whose tasks were all taken out, may end now: nothing can be
     * placed in it any more.
     */
    public boolean mayEndWaiting() {
        return true;
    }

    /** Cancels what waits behind the task that has failed for good. */
    public void cancelFollowers() {
        takeOutAll(this::cancelTaken);
    }

    /**
     * The strands whose holders have to get on with what they do before a task that waits here can start: this one, and
     * those that it waits for.
     */
    public Collection<? extends Strand> ahead() {
        return List.of(this);
    }

    // the executor that it belongs to

    public final Host host() {
        return host;
    }

    public final Workers workers() {
        return host.workers();
    }

    final FailurePolicy failurePolicy() {
        FailurePolicy policy = host.failurePolicy();
        return mayPark ? policy : policy.withoutParking();
    }

    /** Whether something waits for the end of this strand. */
    final boolean isAwaited() {
        return isAwaited;
    }

    /** Whether this strand is paused, whatever its host is; it then stays open without tasks. */
    public final boolean isPausedItself() {
        return paused && !host.isShutdown();
    }

    public final void setPausedItself(boolean paused) {
        this.paused = paused;
    }

    /** Notes what is run; most often where the task before was noted, which needs no write. For the holder. */
    final void setRun(TaskRun current) {
        if (run != current) {
            run = current;
        }
    }

    /** When the task that ran last has ended; 0 if there is no listener, or it will be run again. For the holder. */
    final long endedAt() {
        TaskRun last = run;
        return last == null ? 0 : last.endedAt();
    }

    /** Called when a task was taken from its link, by the thread that has it, which must not lose it. */
    final void onTaken() {
        QueuedCount count = host.queuedCount();
        if (count != null) {
            try {
                count.onTaken(this);
            } catch (Throwable noMemory) {
                UncaughtFailures.report(noMemory);
            }
        }
    }

    /** Called when a task that was taken waits again. */
    final void onPutBack() {
        QueuedCount count = host.queuedCount();
        if (count != null) {
            count.onPutBack();
        }
    }

    /** Cancels a task that was taken out; a reserved place has none, and is only given back. */
    final void cancelTaken(Runnable task) {
        onTaken();
        if (task instanceof ReservedPlace) {
            return;
        }
        Object work = host.reporter().cancel(task);
        if (work != null) {
            host.reporter().tellCancelled(key, work);
        }
    }

    // submitters

    /** A future has to know where it waits, so that it can be taken out when it is done before its turn. */
    final void note(Link link) {
        Runnable waiting = link.waiting();
        if (waiting instanceof WorkFuture<?> future) {
            future.waitIn(this, link);
        } else if (waiting instanceof ReservedPlace place) {
            place.waitIn(this, link);
        }
    }

    /** Places a task behind all others of this strand, if fewer than {@code capacity} wait. */
    public final Placed place(Link link, int capacity) {
        note(link);
        return enqueue(link, capacity);
    }

    /** The attempts at the task of a link; what was known of another one is forgotten. For the holder. */
    final Attempts attemptsAt(Link link) {
        Attempts known = attempts;
        if (known == null || known.link != link) {
            known = new Attempts(link);
            attempts = known;
        }
        return known;
    }

    /**
     * For the holder, when a task has ended. Most often there is nothing to forget: a write for each task would take
     * the cache line away from the submitters each time.
     */
    final void forgetAttempts() {
        if (attempts != null) {
            attempts = null;
        }
    }

    // who holds

    /** Makes this thread the holder, if {@code holderBefore} is what this strand has waited for. */
    final boolean enter(@Nullable Object holderBefore, Thread thread) {
        boolean interrupted = thread.isInterrupted();
        boolean entered = HOLDER.compareAndSet(this, holderBefore, thread);
        if (entered) {
            enteredInterrupted = interrupted;
        }
        return entered;
    }

    /**
     * Ends the wait of a strand that no other thread has seen. Plain is enough: whatever makes it findable publishes
     * it.
     */
    public final void setReady() {
        HOLDER.set(this, READY);
    }

    /** Whether this strand can be handed over now: nobody has ended it while it waited. */
    public final boolean becomeReady() {
        return becomeReady(WAITING);
    }

    /** The same, for a strand that has waited for something else. */
    final boolean becomeReady(Object holderBefore) {
        return HOLDER.compareAndSet(this, holderBefore, READY);
    }

    /** Ends this thread's time as the holder; the next one may enter at once. */
    final void leave(@Nullable Object holderAfter) {
        holder = holderAfter;
        // read after the write above: a shutdown that has not seen it has set this flag before
        if (host.isStopping()) {
            letInterrupterFinish();
        }
    }

    /**
     * As {@link #leave}, for a thread that had come to end a task, and keeps the interrupt that it has brought along.
     */
    final void leaveAgain(Object holderAfter) {
        boolean broughtAlong = takeInterrupt();
        leave(holderAfter);
        if (broughtAlong) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * For the holder, between tasks: clears an interrupt, which is meant for no task.
     *
     * @return whether this thread has brought it along, and gets it back when it leaves; a shutdown that interrupts the
     *     holder does not mean a thread that only passes on
     */
    final boolean takeInterrupt() {
        return Thread.interrupted() && (enteredInterrupted || !host.isStopping());
    }

    /** Guards the holder against an interrupt that comes when its time is over. */
    final synchronized void interruptHolder() {
        if (holder instanceof Thread thread) {
            thread.interrupt();
        }
    }

    private void letInterrupterFinish() {
        synchronized (this) {
            // one that saw this thread as the holder is inside, or will find that it no longer is
        }
        Thread.interrupted();
    }

    public final boolean isHeldBy(Object candidate) {
        return holder == candidate;
    }

    public final @Nullable Thread holdingThread() {
        return holder instanceof Thread thread ? thread : null;
    }

    public final @Nullable AsyncAttempt hold() {
        return holder instanceof AsyncAttempt hold ? hold : null;
    }

    final @Nullable Suspension suspension() {
        return holder instanceof Suspension suspension ? suspension : null;
    }

    public final boolean isActive() {
        return holdingThread() != null || hold() != null;
    }

    @Override
    public final Object key() {
        return key;
    }

    @Override
    public final Place where() {
        return StrandReasons.placeOf(this);
    }

    @Override
    public final Reason heldUpBy() {
        return StrandReasons.of(this);
    }
}
