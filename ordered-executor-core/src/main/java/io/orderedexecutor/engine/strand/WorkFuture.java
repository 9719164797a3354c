package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.task.TaskEnd;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RunnableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A future and its work: who may do it, who does it, and how a cancellation interrupts that thread. How it is completed
 * is the concern of {@link TaskFuture}.
 *
 * <p>The work belongs to the thread that takes it out of {@code work}: the one that starts it, or a cancellation, which
 * thereby frees at once what the work refers to. A future that is done before its work is started is never started.
 *
 * @param <T> the type of the result
 */
public abstract class WorkFuture<T extends @Nullable Object> extends CompletableFuture<T> implements RunnableFuture<T> {
    private static final VarHandle WORK;
    private static final VarHandle RUNNER;

    static {
        try {
            var lookup = MethodHandles.lookup();
            WORK = lookup.findVarHandle(WorkFuture.class, "work", Object.class);
            RUNNER = lookup.findVarHandle(WorkFuture.class, "runner", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What is to be done: emptied by an atomic exchange, by the runner or a cancellation. */
    private volatile @Nullable Object work;

    /**
     * The thread that does it, or the {@link Interruption} that is on its way to it. Set by that thread before it asks
     * whether the future is cancelled, and cleared by an atomic exchange; replaced by a cancellation by
     * compare-and-set, after the future is cancelled. So one of the two sees the other, and the interrupt of a
     * cancellation never reaches the next task of that thread.
     */
    private volatile @Nullable Object runner;

    /**
     * Whether the strand has to wait for the dependent actions, and they have not run. Cleared by the thread that has
     * completed this future, which then looks whether the strand waits for it; read by the thread that has left the
     * strand to this future. So one of the two goes on.
     */
    private volatile boolean unsettled;

    /**
     * Where this task is, until it has ended. Written by the submitter before the link is published, and cleared by the
     * runner. Plain: a thread that got this future from the submitter sees the place, or that it is no longer needed.
     */
    private @Nullable LinkQueue queue;

    /** Whether a later task takes the place of this one, which must not be started again. Set once, by any thread. */
    private volatile boolean superseded;

    private @Nullable Link link;

    /** An interrupt that is delivered while its monitor is held, which no other code can lock. */
    private static final class Interruption {
        synchronized void awaitDelivery() {
            // a thread that is inside has delivered it
        }
    }

    /**
     * Makes a future.
     *
     * @param settlesLate whether the strand has to wait for the dependent actions, too, if another thread completes
     *     this future
     */
    WorkFuture(Object work, boolean settlesLate) {
        // plain is enough: the future is published with its link
        WORK.set(this, work);
        if (settlesLate) {
            unsettled = true;
        }
    }

    // where it waits

    /** Notes where this task waits; called again if that queue ends before it takes the link. */
    final void waitIn(LinkQueue queue, Link link) {
        this.queue = queue;
        this.link = link;
    }

    /** Forgets a place that this task has not got. */
    final void waitNowhere() {
        queue = null;
        link = null;
    }

    /** How this task, which is done, has ended. It has no place in its queue from now on. */
    final TaskEnd end() {
        Link served = link;
        waitNowhere();
        if (served != null) {
            served.onEnd(this);
        }
        if (isCancelled()) {
            return TaskEnd.CANCELLED;
        }
        return isCompletedExceptionally() ? TaskEnd.FAILED : TaskEnd.COMPLETED;
    }

    /** Where this task is; null once it has ended, or if it was placed nowhere. */
    final @Nullable LinkQueue queue() {
        return queue;
    }

    final @Nullable Link link() {
        return link;
    }

    /** Notes in the queue that the work has returned, before this future is completed. For the thread that did it. */
    final void noteReturn() {
        LinkQueue queue = this.queue;
        Link link = this.link;
        if (queue != null && link != null) {
            queue.noteReturn(link);
        }
    }

    // superseded by a later task

    final boolean isSuperseded() {
        return superseded;
    }

    static boolean isSuperseded(@Nullable Runnable task) {
        return task instanceof WorkFuture<?> future && future.mustNotRunAgain();
    }

    /** Whether there is no reason to start this task again, if it fails. */
    boolean mustNotRunAgain() {
        return superseded;
    }

    /** Cancels a task that would be run again, but must not. */
    static void endIfSuperseded(Runnable task) {
        if (task instanceof WorkFuture<?> future && future.mustNotRunAgain()) {
            future.noteReturn();
            future.cancel(false);
        }
    }

    /** Returns false if that comes too late. */
    final boolean markSuperseded() {
        if (isDone() || superseded) {
            return false;
        }
        superseded = true;
        return true;
    }

    // the work

    /** Takes the work, to do it, or to say that it will not be done. Null if another thread has it. */
    protected final @Nullable Object take() {
        return work == null ? null : WORK.getAndSet(this, null);
    }

    /** As {@link #take}, without an atomic operation: for a task whose state says which thread its work belongs to. */
    protected final @Nullable Object takeAsOwner() {
        Object taken = WORK.get(this);
        WORK.setOpaque(this, null);
        return taken;
    }

    /** Makes this task ready for another attempt. */
    protected final void putBack(Object taken) {
        work = taken;
    }

    /** What the submitter gave; null once it is taken. */
    public final @Nullable Object work() {
        return work;
    }

    /** Whether a caller has this future, and so hears of a failure. */
    boolean hasCaller() {
        return true;
    }

    /** What this task stands for, if it is a batch that was started; null for any other. */
    @Nullable
    TakenItems items() {
        return null;
    }

    /** Called when the ends of these items are counted. */
    void forgetItems() {}

    /** What the submitter gave if it is a {@link Runnable}, and else this future in its place. */
    protected Runnable asSubmitted() {
        return work instanceof Runnable runnable ? runnable : this;
    }

    /**
     * Does the work.
     *
     * @param taken what {@link #take} gave
     * @return what holds the strand until this future is done; null if it need not wait
     * @throws Exception what the work threw, which has not completed this future yet
     */
    final @Nullable AsyncAttempt attempt(Object taken) throws Exception {
        runner = Thread.currentThread();
        try {
            // asked when the runner is known: a cancellation from here on interrupts it
            return isDone() ? null : perform(taken);
        } finally {
            if (RUNNER.getAndSet(this, null) instanceof Interruption interruption) {
                // it arrives before this thread goes on, and is cleared then
                interruption.awaitDelivery();
            }
        }
    }

    /**
     * Does the work and completes this future, now or later, unless it throws.
     *
     * @return what holds the strand until this future is done; null if it need not wait
     */
    public abstract @Nullable AsyncAttempt perform(Object taken) throws Exception;

    /** For callers that take this for a mere {@link Runnable}. */
    @Override
    public void run() {
        Object taken = take();
        if (taken == null || isDone()) {
            return;
        }
        try {
            var unused = attempt(taken);
        } catch (Throwable failure) {
            fail(failure);
        }
    }

    /**
     * Completes this future with what its task has thrown. A {@link CancellationException} is wrapped, as the JDK does
     * for dependent stages: bare, it would say that somebody has cancelled this future.
     */
    final void fail(Throwable thrown) {
        noteReturn();
        completeExceptionally(thrown instanceof CancellationException ? new CompletionException(thrown) : thrown);
    }

    /** Interrupts the thread that does the work, if it still does. Called when this future is cancelled. */
    protected void interruptRunner() {
        if (runner instanceof Thread thread) {
            Interruption interruption = new Interruption();
            synchronized (interruption) {
                if (RUNNER.compareAndSet(this, thread, interruption)) {
                    thread.interrupt();
                }
            }
        }
    }

    /** Completes this future, and does nothing else. */
    protected final boolean completeOnly(@Nullable T value) {
        return super.complete(value);
    }

    /** Called by the thread that has completed this future, when the dependent actions have run. */
    final void settle() {
        if (unsettled) {
            unsettled = false;
        }
    }

    /** Whether this future is done, and its dependent actions are, if the strand has to wait for them. */
    final boolean isSettled() {
        return !unsettled && isDone();
    }

    /** What this future, which is done, has failed with. */
    final Throwable failure() {
        try {
            super.join();
        } catch (CompletionException failed) {
            Throwable cause = failed.getCause();
            return cause == null ? failed : cause;
        } catch (CancellationException cancelled) {
            return cancelled;
        }
        throw new IllegalStateException("this task has not failed");
    }
}
