package io.orderedexecutor.engine.pool;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a thread of a {@link WorkerPool} does: it runs what is ready, and sleeps when nothing is.
 *
 * <pre>
 *   (none) ──▶ STARTING  by a submitter or another worker, if none is idle, woken or starting
 *   STARTING ──▶ BUSY    it has come to the queue
 *   BUSY ──▶ IDLE        it has found the queue empty, and has listed itself
 *   IDLE ──▶ WOKEN       by a submitter or another worker, who takes it from the list
 *   WOKEN ──▶ BUSY       it has come to the queue
 *   IDLE ──▶ BUSY        it has found work after all, and has taken itself from the list
 *   IDLE ──▶ (none)      it has waited in vain, there are too many, or the pool is closed
 *   BUSY ──▶ (none)      there are too many, and its turn is over
 * </pre>
 *
 * <p>It looks at the queue when it has ceased to be woken or starting, when it has listed itself as idle, and before it
 * ends: what is added before any of these is not left alone.
 */
final class Worker implements Runnable {

    private final ReadyQueue<Runnable> ready;
    private final WorkerRoster roster;
    private final RecentWork recentWork;
    private final Platform platform;
    private final long keepAliveNanos;
    private final Runnable callWorker;

    /** Written by the worker before it is first listed as idle, which publishes it. */
    private @Nullable Thread thread;

    /** The neighbours in the list of the idle, and whether it is in. Used by {@link IdleWorkers}. */
    @Nullable
    Worker idleBefore;

    @Nullable
    Worker idleAfter;

    boolean isListed;

    /** Whether it has been started and not come to the queue. Used by the worker only. */
    private boolean fresh = true;

    /** Whether it is idle: listed, or about to end. Used by the worker only. */
    private boolean resting;

    /** When it began to run what was ready. Used by the worker only. */
    private long begunAt;

    /** Set under the lock of the roster by the one who takes this worker from the idle; cleared by the worker. */
    private volatile boolean called;

    /**
     * A worker that is still to be started.
     *
     * @param ready what is to be run
     * @param roster the workers of the pool
     * @param recentWork what the workers of the pool have run
     * @param keepAliveNanos how long it waits for work before it ends
     * @param callWorker wakes or starts another worker, if need be
     */
    Worker(
            ReadyQueue<Runnable> ready,
            WorkerRoster roster,
            RecentWork recentWork,
            Platform platform,
            long keepAliveNanos,
            Runnable callWorker) {
        this.ready = ready;
        this.roster = roster;
        this.recentWork = recentWork;
        this.platform = platform;
        this.keepAliveNanos = keepAliveNanos;
        this.callWorker = callWorker;
    }

    /** Called under the lock of the roster by the one who has taken this worker from the idle. */
    void call() {
        called = true;
    }

    void unpark() {
        platform.unpark(Objects.requireNonNull(thread));
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        for (boolean ends = false; !ends; ) {
            try {
                ends = workOrRest();
            } catch (Throwable failure) {
                // there was no memory: the place of this worker must not be lost
                reportIfPossible(failure);
            }
        }
    }

    private static void reportIfPossible(Throwable failure) {
        try {
            UncaughtFailures.report(failure);
        } catch (Throwable noMemory) {
            // nor for what is loaded when it is first used
        }
    }

    /** Returns whether this worker ends. */
    private boolean workOrRest() {
        if (!resting) {
            if (work()) {
                return true;
            }
            roster.becomeIdle(this);
            resting = true;
        }
        boolean goesOn = stopBeingIdle();
        resting = false;
        return !goesOn;
    }

    /**
     * Runs what is ready. No frame below this one may refer to work that is done: this thread may be idle there for
     * long.
     *
     * @return whether this worker ends, since there are too many
     */
    private boolean work() {
        begunAt = platform.nanoTime();
        Runnable work = ready.poll();
        arrive();
        if (work == null) {
            recentWork.add(0, 1);
            return false;
        }
        if (!ready.isEmpty()) {
            callNext();
        }
        long count = 0;
        while (work != null) {
            runContained(work);
            count++;
            if (roster.hasTooMany() && roster.retireBusy()) {
                callNext();
                return true;
            }
            work = ready.poll();
        }
        recentWork.add(platform.nanoTime() - begunAt, count);
        return false;
    }

    /** From now on, submitters no longer count on this worker to come. */
    private void arrive() {
        if (called) {
            called = false;
            roster.wokenArrived();
        } else if (fresh) {
            fresh = false;
            roster.startedArrived();
        }
    }

    private void callNext() {
        try {
            callWorker.run();
            // to wake another worker is no work
            begunAt = platform.nanoTime();
        } catch (Throwable noThread) {
            // this worker serves all that is ready, if more slowly
            UncaughtFailures.report(noThread);
        }
    }

    private static void runContained(Runnable work) {
        // an interrupt that comes before this thread serves a strand is meant for none of its tasks
        Thread.interrupted();
        try {
            work.run();
        } catch (Throwable failure) {
            // a strand contains what tasks throw; memory or stack may run out on the way all the same
            UncaughtFailures.report(failure);
        }
    }

    /**
     * Waits for work.
     *
     * @return false if this worker ends instead
     */
    private boolean stopBeingIdle() {
        long deadline = platform.nanoTime() + keepAliveNanos;
        while (!called) {
            long left = deadline - platform.nanoTime();
            if (!ready.isEmpty()) {
                if (roster.leaveIdle(this, false)) {
                    return true;
                }
            } else if (roster.hasTooMany()) {
                // in vain if it is called: the lock may then have used up the unpark, so it must not park before it
                // looks
                if (roster.retireIdle(this)) {
                    return false;
                }
            } else if (roster.isClosed() || left <= 0) {
                if (roster.leaveIdle(this, true)) {
                    // for what came while this worker was still listed as idle
                    return !ready.isEmpty() && roster.takePlaceAgain();
                }
            } else {
                // a thread that adds work from here on finds this worker idle, and wakes it
                platform.restNanos(roster, left);
                // an interrupt would make each park return at once
                Thread.interrupted();
            }
        }
        return true;
    }
}
