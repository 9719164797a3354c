package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.task.Causes;
import io.orderedexecutor.engine.task.TaskFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One run of the task of a place. The thread that ends the attempt decides what follows: the place leaves its orders,
 * is suspended, or runs again at once.
 *
 * <pre>
 *   RUNNING ──▶ HELD    by the thread of the attempt, when the task has returned a stage
 *   RUNNING ──▶ ENDED   by the thread of the attempt
 *   RUNNING ──▶ FAILED  by the thread of the attempt
 *   HELD ──▶ ENDED      by compare-and-set: the thread that runs the callback of the stage; or one that completes the
 *                       future earlier; or one that ends the output of the piece, if it finds the future complete; or
 *                       the thread of the attempt, if the future was complete before; the compare-and-set fails if the
 *                       stage calls back twice or late
 *   HELD ──▶ FAILED     by compare-and-set: the thread that runs the callback of the stage; or the thread of the
 *                       attempt, if the stage refuses the callback
 *   FAILED ──▶ ENDED    by the thread that ended the attempt, if no other attempt follows
 * </pre>
 *
 * <p>A place whose attempt has failed makes its keys busy until the thread that ended the attempt has decided that the
 * task ends, or the future is complete.
 *
 * <p>The attempt at a {@link Piece} continues when the work is done:
 *
 * <pre>
 *   RUNNING, ENDED, FAILED ──▶ WORKED  by the thread that ended the work; the work does not run again
 *   WORKED ──▶ WRITING         by compare-and-set: the thread that writes the result, when its turn has come
 *   WORKED ──▶ ENDED           by compare-and-set: a thread that completes the future earlier; or one that ends the
 *                              output, if it finds the future complete; or the thread that ended the work, if the
 *                              future is complete or shutdownNow was called
 *   WRITING ──▶ ENDED          by the thread that writes
 * </pre>
 */
public final class Attempt extends Place.State {
    private static final VarHandle PHASE;
    private static final VarHandle THREAD;
    private static final VarHandle WORK;

    static {
        try {
            var lookup = MethodHandles.lookup();
            PHASE = lookup.findVarHandle(Attempt.class, "phase", int.class);
            THREAD = lookup.findVarHandle(Attempt.class, "thread", Thread.class);
            WORK = lookup.findVarHandle(Attempt.class, "work", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int RUNNING = 0;
    private static final int HELD = 1;
    private static final int ENDED = 2;
    private static final int WORKED = 3;
    private static final int WRITING = 4;
    private static final int FAILED = 5;

    final Place place;
    final Runnable task;

    /** How often the task had failed before, since it was submitted or resumed. */
    final int failures;

    private volatile int phase;

    /** The thread that runs the task, writes its result, or completes its future; null while the attempt is held. */
    private volatile @Nullable Thread thread;

    /**
     * The submitted object; null once it is no longer needed. Written by the thread that runs the task, and later by
     * the thread that has ended the attempt.
     */
    private volatile @Nullable Object work;

    /** Null if the task is not timed and has returned no stage. Written before the work or the phase. */
    private @Nullable Details details;

    /** Kept apart, since only attempts that are timed or await a stage need it. */
    private static final class Details {
        /** Written before the work, which publishes it: read the work first. */
        private long startedAt;

        /** Written before the phase, which publishes it. */
        private long workedAt;

        /** The awaited stage if it is the future of a task; otherwise null. Written before the phase. */
        private @Nullable TaskFuture<?> awaited;

        /** The thread that registers the callback at the stage; null at other times. Written by that thread. */
        private volatile @Nullable Thread registrar;

        /**
         * What to do with the place after a callback on the registrar during the registration; null if there was none.
         * Used by the registrar.
         */
        private Service.@Nullable Next nextHere;
    }

    private Details details() {
        Details mine = details;
        if (mine == null) {
            mine = new Details();
            details = mine;
        }
        return mine;
    }

    @Override
    public boolean isQueued() {
        return false;
    }

    @Override
    public boolean isActive() {
        return true;
    }

    /**
     * Whether this makes the keys of the place busy: not when it has ended, nor if the future is complete and no thread
     * runs the task.
     */
    boolean isBusy() {
        TaskFuture<?> future = future();
        // asked first: if the work has not started after that, the thread of the attempt will see that the future is
        // complete, and not run it
        boolean isDone = future != null && future.isDone();
        int now = phase;
        if (now == RUNNING || now == WRITING) {
            return !isDone || work != null;
        }
        return now != ENDED && !isDone;
    }

    Attempt(Place place, Runnable task, int failures) {
        this.place = place;
        this.task = task;
        this.failures = failures;
        // plain is enough: the change of the place's state publishes it. A volatile write is a fence for each task
        THREAD.set(this, Thread.currentThread());
    }

    void start(Object submitted, long now) {
        if (now != 0) {
            details().startedAt = now;
        }
        // release is enough: this thread does not read after it what other threads write before they read the work
        WORK.setRelease(this, submitted);
    }

    @Nullable
    Object work() {
        return work;
    }

    /** The submitted object; for a batch, its items. Null once it is no longer needed. */
    @Nullable
    Object shownTask() {
        Object now = work;
        return now instanceof Batch.Claimed claimed ? claimed.works() : now;
    }

    /** Called when the work is put back, if it will be claimed anew. */
    void forgetWork() {
        work = null;
    }

    /**
     * Returns a new attempt that has ended already. The calling thread uses it to end the task. The new attempt has no
     * start time: the task has waited since this attempt ended, and that wait must not be reported as part of the run.
     */
    Attempt ending() {
        Attempt ending = new Attempt(place, task, failures);
        ending.work = work;
        ending.setEnded();
        return ending;
    }

    /** When the attempt began, on the clock of the platform; 0 if tasks are not timed, or nothing has run. */
    long startedAt() {
        // first: the write of the work publishes the start
        var unused = work;
        Details known = details;
        return known == null ? 0 : known.startedAt;
    }

    @Nullable
    TaskFuture<?> future() {
        return task instanceof TaskFuture<?> future ? future : null;
    }

    /** A failure of this attempt as it is shown: without the wrapper that stages have, as in the end of the future. */
    Throwable shown(Throwable failure) {
        return future() == null ? failure : Causes.unwrapped(failure);
    }

    @Override
    public @Nullable Thread thread() {
        return thread;
    }

    /** The awaited stage, if it is the future of a task; for explanations. */
    @Nullable
    TaskFuture<?> awaited() {
        Details known = isHeld() ? details : null;
        return known == null ? null : known.awaited;
    }

    /** Whether no thread works on this attempt: it awaits its stage, or the turn to write its result. */
    boolean isHeld() {
        int now = phase;
        return now == HELD || now == WORKED;
    }

    public boolean isWorked() {
        return phase == WORKED;
    }

    /** Whether this attempt has ended, or has failed and may be followed by another one. */
    boolean isEnded() {
        int now = phase;
        return now == ENDED || now == FAILED;
    }

    /** Called by the thread of the attempt. */
    void setEnded() {
        phase = ENDED;
    }

    /** Called by the thread of the attempt if another attempt may follow. */
    void setFailed() {
        phase = FAILED;
    }

    /**
     * Called by the thread that ended the attempt when it has decided that no other one follows, before it completes
     * the future.
     */
    void noAttemptFollows() {
        if (phase == FAILED) {
            phase = ENDED;
        }
    }

    /** Called by the thread of the attempt, before it registers its callback at the stage. */
    void hold(@Nullable TaskFuture<?> stage, boolean keepsWork) {
        details().awaited = stage;
        details().registrar = Thread.currentThread();
        if (!keepsWork) {
            work = null;
        }
        thread = null;
        phase = HELD;
    }

    /** Called in the callback of the stage: whether the calling thread is still registering that callback. */
    boolean isBeingRegisteredHere() {
        return details().registrar == Thread.currentThread();
    }

    void setNextHere(Service.Next next) {
        details().nextHere = next;
    }

    /** Called when the callback is registered; returns the result if the callback has run here; otherwise null. */
    Service.@Nullable Next endRegistration() {
        Details own = details();
        own.registrar = null;
        return own.nextHere;
    }

    /** Marks the work of a piece as done. */
    void setWorked(long now) {
        if (now != 0) {
            details().workedAt = now;
        }
        THREAD.setRelease(this, null);
        phase = WORKED;
    }

    /** When the work of a piece was done, on the clock of the platform; 0 if tasks are not timed. */
    long workedAt() {
        Details known = details;
        return known == null ? 0 : known.workedAt;
    }

    /** Begins to write the result of a piece, whose turn has come. */
    boolean tryWrite() {
        boolean mine = PHASE.compareAndSet(this, WORKED, WRITING);
        if (mine) {
            THREAD.setRelease(this, Thread.currentThread());
        }
        return mine;
    }

    /** Ends an attempt that awaits its stage; called by any thread. */
    boolean tryEndStage(boolean failed) {
        return tryEnd(HELD, failed ? FAILED : ENDED);
    }

    /** Ends an attempt that awaits its stage, or the turn to write its result; called by any thread. */
    boolean tryEndHeld() {
        return tryEnd(HELD, ENDED) || tryEnd(WORKED, ENDED);
    }

    private boolean tryEnd(int from, int to) {
        boolean mine = PHASE.compareAndSet(this, from, to);
        if (mine) {
            thread = Thread.currentThread();
        }
        return mine;
    }

    /** Interrupts the thread that runs the task, or writes its result, if it still does. */
    synchronized void interrupt() {
        Thread running = thread;
        if ((phase == RUNNING || phase == WRITING) && running != null) {
            running.interrupt();
        }
    }

    /**
     * Called by the thread of the attempt when it no longer runs the task or writes the result. On return, a concurrent
     * {@link #interrupt} has happened, or will do nothing.
     */
    synchronized void awaitInterrupt() {
        // entering the monitor waits for a thread that is just delivering an interrupt
    }
}
