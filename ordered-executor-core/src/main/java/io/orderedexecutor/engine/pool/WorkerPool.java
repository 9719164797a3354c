package io.orderedexecutor.engine.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An executor's own threads: as many workers as are needed, up to a limit, serve one queue in order.
 *
 * <p>One queue for all is fair, and no worker stays idle while work is ready. Waking threads is expensive. So while a
 * worker is <em>woken</em> or <em>started</em> but not yet at the queue, a submitter only adds its work; the worker
 * that arrives calls the next one if it does not take the last work. {@link java.util.concurrent.ForkJoinPool} and Go's
 * scheduler have the same throttle. It is right for a burst of short tasks: one worker runs them before a second one
 * arrives. If pieces of work have lately taken longer than a wake-up, as {@link RecentWork} tells, a submitter wakes
 * one more worker while fewer are on their way than there are pieces of work.
 *
 * <p>No work is forgotten, unless a thread ends before it runs its worker: then the next submission notices. A thread
 * that adds work afterwards looks for a worker that is woken or starting, or calls one, unless all are busy; see
 * {@link Worker} for when a worker looks at the queue. If a worker cannot be started and there is no other, the pool
 * refuses the work of the thread that tried, and that thread gives all other work to the {@link Helper}: other threads
 * may have counted on the new worker.
 */
public final class WorkerPool implements Workers {
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ReadyQueue<Runnable> ready = new ReadyQueue<>();
    private final SweepPace sweeps = new SweepPace();
    private final RecentWork recentWork = new RecentWork();

    /** Not private: a test holds its monitor. */
    final Roster roster;

    private final ThreadFactory threadFactory;
    private final Helper helper;
    private final Platform platform;
    private final long keepAliveNanos;
    private volatile Turn turn;

    public WorkerPool(String name, int threads, ThreadFactory threadFactory, Turn turn, Platform platform) {
        this(name, threads, threadFactory, turn, platform, KEEP_ALIVE_NANOS);
    }

    public WorkerPool(
            String name, int threads, ThreadFactory threadFactory, Turn turn, Platform platform, long keepAliveNanos) {
        this.helper = new Helper(name, this::handOver, this::passOn, platform);
        this.roster = new Roster(threads);
        this.threadFactory = threadFactory;
        this.platform = platform;
        this.keepAliveNanos = keepAliveNanos;
        this.turn = turn;
    }

    /** Adds work, and makes sure that some worker will look at the queue. */
    @Override
    public void handOver(Runnable work) {
        ready.add(work);
        try {
            callWorker();
        } catch (Throwable noThread) {
            if (wakeOrFindBusyWorker()) {
                UncaughtFailures.report(noThread);
                return;
            }
            boolean refused = ready.remove(work);
            giveAllToHelper();
            if (refused) {
                throw noThread;
            }
        }
    }

    @Override
    public boolean passOn(Runnable work) {
        try {
            handOver(work);
            return true;
        } catch (Throwable refusal) {
            // accepted work has no submitter here that could get the refusal
            return false;
        }
    }

    @Override
    public void onOver(Predicate<? super Runnable> isOver) {
        sweeps.onOver(() -> ready.removeIf(isOver));
        helper.onOver(isOver);
    }

    @Override
    public Helper helper() {
        return helper;
    }

    @Override
    public boolean areTooMany() {
        return roster.hasTooMany();
    }

    @Override
    public boolean isWantedElsewhere() {
        return !ready.isEmpty() || helper.hasWork();
    }

    @Override
    public Platform platform() {
        return platform;
    }

    @Override
    public Turn turn() {
        return turn;
    }

    @Override
    public void setTurn(Turn turn) {
        this.turn = turn;
    }

    @Override
    public int threads() {
        return roster.threads;
    }

    @Override
    public void setThreads(int threads) {
        // idle workers look whether they are too many; a missing one is started
        roster.setThreads(threads).forEach(Worker::unpark);
        if (!ready.isEmpty()) {
            try {
                callWorker();
            } catch (Throwable noThread) {
                if (!wakeOrFindBusyWorker()) {
                    giveAllToHelper();
                }
                throw noThread;
            }
        }
    }

    @Override
    public void close() {
        roster.close().forEach(Worker::unpark);
        helper.close();
    }

    /** Wakes or starts a worker, unless enough are on their way, or all are busy. */
    private void callWorker() {
        boolean another = isAnotherWanted();
        if ((another || !roster.isServed()) && !roster.wake(another)) {
            Worker worker = roster.tryBeginStart();
            if (worker != null) {
                start(worker);
            }
        }
    }

    /** Whether to wake an idle worker although others are on their way, since these will have enough to do. */
    private boolean isAnotherWanted() {
        return recentWork.isLong() && roster.idleCount > 0 && ready.hasMoreThan(roster.onTheirWay);
    }

    private void start(Worker worker) {
        boolean started = false;
        try {
            Thread thread = threadFactory.newThread(worker);
            if (thread == null) {
                throw new RejectedExecutionException("the thread factory " + threadFactory + " returned no thread");
            }
            worker.thread = thread;
            platform.start(thread);
            started = true;
        } finally {
            if (!started) {
                roster.startFailed(worker);
            }
        }
    }

    /**
     * Called when a worker could not be started. Wakes an idle worker if need be; returns whether any worker will look
     * at the queue.
     */
    private boolean wakeOrFindBusyWorker() {
        return roster.wake(false) || roster.isAnyBusy();
    }

    /** Called when no worker will look at the queue: other threads may have counted on the worker that was to start. */
    private void giveAllToHelper() {
        for (Runnable work = ready.poll(); work != null; work = ready.poll()) {
            helper.add(work);
        }
    }

    /**
     * What a thread of the pool does: it runs work that is ready, and sleeps when there is none.
     *
     * <pre>
     *   (none) ──▶ STARTING  by another thread, if no worker is idle, woken or starting
     *   STARTING ──▶ (none)  it could not be started, or its thread has ended before it came to the queue
     *   STARTING ──▶ BUSY    it has come to the queue
     *   BUSY ──▶ IDLE        it has found the queue empty, and has listed itself
     *   IDLE ──▶ WOKEN       by another thread, which removes it from the list
     *   WOKEN ──▶ BUSY       it has come to the queue
     *   IDLE ──▶ BUSY        it has found work after all, and has removed itself from the list
     *   IDLE ──▶ (none)      no work came for long, there are too many workers, or the pool is closed
     *   (none) ──▶ BUSY      it was about to end for want of work, has found some, and the limit
     *                        allows one more worker
     *   BUSY ──▶ (none)      there are too many workers
     * </pre>
     *
     * <p>A worker looks at the queue after it has ceased to be woken or starting, after it has listed itself as idle,
     * and before it ends: so it sees work that is added before any of these changes. A worker that ends because there
     * are too many leaves the work to the others.
     */
    final class Worker implements Runnable {

        /** Written by the thread that starts the worker, before the start, and by the worker. */
        private volatile @Nullable Thread thread;

        /** Written under the monitor of the roster. */
        private volatile boolean woken;

        @Override
        public void run() {
            thread = Thread.currentThread();
            boolean goesOn = true;
            while (goesOn) {
                goesOn = work() && rest();
            }
        }

        /**
         * Runs work until the queue is empty. Callers must not refer to work: they may be idle for long, and would keep
         * it in memory.
         *
         * @return false if this worker ends, since there are too many
         */
        private boolean work() {
            long begunAt = platform.nanoTime();
            Runnable work = ready.poll();
            roster.arrive(this);
            if (work == null) {
                recentWork.add(0, 1);
                return true;
            }
            if (!ready.isEmpty()) {
                callNext();
                // the time to wake another worker does not count as work
                begunAt = platform.nanoTime();
            }
            long count = 0;
            while (work != null) {
                runContained(work);
                count++;
                if (roster.hasTooMany() && roster.retireBusy()) {
                    callNext();
                    return false;
                }
                work = ready.poll();
            }
            recentWork.add(platform.nanoTime() - begunAt, count);
            return true;
        }

        private void callNext() {
            try {
                callWorker();
            } catch (Throwable noThread) {
                // the workers that there are run all the work, if more slowly
                UncaughtFailures.report(noThread);
            }
        }

        private static void runContained(Runnable work) {
            // an interrupt that came between two pieces of work is not for their tasks
            Thread.interrupted();
            try {
                work.run();
            } catch (Throwable failure) {
                // the work catches what tasks throw, so this is a defect of ours, or an Error has broken an executor:
                // it must not end the worker
                UncaughtFailures.report(failure);
            }
        }

        /**
         * Waits for work.
         *
         * @return false if this worker ends instead
         */
        private boolean rest() {
            roster.becomeIdle(this);
            long deadline = platform.nanoTime() + keepAliveNanos;
            while (!woken) {
                long left = deadline - platform.nanoTime();
                if (!ready.isEmpty()) {
                    if (roster.leaveIdle(this)) {
                        return true;
                    }
                } else if (roster.hasTooMany()) {
                    if (roster.retireIdle(this)) {
                        return false;
                    }
                } else if (roster.closed || left <= 0) {
                    if (roster.endIdle(this)) {
                        // a submitter may have added work while it still saw this worker as idle
                        return !ready.isEmpty() && roster.undoEnd();
                    }
                } else {
                    // a thread that adds work from now on finds this worker idle, and wakes it
                    platform.restNanos(WorkerPool.this, left);
                    // otherwise each park would return at once
                    Thread.interrupted();
                }
            }
            return true;
        }

        void unpark() {
            platform.unpark(Objects.requireNonNull(thread));
        }
    }

    /**
     * How many workers there are and may be, which of them are idle, and how many are on their way to the queue.
     *
     * <p>All fields are written under the monitor of this object. It is held for a few instructions, and never while
     * other code runs. Submitters read the volatile fields without it, at each hand-over.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the monitor only
    final class Roster {

        /** The last worker to fall idle is woken first: its caches are warm, and the others may end. */
        @GuardedBy("this")
        private final ArrayDeque<Worker> idle = new ArrayDeque<>();

        /** How many are {@link #idle}. */
        private volatile int idleCount;

        /** The most workers there may be. */
        private volatile int threads;

        /** How many more workers there may be; if negative, how many have to end. */
        private volatile int unstarted;

        /** How many workers are woken and not at the queue yet. */
        private volatile int onTheirWay;

        /** The worker that is being started, and has not come to the queue yet; null if there is none. */
        private volatile @Nullable Worker newcomer;

        /** Whether workers that find nothing to do end at once. */
        private volatile boolean closed;

        Roster(int threads) {
            this.threads = threads;
            this.unstarted = threads;
        }

        /** Changes how many workers there may be; returns the idle ones, which may have become too many. */
        synchronized List<Worker> setThreads(int wanted) {
            unstarted += wanted - threads;
            threads = wanted;
            return List.copyOf(idle);
        }

        /** Makes each worker end that finds no work. Returns the idle workers: the caller wakes them. */
        synchronized List<Worker> close() {
            closed = true;
            return List.copyOf(idle);
        }

        // for threads that have added work

        /** Whether a worker is on its way to the queue, or all are busy and will look at it later. */
        boolean isServed() {
            return onTheirWay > 0 || (idleCount == 0 && (isStarting() || unstarted <= 0));
        }

        /** Whether there is any worker, busy or starting, that will look at the queue. */
        boolean isAnyBusy() {
            return isStarting() || unstarted < threads;
        }

        /**
         * Whether a worker is being started. The threads of some factories end before they run the worker, and nobody
         * is notified of that; so a thread that counts on the worker has to look at its thread.
         */
        private boolean isStarting() {
            Worker worker = newcomer;
            Thread thread = worker == null ? null : worker.thread;
            if (worker != null && thread != null && thread.getState() == Thread.State.TERMINATED) {
                startFailed(worker);
            }
            return newcomer != null;
        }

        /**
         * Wakes an idle worker.
         *
         * @param another whether to wake one more even if some are woken and not at the queue yet
         * @return whether a worker is on its way to the queue
         */
        boolean wake(boolean another) {
            Worker worker;
            synchronized (this) {
                worker = onTheirWay == 0 || another ? idle.pollLast() : null;
                if (worker == null) {
                    return onTheirWay > 0;
                }
                idleCount--;
                onTheirWay++;
                worker.woken = true;
            }
            worker.unpark();
            return true;
        }

        /** A new worker, for the calling thread to start; null if there may be no more, or one is being started. */
        synchronized @Nullable Worker tryBeginStart() {
            if (newcomer != null || unstarted <= 0) {
                return null;
            }
            unstarted--;
            Worker worker = new Worker();
            newcomer = worker;
            return worker;
        }

        /** Called when a worker could not be started: another one may be. */
        synchronized void startFailed(Worker worker) {
            if (newcomer == worker) {
                newcomer = null;
                unstarted++;
            }
        }

        // for workers

        /** Called when a worker has looked at the queue: from now on, submitters do not count on it. */
        void arrive(Worker worker) {
            if (worker.woken || newcomer == worker) {
                synchronized (this) {
                    onTheirWay -= worker.woken ? 1 : 0;
                    worker.woken = false;
                    newcomer = newcomer == worker ? null : newcomer;
                }
            }
        }

        /** Whether there are too many workers, so that some have to end. */
        boolean hasTooMany() {
            return unstarted < 0;
        }

        /** Ends a busy worker if there are still too many: others may have ended since the caller looked. */
        synchronized boolean retireBusy() {
            boolean tooMany = unstarted < 0;
            unstarted += tooMany ? 1 : 0;
            return tooMany;
        }

        /** Like {@link #retireBusy}, for an idle worker; also false if it has been woken. */
        synchronized boolean retireIdle(Worker worker) {
            return unstarted < 0 && endIdle(worker);
        }

        synchronized void becomeIdle(Worker worker) {
            idle.addLast(worker);
            idleCount++;
        }

        /** Removes a worker from the list of idle ones; false if it is no longer there, since it has been woken. */
        synchronized boolean leaveIdle(Worker worker) {
            boolean left = idle.removeLastOccurrence(worker);
            idleCount -= left ? 1 : 0;
            return left;
        }

        /** Like {@link #leaveIdle}, for a worker that ends, so that another one can be started in its place. */
        synchronized boolean endIdle(Worker worker) {
            boolean left = leaveIdle(worker);
            unstarted += left ? 1 : 0;
            return left;
        }

        /**
         * Lets a worker that {@link #endIdle} has ended become busy; false if the other workers have reached the limit
         * meanwhile: they will look at the queue.
         */
        synchronized boolean undoEnd() {
            boolean free = unstarted > 0;
            unstarted -= free ? 1 : 0;
            return free;
        }
    }

    /**
     * The recent average time for which a piece of work keeps a worker busy; it decides whether a submitter wakes one
     * more worker while others are on their way. This is a moving mean, in which all work of one worker between two
     * rests counts for an eighth. A worker that was woken for nothing counts as work of no length, so needless wake-ups
     * soon become fewer.
     */
    static final class RecentWork {

        /** About how long it takes to wake a thread, in nanoseconds. */
        private static final long WAKE_UP_NANOS = 5_000;

        /** A longer time counts as this one: perhaps the thread only had no core. */
        private static final long LONGEST_NANOS = 4 * WAKE_UP_NANOS;

        private static final int WEIGHT = 8;

        /** Written by workers before they rest, and read by submitters. Updates may be lost: more will come. */
        private volatile long meanNanos;

        /**
         * Adds the work that a worker has run since its last rest.
         *
         * @param nanos how long that took
         * @param count how many pieces of work it was, at least one
         */
        void add(long nanos, long count) {
            long mean = meanNanos;
            meanNanos = mean + (Math.min(nanos / count, LONGEST_NANOS) - mean) / WEIGHT;
        }

        /** Whether a piece of work keeps a worker busy for longer than it takes to wake another one. */
        boolean isLong() {
            return meanNanos > WAKE_UP_NANOS;
        }
    }
}
