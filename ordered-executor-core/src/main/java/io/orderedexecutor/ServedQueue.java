package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A queue that threads serve in turns, one at a time: from the task that found nothing to wait for, to the one behind
 * which there is nothing more. It is handed to the workers by the submitter that opened it, and is never used again
 * once it has ended.
 *
 * <p>The {@code holder} says who has the right to serve it, or what it waits for:
 *
 * <pre>
 *   WAITING ──▶ READY      nothing is before it any more; only a {@link WaitingChain} begins so, and says who may do this
 *   READY ──▶ Thread       a thread that was handed the queue, or that must go on because a hand-over was refused
 *   Thread ──▶ READY       that thread's turn is over, and it passes the queue on
 *   Thread ──▶ Hold        the task is asynchronous, and its stage is not complete
 *   Hold ──▶ Thread        it is complete: the completing thread takes the queue, or the one that was about to leave
 *   Thread ──▶ Suspension  the queue is paused, or a failed task waits for its next attempt or for somebody's decision
 *   Suspension ──▶ Thread  somebody resumes, skips or shuts down
 *   Suspension ──▶ READY   the time has come: the timer's thread finds another one, and serves nothing itself
 *   Thread ──▶ ENDED       the last link is served and the queue closed
 * </pre>
 *
 * <p>A thread enters by compare-and-set, so that there is one holder however often the queue is run; only the holder
 * leaves. A submitter that finds the queue closed opens a new one, which may start while the old one's holder is still
 * on its way out: no task of the old one is left.
 *
 * <p>The queue passes from holder to holder through volatile accesses of {@code holder}, from a submitter to the holder
 * through the links, and from an ended queue to the submitter that opens the next through its last link: that makes the
 * memory consistency effects that the public executors promise.
 */
abstract class ServedQueue extends LinkQueue implements Runnable {
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(ServedQueue.class, "holder", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Of a queue that is not handed over yet, since something is before it. */
    static final Object WAITING = new Object();

    private static final @Nullable Object READY = null;
    private static final Object ENDED = new Object();

    private volatile @Nullable Object holder;

    /** Whether the holder was interrupted when it entered. Used by the holder. */
    private boolean enteredInterrupted;

    ServedQueue(@Nullable Runnable first) {
        super(first);
    }

    /** Where this queue finds a thread. */
    abstract Workers workers();

    /** Whether no task may start now. */
    abstract boolean isPaused();

    /** Whether this queue stays open without tasks; it is paused then. */
    abstract boolean isKeptOpen();

    /** Whether a shutdown is interrupting the running tasks. */
    abstract boolean isStopping();

    /**
     * Runs the task of a link, or puts it back, and contains what it throws.
     *
     * @return whether this thread still holds the queue
     */
    abstract boolean perform(Link link, Runnable task, Thread thread);

    /** Called by a submitter that takes its task back, and its permit, since no thread was found for it. */
    abstract void onRejected();

    /**
     * Called once, by the last holder, after the last task.
     *
     * @param mayStay whether this thread is there to run tasks
     */
    abstract void onEnd(boolean mayStay);

    // finding a thread

    /**
     * Hands this queue to the workers, for the submitter that opened it. If they refuse, that submitter takes its task
     * back and gets the refusal. Tasks of others may have been accepted behind it: they are offered to the workers once
     * more, and if need be served by this thread, since nobody else is left to do it.
     */
    final void handOver() {
        try {
            workers().handOver(this);
        } catch (Throwable refusal) {
            Runnable task = waiting();
            if (task == null || !takeOut(this, task)) {
                // the task has been run or taken by somebody all the same, so its submitter must not be told otherwise
                UncaughtFailures.report(refusal);
                passOn();
                return;
            }
            onRejected();
            passOn();
            throw refusal;
        }
    }

    /**
     * Serves this queue, if it waits for a thread: a second run of one hand-over, or one after the end, does nothing.
     */
    @Override
    public final void run() {
        Thread thread = Thread.currentThread();
        if (enterReady(thread)) {
            serve(thread, false);
        }
    }

    /** For a thread that should not stay: serves this queue only as far as no other thread will. */
    final void passOn() {
        passOnFrom(READY);
    }

    /** As {@link #passOn}, if {@code holderBefore} is what this queue has waited for. */
    final void passOnFrom(@Nullable Object holderBefore) {
        Thread thread = Thread.currentThread();
        if (enter(holderBefore, thread)) {
            servePassingOn(thread);
        }
    }

    /** As {@link #passOnFrom}, for a thread that must not serve a queue, whatever happens. */
    final void goOnElsewhere(Object holderBefore) {
        if (HOLDER.compareAndSet(this, holderBefore, READY)) {
            workers().runElsewhere(this);
        }
    }

    /** As {@link #passOn}, for a thread that has entered already. */
    final void servePassingOn(Thread thread) {
        serve(thread, true);
    }

    // who holds

    final boolean enter(@Nullable Object holderBefore, Thread thread) {
        boolean interrupted = thread.isInterrupted();
        boolean entered = HOLDER.compareAndSet(this, holderBefore, thread);
        if (entered) {
            enteredInterrupted = interrupted;
        }
        return entered;
    }

    final boolean enterReady(Thread thread) {
        return enter(READY, thread);
    }

    /** Lets this queue wait before it is handed over; before it can be found. */
    final void openWaiting() {
        // plain is enough: the queue is published by whatever makes it findable
        HOLDER.set(this, WAITING);
    }

    /** Whether this queue can be handed over now: nobody has ended it while it waited. */
    final boolean becomeReady() {
        return HOLDER.compareAndSet(this, WAITING, READY);
    }

    /** Ends this thread's time as the holder; the next one may enter at once. */
    final void leave(@Nullable Object holderAfter) {
        holder = holderAfter;
        // read after the write above: a shutdown that has not seen it has set this flag before
        if (isStopping()) {
            letInterrupterFinish();
        }
    }

    /**
     * As {@link #leave}, for a thread that had come to end a task, and keeps the interrupt that it has brought along.
     */
    final void leaveAgain(Object holderAfter) {
        boolean broughtAlong = Thread.interrupted() && (enteredInterrupted || !isStopping());
        leave(holderAfter);
        if (broughtAlong) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets this queue be paused from the start; before it can be found. */
    final void openPaused() {
        holder = new Suspension(Suspension.Reason.PAUSED, null);
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

    final boolean isHeldBy(Object candidate) {
        return holder == candidate;
    }

    final @Nullable Thread holdingThread() {
        return holder instanceof Thread thread ? thread : null;
    }

    final @Nullable Hold hold() {
        return holder instanceof Hold hold ? hold : null;
    }

    final @Nullable Suspension suspension() {
        return holder instanceof Suspension suspension ? suspension : null;
    }

    // serving

    /**
     * Takes turns until the queue is somebody else's or has ended. An interrupt that is meant for a task stays with
     * that task; one that the thread brought along is meant for none, and given back to the thread.
     */
    final void serve(Thread thread, boolean onlyPassOn) {
        // a shutdown that interrupts the holder does not mean a thread that only passes on
        boolean interrupted = Thread.interrupted() && (enteredInterrupted || !isStopping());
        Served served = takeTurn(thread, onlyPassOn);
        while (served == Served.IN_PART) {
            leave(READY);
            boolean mine = !workers().passOn(this) && enterReady(thread);
            served = mine ? takeTurn(thread, false) : Served.LEFT;
        }
        if (served == Served.TO_THE_END) {
            onEnd(!onlyPassOn);
        }
        if (interrupted) {
            thread.interrupt();
        }
    }

    /** How far a thread has come. */
    private enum Served {
        /** It still holds the queue, and there is more to do. */
        IN_PART,
        /** The queue is somebody else's, or waits for something. */
        LEFT,
        /** The queue has ended. */
        TO_THE_END
    }

    /**
     * Serves links until the turn is over.
     *
     * @param onlyPassOn whether the turn is over as soon as a task is found
     */
    private Served takeTurn(Thread thread, boolean onlyPassOn) {
        Workers workers = workers();
        int served = 0;
        long wantedSince = 0;
        for (Link link = head(); ; ) {
            if (isPaused() && suspendAt(link, thread)) {
                return Served.LEFT;
            }
            if (onlyPassOn && link.waiting() != null) {
                settleAt(link);
                return Served.IN_PART;
            }
            Runnable task = claimFrom(link);
            if (task != null) {
                if (!perform(link, task, thread)) {
                    return Served.LEFT;
                }
                // whatever an interrupt was meant for, it was not the next task
                Thread.interrupted();
                served++;
            }
            if (link.isServed()) {
                if (link.next() != null) {
                    link = advance(link);
                } else if (!isKeptOpen() && link.close()) {
                    leave(ENDED);
                    return Served.TO_THE_END;
                }
            }
            // a thread that nobody waits for reads no clock
            if (served > 0 && workers.isWantedElsewhere()) {
                long now = System.nanoTime();
                if (wantedSince == 0) {
                    wantedSince = now;
                }
                if (workers.turn().isOver(served, now - wantedSince)) {
                    settleAt(link);
                    return Served.IN_PART;
                }
            }
        }
    }

    /**
     * Stops before the next task.
     *
     * @return false if there is nothing to stop before, or this thread has the queue again
     */
    private boolean suspendAt(Link link, Thread thread) {
        if (link.waiting() == null && (link.next() != null || !isKeptOpen())) {
            return false;
        }
        Suspension paused = new Suspension(Suspension.Reason.PAUSED, null);
        settleAt(link);
        leave(paused);
        // read after the write in leave: one who resumes has either seen this suspension, or is seen here
        return isPaused() || !enter(paused, thread);
    }
}
