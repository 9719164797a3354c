package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that run one after another: from the one that found nothing to wait for, to the one behind which there is nothing
 * more. It is handed to the workers by the submitter that opened it, and is never used again once it has ended.
 *
 * <p>Whoever holds the chain serves its queue. The {@code holder} says who that is:
 *
 * <pre>
 *   READY ──▶ Thread       a thread that was handed the chain, or that must go on because a hand-over was refused
 *   Thread ──▶ READY       that thread's turn is over, and it passes the chain on
 *   Thread ──▶ TaskFuture  the task is asynchronous, and its stage is not complete
 *   TaskFuture ──▶ Thread  it is complete: the completing thread takes the chain, or the one that was about to leave
 *   Thread ──▶ ENDED       the last link is served and the queue closed
 * </pre>
 *
 * <p>A thread enters by compare-and-set, so that a chain has one holder however often it is run; only the holder leaves.
 * A submitter that finds the queue closed opens a new chain, which may start while the old one's holder is still on its way
 * out: no task of the old one is left.
 *
 * <p>A chain passes from holder to holder through volatile accesses of {@code holder}, from a submitter to the holder
 * through the links, and from an ended chain to the submitter of the next through its last link: that makes the memory
 * consistency effects that the public executors promise.
 *
 * <p>Linking a task behind the one before it, so that the finished one starts the next, is Jeff Hain's answer to the author
 * of http-kit on the concurrency-interest list.
 */
abstract class Chain extends LinkQueue implements Runnable {
    private static final VarHandle HOLDER;

    static {
        try {
            HOLDER = MethodHandles.lookup().findVarHandle(Chain.class, "holder", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final @Nullable Object READY = null;
    private static final Object ENDED = new Object();

    private volatile @Nullable Object holder;

    /** Opens a chain with its first task; the one who opens it must hand it over. */
    Chain(Runnable first) {
        super(first);
        note(first, this);
    }

    /** A future has to know where it waits, so that it can be taken out when it is cancelled. */
    private void note(@Nullable Runnable task, Link link) {
        if (task instanceof TaskFuture<?> future) {
            future.waitIn(this, link);
        }
    }

    /** Where this chain finds a thread. */
    abstract Workers workers();

    /** Called by whoever has claimed a task and ended it. */
    abstract void onTaskEnd(TaskEnd end);

    /** Called by a submitter that takes its task back, since no thread was found for it. */
    abstract void onRejected();

    /** Whether a shutdown is interrupting the running tasks. */
    abstract boolean isStopping();

    /** Names this chain, for people. */
    abstract String describe();

    /** Called once, by the last holder, after the last task. */
    abstract void onEnd();

    // What submitters do

    /**
     * Places a task behind all others of this chain.
     *
     * @return false if this chain has ended
     */
    final boolean place(Link link) {
        note(link.waiting(), link);
        return enqueue(link);
    }

    /**
     * Hands this chain to the workers, for the submitter that opened it. If they refuse, that submitter takes its task
     * back and gets the refusal. Tasks of others may have been accepted behind it: they are offered to the workers once
     * more, and if need be served by this thread, since nobody else is left to do it.
     */
    final void handOver() {
        try {
            workers().handOver(this);
        } catch (RuntimeException | Error refusal) {
            Runnable task = waiting();
            if (task == null || !takeOut(this, task)) {
                // the task has been run or taken back all the same, so its submitter must not be told otherwise
                UncaughtFailures.report(refusal);
                return;
            }
            onRejected();
            passOn();
            throw refusal;
        }
    }

    // What the holder does

    /** Serves this chain, if it waits for a thread: a second run of one hand-over, or one after the end, does nothing. */
    @Override
    public final void run() {
        Thread thread = Thread.currentThread();
        if (enter(READY, thread)) {
            serve(thread, false);
        }
    }

    /** For a thread that should not stay: serves this chain only as far as no other thread will. */
    private void passOn() {
        Thread thread = Thread.currentThread();
        if (enter(READY, thread)) {
            serve(thread, true);
        }
    }

    /**
     * For one who is about to complete {@code held}: makes this thread the holder, as it would be if it had run the task.
     *
     * @return false if that future does not hold this chain; the one who runs it will find it done
     */
    final boolean enterFrom(TaskFuture<?> held) {
        return holder == held && enter(held, Thread.currentThread());
    }

    /** Goes on after an asynchronous task that is done; this thread has entered for it. */
    final void passOnAfter(TaskFuture<?> done) {
        onTaskEnd(done.end());
        serve(Thread.currentThread(), true);
    }

    private boolean enter(@Nullable Object holderBefore, Thread thread) {
        return HOLDER.compareAndSet(this, holderBefore, thread);
    }

    /** Ends this thread's time as the holder; the next one may enter at once. */
    private void leave(@Nullable Object holderAfter) {
        holder = holderAfter;
        // read after the write above: a shutdown that has not seen it has set this flag before
        if (isStopping()) {
            letInterrupterFinish();
        }
    }

    /**
     * Takes turns until the chain is somebody else's or has ended. An interrupt that is meant for a task stays with that
     * task; one that the thread brought along is meant for none, and given back to the thread.
     */
    private void serve(Thread thread, boolean onlyPassOn) {
        boolean interrupted = Thread.interrupted();
        boolean more = takeTurn(thread, onlyPassOn);
        while (more) {
            leave(READY);
            more = !workers().passOn(this) && enter(READY, thread) && takeTurn(thread, false);
        }
        if (interrupted) {
            thread.interrupt();
        }
    }

    /**
     * Serves links until the turn is over.
     *
     * @param onlyPassOn whether the turn is over as soon as a task is found
     * @return true if this thread still holds the chain and there is more to do
     */
    private boolean takeTurn(Thread thread, boolean onlyPassOn) {
        Workers workers = workers();
        int served = 0;
        long wantedSince = 0;
        for (Link link = head(); ; ) {
            if (onlyPassOn && link.waiting() != null) {
                return true;
            }
            Runnable task = claimFrom(link);
            if (task != null) {
                if (!perform(task, thread)) {
                    return false;
                }
                served++;
            }
            if (link.next() == null && link.close()) {
                leave(ENDED);
                onEnd();
                return false;
            }
            Link next = Objects.requireNonNull(link.next());
            advance(link, next);
            link = next;
            // a thread that nobody waits for reads no clock
            if (served > 0 && workers.isWantedElsewhere()) {
                long now = System.nanoTime();
                if (wantedSince == 0) {
                    wantedSince = now;
                }
                if (workers.turn().isOver(served, now - wantedSince)) {
                    return true;
                }
            }
        }
    }

    /**
     * Runs a task and contains what it throws.
     *
     * @return false if the task is asynchronous and holds the chain now
     */
    private boolean perform(Runnable task, Thread thread) {
        if (task instanceof TaskFuture<?> future) {
            future.run();
            if (!future.isDone() && holdFor(future, thread)) {
                return false;
            }
            onTaskEnd(future.end());
        } else {
            try {
                task.run();
                onTaskEnd(TaskEnd.COMPLETED);
            } catch (Throwable failure) {
                onTaskEnd(TaskEnd.FAILED);
                UncaughtFailures.report(failure);
            }
        }
        Thread.interrupted();
        return true;
    }

    /**
     * Leaves this chain to an asynchronous task.
     *
     * @return false if the task has ended before this thread had left
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the callback cannot fail; the chain needs no other sign
    private boolean holdFor(TaskFuture<?> future, Thread thread) {
        // for the ways to complete a future that cannot be overridden; does nothing before the future is the holder
        future.whenComplete((result, failure) -> {
            if (enterFrom(future)) {
                passOnAfter(future);
            }
        });
        leave(future);
        Thread.interrupted();
        if (isStopping()) {
            // the shutdown may have looked before this future became the holder, and has then not cancelled it
            future.cancel(true);
        }
        return !future.isDone() || !enter(future, thread);
    }

    // What others do

    /** Takes out a task that is done before its turn, so that nothing of it is left. */
    final void takeOutDone(Link link, TaskFuture<?> done) {
        if (takeOut(link, done)) {
            onTaskEnd(done.end());
        }
    }

    /**
     * Takes back all tasks that have not started, and interrupts or cancels the one that has.
     *
     * @param unstarted receives what was taken back, as it was submitted
     */
    final void stop(List<Runnable> unstarted) {
        takeOutAll(task -> {
            if (task instanceof TaskFuture<?> future) {
                if (!future.isDone()) {
                    unstarted.add(future.asSubmitted());
                    future.cancel(false);
                }
                onTaskEnd(future.end());
            } else {
                unstarted.add(task);
                onTaskEnd(TaskEnd.CANCELLED);
            }
        });
        if (holder instanceof TaskFuture<?> future) {
            future.cancel(true);
        }
        interruptHolder();
        // a pool that was stopped too may never run a chain that waits for a thread
        passOn();
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

    /** The application's own objects in a message: what they throw must not hide it. */
    static String toString(Object object) {
        try {
            return String.valueOf(object);
        } catch (RuntimeException unprintable) {
            return object.getClass().getName();
        }
    }

    final boolean isActive() {
        return holder instanceof Thread || holder instanceof TaskFuture<?>;
    }

    final @Nullable Thread holdingThread() {
        return holder instanceof Thread thread ? thread : null;
    }

    final boolean isHeldBy(Thread thread) {
        return holder == thread;
    }
}
