package io.orderedexecutor;

import io.orderedexecutor.stats.RunningTask;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
 *   WAITING ──▶ READY      nothing is before it any more; only a strand that is opened so, and its kind says who may
 *                          do this
 *   WAITING ──▶ Thread     all of it was taken out: by a cancellation, a shutdown, or to make room; that thread lets go
 *                          at once what waits for it
 *   READY ──▶ Thread       a thread that was handed the strand, or that must go on because a hand-over was refused
 *   Thread ──▶ READY       that thread's turn is over, and it passes the strand on; or its memory or stack have run out
 *   Thread ──▶ Hold        the task is asynchronous, and its stage is not complete
 *   Hold ──▶ Thread        it is complete: the completing thread takes the strand, or the one that was about to leave
 *   Thread ──▶ Suspension  the strand is paused, or a failed task waits for its next attempt or for somebody's decision
 *   Suspension ──▶ Thread  somebody resumes, skips or shuts down
 *   Suspension ──▶ READY   the time has come: the timer's thread finds another one, and serves nothing itself
 *   Thread ──▶ ENDED       the last link is served and the queue closed
 * </pre>
 *
 * <p>A thread enters by compare-and-set, so that there is one holder however often the strand is run; only the holder
 * leaves. There is one place where a thread enters and gives back what it has entered, {@link #enterAndServe}; so it is
 * given back whatever throws, be it memory or stack that run out in our own code. A submitter that finds the queue
 * closed opens a new strand, which may start while the old one's holder is still on its way out: no task of the old one
 * is left.
 *
 * <p>The strand passes from holder to holder through volatile accesses of {@code holder}, from a submitter to the
 * holder through the links, and from an ended strand to the submitter that opens the next through its last link: that
 * makes the memory consistency effects that the public executors promise.
 */
abstract class Strand extends LinkQueue implements Runnable, ServesTasks {
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(Strand.class, "holder", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Stands for the key of a task that has none: equal to no other, and never looked up. */
    static final Object NO_KEY = new Object() {
        @Override
        public String toString() {
            return "no key";
        }
    };

    /** Of a strand that is not handed over yet, since something is before it. */
    static final Object WAITING = new Object();

    static final @Nullable Object READY = null;
    private static final Object ENDED = new Object();

    /** How often a thread goes on although memory or stack run out in our own code. */
    private static final int MOST_TRIES = 8;

    private final Host host;

    private volatile @Nullable Object holder;

    /** What has failed here and will be tried again, or may be. Used by the holder. */
    @Nullable
    Attempts attempts;

    /**
     * What is being run, and since when, if there is a listener. Written by the holder; observers may see a former one.
     */
    volatile @Nullable Run run;

    /** A task that is being run. */
    record Run(Object task, long startedAt) {}

    /** Whether the holder was interrupted when it entered. Used by the holder. */
    private boolean enteredInterrupted;

    /**
     * Whether this strand may be ready without a thread that knows: memory or stack have run out when one should have
     * been told. A hint for those who come next, who then {@link #adopt} it. It is written where no call may succeed
     * any more, and in doubt: to adopt a strand that is served has no effect.
     */
    volatile boolean unattended;

    /**
     * Opens a strand with its first task; the one who opens it must hand it over.
     *
     * @param holder {@link #READY}, or what it waits for
     */
    Strand(Host host, Link first, @Nullable Object holder) {
        super(first);
        this.host = host;
        // plain is enough: the strand is published by whatever makes it findable
        HOLDER.set(this, holder);
        note(first);
    }

    // what kinds of strands differ in

    /** What the tasks have in common. */
    abstract Object key();

    /** Names this strand, for people. */
    public abstract String describe();

    /** Whether no task may start now. */
    abstract boolean isPaused();

    /** Whether this strand stays open without tasks; it is paused then. */
    boolean isKeptOpen() {
        return false;
    }

    /** What to do when a task fails. */
    FailurePolicy failurePolicy() {
        return host.failurePolicy();
    }

    /**
     * Called once, by the last holder, after the last task.
     *
     * @param mayStay whether this thread is there to run tasks
     */
    abstract void onEnd(boolean mayStay);

    /** Called by whoever has taken a task out since its future is done, and by a shutdown that has taken out all. */
    void onTakenOut() {}

    /** Makes sure that nothing will come behind what was taken out while this strand waits; false if something has. */
    boolean closeWhileWaiting() {
        return true;
    }

    /** Cancels what waits behind the task that has failed. */
    void cancelFollowers() {
        takeOutAll(task -> TaskReporter.cancel(this, task));
    }

    /** Whether this strand cannot end before the calling thread has done what it does. */
    boolean isHeldUpHere() {
        return isHeldBy(Thread.currentThread());
    }

    /** The threads that have to get on with what they do before a task that waits here can start. */
    List<Thread> threadsAhead() {
        Thread thread = holdingThread();
        return thread == null ? List.of() : List.of(thread);
    }

    /**
     * Whether what waits here has to wait until what holds another strand has ended. That one is held, and by the
     * caller.
     */
    boolean isBehind(Strand held) {
        return this == held;
    }

    // the executor that it belongs to

    final Host host() {
        return host;
    }

    final Workers workers() {
        return host.workers();
    }

    @Override
    final void onTaken() {
        host.onTaken(this);
    }

    // submitters

    /** A future has to know where it waits, so that it can be taken out when it is done before its turn. */
    private void note(Link link) {
        if (link.waiting() instanceof TaskFuture<?> future) {
            future.waitIn(this, link);
        }
    }

    /** Places a task behind all others of this strand, if fewer than {@code capacity} wait. */
    final Placed place(Link link, int capacity) {
        note(link);
        Placed placed = enqueue(link, capacity);
        if (placed == Placed.LINKED && unattended) {
            adopt();
        }
        return placed;
    }

    /**
     * Hands this strand to the workers, for the submitter that opened it. If they refuse, that submitter takes its task
     * back and gets the refusal. Tasks of others may have been accepted behind it: they are offered to the workers once
     * more, and if need be served by this thread, since nobody else is left to do it.
     *
     * @param first the link that this strand was opened with
     */
    final void handOver(Link first) {
        try {
            workers().handOver(this);
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            Runnable task = first.waiting();
            if (task == null || !takeOut(first, task)) {
                // the task has been run or taken by somebody all the same, so its submitter must not be told otherwise
                UncaughtFailures.report(refusal);
                passOn();
                return;
            }
            // the submitter gives its permit back, as it does whatever the reason
            host.onPutBack();
            host.onRejected();
            passOn();
            throw refusal;
        }
    }

    // finding a thread

    /**
     * Serves this strand, if it waits for a thread: a second run of one hand-over, or one after the end, does nothing.
     */
    @Override
    public final void run() {
        enterAndServe(READY, null, false);
    }

    /** For a thread that should not stay: serves this strand only as far as no other thread will. */
    final void passOn() {
        passOnFrom(READY);
    }

    /** As {@link #passOn}, if {@code holderBefore} is what this strand has waited for. */
    final void passOnFrom(@Nullable Object holderBefore) {
        enterAndServe(holderBefore, null, true);
    }

    /** As {@link #passOnFrom}, for a thread that must not serve a strand, whatever happens. */
    final void goOnElsewhere(Object holderBefore) {
        if (HOLDER.compareAndSet(this, holderBefore, READY)) {
            try {
                workers().runElsewhere(this);
            } catch (Throwable noMemory) {
                unattended = true;
                UncaughtFailures.report(noMemory);
            }
        }
    }

    /** For one who finds that nobody may know of this strand although it is ready. */
    private void adopt() {
        unattended = false;
        Hold hold = hold();
        if (hold != null && hold.isOver()) {
            TaskLife.goOnAfter(this, hold);
        } else {
            passOn();
        }
    }

    /** For the holder, in the midst of a task: ends the strand, as {@link #passOn} does. */
    final void servePassingOn(Thread holder) {
        serve(holder, true);
    }

    // who holds

    /** What a thread that has entered does before it serves the strand. */
    interface FirstStep {

        /** Returns whether that thread still holds the strand. */
        boolean take(Thread holder);
    }

    /**
     * Makes this thread the holder, if {@code holderBefore} is what this strand has waited for, and serves the strand.
     * This is the only way in, and the one place that gives back what was entered, whatever is thrown on the way.
     *
     * @param first done before anything else, and not again; null for nothing. If it throws, this strand waits for what
     *     it has waited for before
     * @param onlyPassOn whether this thread should not stay
     * @return false if this strand waits for something else
     */
    final boolean enterAndServe(@Nullable Object holderBefore, @Nullable FirstStep first, boolean onlyPassOn) {
        Thread thread = Thread.currentThread();
        boolean interrupted = thread.isInterrupted();
        if (!HOLDER.compareAndSet(this, holderBefore, thread)) {
            return false;
        }
        Object holderAfter = holderBefore;
        FirstStep toTake = first;
        for (int tries = 0; ; tries++) {
            Throwable thrown;
            try {
                enteredInterrupted = interrupted;
                if (toTake == null || toTake.take(thread)) {
                    toTake = null;
                    holderAfter = READY;
                    serve(thread, onlyPassOn);
                }
                return true;
            } catch (Throwable failure) {
                thrown = failure;
            }
            // writes and no calls, as there may be no stack for any; what this thread does not hold was given back
            // before, or has ended
            if (holder == thread) {
                holder = holderAfter;
            }
            unattended = true;
            UncaughtFailures.report(thrown);
            if (toTake != null) {
                return true;
            }
            if (workers().passOn(this)) {
                unattended = false;
                return true;
            }
            // no other thread will: this one tries again, unless it is in vain
            if (tries == MOST_TRIES || !HOLDER.compareAndSet(this, READY, thread)) {
                return true;
            }
        }
    }

    /** For a thread that has left, and is to go on all the same: what it has left for is over. */
    final boolean enter(@Nullable Object holderBefore, Thread thread) {
        boolean interrupted = thread.isInterrupted();
        boolean entered = HOLDER.compareAndSet(this, holderBefore, thread);
        if (entered) {
            enteredInterrupted = interrupted;
        }
        return entered;
    }

    /** Whether this strand can be handed over now: nobody has ended it while it waited. */
    final boolean becomeReady() {
        return HOLDER.compareAndSet(this, WAITING, READY);
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
        boolean broughtAlong = Thread.interrupted() && (enteredInterrupted || !host.isStopping());
        leave(holderAfter);
        if (broughtAlong) {
            Thread.currentThread().interrupt();
        }
    }

    /** Guards the holder against an interrupt that comes when its time is over. */
    private synchronized void interruptHolder() {
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

    final boolean isActive() {
        return holdingThread() != null || hold() != null;
    }

    // serving

    /**
     * Takes turns until the strand is somebody else's or has ended. An interrupt that is meant for a task stays with
     * that task; one that the thread brought along is meant for none, and given back to the thread.
     */
    private void serve(Thread thread, boolean onlyPassOn) {
        // a shutdown that interrupts the holder does not mean a thread that only passes on
        boolean interrupted = Thread.interrupted() && (enteredInterrupted || !host.isStopping());
        Served served = takeTurn(thread, onlyPassOn);
        while (served == Served.IN_PART) {
            leave(READY);
            boolean mine = !workers().passOn(this) && enter(READY, thread);
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
        /** It still holds the strand, and there is more to do. */
        IN_PART,
        /** The strand is somebody else's, or waits for something. */
        LEFT,
        /** The strand has ended. */
        TO_THE_END
    }

    /**
     * Serves links until the turn is over.
     *
     * @param onlyPassOn whether the turn is over as soon as a task is found
     */
    private Served takeTurn(Thread thread, boolean onlyPassOn) {
        Workers workers = workers();
        TurnClock turn = new TurnClock();
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
                if (!TaskLife.perform(this, link, task, thread)) {
                    return Served.LEFT;
                }
                // whatever an interrupt was meant for, it was not the next task
                Thread.interrupted();
                turn.served(1);
            }
            if (link.isServed()) {
                if (link.next() != null) {
                    link = advance(link);
                } else if (!isKeptOpen() && link.close()) {
                    leave(ENDED);
                    return Served.TO_THE_END;
                }
            }
            if (turn.isOver(workers)) {
                settleAt(link);
                return Served.IN_PART;
            }
        }
    }

    /**
     * Stops before the next task.
     *
     * @return false if there is nothing to stop before, or this thread has the strand again
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

    // live control, and the end

    /** Lets a paused strand go on. */
    final void unpause() {
        Suspension paused = suspension();
        if (paused != null && paused.reason == Suspension.Reason.PAUSED) {
            passOnFrom(paused);
        }
    }

    /** What the task has failed with that waits for somebody's decision; null if none does. */
    final @Nullable Throwable parkedWith() {
        Suspension parked = suspension();
        return parked == null || parked.reason != Suspension.Reason.PARKED ? null : parked.failure;
    }

    /**
     * Lets a parked strand go on.
     *
     * @param again whether the failed task is run again; else it has failed for good
     * @return false if this strand is not parked
     */
    final boolean unpark(boolean again) {
        Suspension parked = suspension();
        return parked != null && parked.reason == Suspension.Reason.PARKED && TaskLife.unpark(this, parked, again);
    }

    /**
     * Called when no more tasks are accepted. A parked strand ends the failed task, and cancels what waits behind it.
     */
    final void onShutdown() {
        if (unattended) {
            adopt();
        }
        unpause();
        Suspension parked = suspension();
        if (parked != null && parked.reason == Suspension.Reason.PARKED) {
            TaskLife.giveUp(this, parked);
        }
    }

    /**
     * Takes back all tasks that wait.
     *
     * @param unstarted receives what was taken back, as it was submitted
     */
    final void takeBack(List<Runnable> unstarted) {
        takeOutAll(task -> {
            if (!(task instanceof TaskFuture<?> future)) {
                unstarted.add(task);
            } else if (!future.isDone()) {
                unstarted.add(future.asSubmitted());
            }
            TaskReporter.cancel(this, task);
        });
    }

    /**
     * For a shutdown that has taken back all tasks: interrupts or cancels the task that runs, and ends this strand if
     * it waits for something: nothing is left to wait for.
     */
    final void stop() {
        Hold running = hold();
        if (running != null) {
            running.future.cancel(true);
        }
        Suspension suspension = suspension();
        if (suspension != null) {
            passOnFrom(suspension);
        }
        interruptHolder();
        // a pool that was stopped too may never run a strand that waits for a thread
        passOn();
        onTakenOut();
    }

    /** Takes out a task that is done before its turn, so that nothing of it is left. */
    final void takeOutDone(Link link, TaskFuture<?> done, Object work) {
        TaskReporter.tellCancelled(this, work);
        if (takeOut(link, done)) {
            host.onTaskEnd(done.end());
            afterTakingOut(link);
        }
    }

    /** Takes out the task that has waited longest, to make room; false if none waits. */
    final boolean dropOldestTask() {
        Runnable oldest = takeOutOldest();
        if (oldest == null) {
            return false;
        }
        TaskReporter.drop(this, oldest);
        Link head = head();
        if (head.isVacated()) {
            // if it was the one that had failed, nobody has to decide on it any more
            afterTakingOut(head);
        }
        return true;
    }

    /** What has waited for a task that was taken out need not wait any longer. */
    private void afterTakingOut(Link link) {
        Suspension suspension = suspension();
        if (suspension != null && suspension.reason != Suspension.Reason.PAUSED && head() == link) {
            passOnFrom(suspension);
        }
        onTakenOut();
    }

    /** Lets go at once what waits for this strand, if all of it was taken out. */
    final void endIfTakenOut() {
        if (isTakenOut()) {
            Suspension suspension = suspension();
            if (suspension != null) {
                passOnFrom(suspension);
            }
            if (isHeldBy(WAITING) && closeWhileWaiting()) {
                passOnFrom(WAITING);
            }
            passOn();
        }
    }

    /** Whether nothing waits here. */
    final boolean isTakenOut() {
        // the count may seem to be less than it is for a moment, and never more
        if (queued() > 0) {
            return false;
        }
        // a link that is passed has a server, who will see what is behind it
        for (Link link = head(); link != null && !link.isPassed(); link = link.next()) {
            if (link.waiting() != null) {
                return false;
            }
        }
        return true;
    }

    // observation

    /** What runs here at this moment; null if nothing does. */
    final @Nullable RunningTask runningTask() {
        return isActive() ? TaskReporter.describeRunning(this) : null;
    }
}
