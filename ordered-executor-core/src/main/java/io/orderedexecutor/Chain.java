package io.orderedexecutor;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RunnableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that run one after another: what becomes of each, from its start to its end.
 *
 * <p>A task is run and ends; or it is asynchronous and its future holds the chain until it is done; or it fails, and is
 * put back into its link to be run again, by and by or when somebody says so, as the {@link FailurePolicy} wants it.
 *
 * <p>Linking a task behind the one before it, so that the finished one starts the next, is Jeff Hain's answer to the
 * author of http-kit on the concurrency-interest list.
 */
abstract class Chain extends TaskQueue {

    /** The link whose task has failed last, and how often in a row. Used by the holder. */
    private @Nullable Link failing;

    private int failures;

    /**
     * What the asynchronous task that holds this chain is made of, if it may have to be run again. Used by the holder.
     */
    private @Nullable Object heldWork;

    /** Opens a chain with its first task; the one who opens it must hand it over. */
    Chain(Host host, @Nullable Runnable first) {
        super(host, first);
    }

    /** To be called before this chain can be found; its first task may have been on the way to another one. */
    final void noteFirst() {
        note(waiting(), this);
    }

    /** A future has to know where it waits, so that it can be taken out when it is done before its turn. */
    private void note(@Nullable Runnable task, Link link) {
        if (task instanceof TaskFuture<?> future) {
            future.waitIn(this, link);
        }
    }

    /** Places a task behind all others of this chain, if fewer than {@code capacity} wait. */
    final Placed place(Link link, int capacity) {
        note(link.waiting(), link);
        return enqueue(link, capacity);
    }

    /** What the task has failed with that waits for somebody's decision; null if none does. */
    final @Nullable Throwable parkedWith() {
        Suspension parked = suspension();
        return parked == null || parked.reason != Suspension.Reason.PARKED ? null : parked.failure;
    }

    // running

    @Override
    final boolean perform(Link link, Runnable task, Thread thread) {
        Throwable failure;
        Hold hold = null;
        Object work = task;
        if (task instanceof TaskFuture<?> future) {
            work = future.take();
            if (work == null || future.isDone()) {
                skip(future, work);
                return true;
            }
            start(link, work);
            failure = future.attempt(work);
            Thread.interrupted();
            hold = future.hold();
            if (failure == null && hold != null) {
                if (!hold.isOver() && (hold.endsHere() || holdFor(hold, link, work, thread))) {
                    return false;
                }
                heldWork = null;
                failure = hold.failure;
            }
        } else {
            start(link, work);
            failure = run(task);
            Thread.interrupted();
        }
        if (failure == null) {
            endTask(task, null);
            return true;
        }
        return afterFailure(link, task, hold, work, failure, thread);
    }

    private static @Nullable Throwable run(Runnable task) {
        try {
            task.run();
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }

    // asynchronous tasks

    /**
     * Leaves this chain to an asynchronous task.
     *
     * @return false if the task has ended before this thread had left
     */
    private boolean holdFor(Hold hold, Link link, @Nullable Object work, Thread thread) {
        heldWork = failurePolicy() == FailurePolicy.proceed() ? null : work;
        settleAt(link);
        leave(hold);
        Thread.interrupted();
        if (isStopping()) {
            // the shutdown may have looked before the hold became the holder, and has then not cancelled it
            hold.future.cancel(true);
        }
        hold.held();
        // read after the write in leave: one who completes the future has either seen this hold, or is seen here
        return !hold.isOver() || !enter(hold, thread);
    }

    private @Nullable Object takeHeldWork() {
        Object work = heldWork;
        heldWork = null;
        return work;
    }

    /**
     * For one who is about to complete {@code future}: makes this thread the holder, as it would be if it had run the
     * task.
     *
     * @return what this thread has entered from; null if that future does not hold this chain: the one who does finds
     *     it done
     */
    final @Nullable Hold enterFrom(TaskFuture<?> future) {
        Hold hold = hold();
        return hold != null && hold.future == future && enter(hold, Thread.currentThread()) ? hold : null;
    }

    /** Goes on after an asynchronous task, if it is over; this thread has entered for it. */
    final void goOnAfter(Hold hold) {
        Thread thread = Thread.currentThread();
        if (!staysAfter(hold, thread)) {
            return;
        }
        Throwable failure = hold.failure;
        if (failure == null || hold.future.isDone()) {
            passOnAfter(hold.future);
        } else if (afterFailure(head(), hold.future, hold, takeHeldWork(), failure, thread)) {
            servePassingOn(thread);
        }
    }

    /**
     * Leaves this chain to an asynchronous task again if that is not over: another thread may have completed its future
     * while this one entered to do so, and still run the dependent actions; or nobody has completed it after all.
     *
     * @return whether this thread still holds the chain
     */
    private boolean staysAfter(Hold hold, Thread thread) {
        if (hold.isOver()) {
            return true;
        }
        leaveAgain(hold);
        // read after the write in leaveAgain, as in holdFor
        return hold.isOver() && enter(hold, thread);
    }

    /** Goes on after an asynchronous task that is done; this thread has entered for it. */
    final void passOnAfter(RunnableFuture<?> done) {
        heldWork = null;
        endTask(done, null);
        servePassingOn(Thread.currentThread());
    }

    /**
     * Goes on after an asynchronous task whose stage has failed, unless the one who started it is still here to do so.
     */
    final void passOnAfterFailure(Hold hold) {
        if (enter(hold, Thread.currentThread())) {
            goOnAfter(hold);
        }
    }

    // failures

    /**
     * Whether the task of this link will not be run again if it fails now. Asked while it runs, or while its stage is
     * not complete.
     */
    final boolean isLastAttempt(Link running) {
        return !failurePolicy().retriesAfter(failing == running ? failures + 1 : 1);
    }

    /**
     * Proceeds, has the task run again, or parks, as the policy says.
     *
     * @param hold the attempt, if its task is asynchronous and has got as far as its stage
     * @return whether this thread still holds the chain
     */
    private boolean afterFailure(
            Link link, Runnable task, @Nullable Hold hold, @Nullable Object work, Throwable failure, Thread thread) {
        FailurePolicy policy = failurePolicy();
        if (failing != link) {
            failing = link;
            failures = 0;
        }
        failures++;
        boolean retries = policy.retriesAfter(failures);
        boolean ends = isStopping() || !(retries || policy.parks());
        if (ends || work == null || (task instanceof TaskFuture<?> done && done.isDone())) {
            return endAfterFailure(link, task, hold, failure, thread);
        }
        putBack(link, task, work);
        if (task instanceof TaskFuture<?> done && done.isDone()) {
            // whoever has completed it meanwhile has not found it here, and so does not end a suspension
            return true;
        }
        Duration pause = retries ? policy.pauseAfter(failures) : null;
        tellPutBack(work, pause, failure);
        return pause == null ? park(failure, thread) : backOff(pause, failure, thread);
    }

    private boolean endAfterFailure(Link link, Runnable task, @Nullable Hold hold, Throwable failure, Thread thread) {
        if (hold != null && task instanceof TaskFuture<?> future) {
            future.fail(failure);
            settleAt(link);
            if (!staysAfter(hold, thread)) {
                return false;
            }
        }
        endTask(task, failure);
        return true;
    }

    private void tellPutBack(Object work, @Nullable Duration pause, Throwable failure) {
        TaskEvents events = events();
        if (events == null) {
            return;
        }
        if (pause == null) {
            events.parked(key(), work, failure);
        } else {
            events.retried(key(), work, failures, pause, failure);
        }
    }

    private void putBack(Link link, Runnable task, Object work) {
        if (task instanceof TaskFuture<?> future) {
            future.putBack(work);
        }
        link.putBack(task);
        settleAt(link);
        onPutBack();
    }

    private boolean backOff(Duration pause, Throwable failure, Thread thread) {
        // asked again, since a shutdown that has looked for what waits before this was put back does not look again
        if (pause.isZero() && !isStopping()) {
            return true;
        }
        Suspension suspension = new Suspension(Suspension.Reason.BACKING_OFF, failure);
        leave(suspension);
        if (isStopping()) {
            return giveUpAgain(suspension, thread);
        }
        if (head().isVacated()) {
            // taken out before the suspension could be seen: nothing is left to wait for
            return enter(suspension, thread);
        }
        try {
            host().timer().schedule(Turn.nanos(pause), () -> goOnElsewhere(suspension));
            return false;
        } catch (Throwable noTimer) {
            // the pause is lost, the task is not
            UncaughtFailures.report(noTimer);
            return enter(suspension, thread);
        }
    }

    private boolean park(Throwable failure, Thread thread) {
        failing = null;
        Suspension suspension = new Suspension(Suspension.Reason.PARKED, failure);
        leave(suspension);
        if (host().isShutdown()) {
            return giveUpAgain(suspension, thread);
        }
        // taken out before the suspension could be seen: nobody is left to decide on
        return head().isVacated() && enter(suspension, thread);
    }

    /**
     * For a suspension that a shutdown may have come too early to see: it is asked for after the holder was written,
     * and written before the shutdown looks.
     */
    private boolean giveUpAgain(Suspension suspension, Thread thread) {
        boolean mine = enter(suspension, thread);
        if (mine && isStopping()) {
            // what waits behind it is taken back by the shutdown, which returns it
            endFailed(suspension);
        } else if (mine) {
            giveUp(suspension);
        }
        return mine;
    }

    /**
     * Lets a parked chain go on.
     *
     * @param again whether the failed task is run again; else it has failed for good
     * @return false if this chain is not parked
     */
    final boolean unpark(boolean again) {
        Thread thread = Thread.currentThread();
        Suspension parked = enterIfParked(thread);
        if (parked == null) {
            return false;
        }
        if (!again) {
            endFailed(parked);
        }
        servePassingOn(thread);
        return true;
    }

    /** For a shutdown: a chain that is parked ends the failed task, and cancels what waits behind it. */
    final void giveUpIfParked() {
        Thread thread = Thread.currentThread();
        Suspension parked = enterIfParked(thread);
        if (parked != null) {
            giveUp(parked);
            servePassingOn(thread);
        }
    }

    private @Nullable Suspension enterIfParked(Thread thread) {
        Suspension parked = suspension();
        boolean mine = parked != null && parked.reason == Suspension.Reason.PARKED && enter(parked, thread);
        return mine ? parked : null;
    }

    private void giveUp(Suspension parked) {
        endFailed(parked);
        cancelFollowers();
    }

    /** Cancels what waits behind the task that has failed. */
    void cancelFollowers() {
        takeOutAll(this::cancel);
    }

    private void endFailed(Suspension parked) {
        Runnable failed = claimFrom(head());
        if (failed == null) {
            return;
        }
        Object work = takeWork(failed);
        if (work == null && failed instanceof TaskFuture<?> future) {
            // it is being cancelled at the same time, by one who has taken the work and tells of its end
            skip(future, null);
        } else {
            endTask(failed, Objects.requireNonNull(parked.failure));
        }
    }

    // what others do

    /** Takes out a task that is done before its turn, so that nothing of it is left. */
    final void takeOutDone(Link link, TaskFuture<?> done, Object work) {
        tellCancelled(work);
        if (takeOut(link, done)) {
            host().onTaskEnd(done.end());
            onTakenOut(link);
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
            cancel(task);
        });
    }

    /**
     * For a shutdown that has taken back all tasks: interrupts or cancels the task that runs, and ends this chain if it
     * waits for something: nothing is left to wait for.
     */
    void stop() {
        Hold running = hold();
        if (running != null) {
            running.future.cancel(true);
        }
        Suspension suspension = suspension();
        if (suspension != null) {
            passOnFrom(suspension);
        }
        interruptHolder();
        // a pool that was stopped too may never run a chain that waits for a thread
        passOn();
    }

    /**
     * Called by whoever has taken a task out since its future is done. What has waited for it need not wait any longer.
     */
    void onTakenOut(Link link) {
        Suspension suspension = suspension();
        if (suspension != null && suspension.reason != Suspension.Reason.PAUSED && head() == link) {
            passOnFrom(suspension);
        }
    }

    /** Called when no more tasks are accepted. */
    void onShutdown() {
        unpause();
        giveUpIfParked();
    }

    /** Whether this chain cannot end before the calling thread has done what it does. */
    boolean isHeldUpHere() {
        return isHeldBy(Thread.currentThread());
    }

    /** Lets a paused chain go on. */
    final void unpause() {
        Suspension paused = suspension();
        if (paused != null && paused.reason == Suspension.Reason.PAUSED) {
            passOnFrom(paused);
        }
    }
}
