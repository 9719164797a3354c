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
 * The threads of an executor's own: as many workers as are needed, up to a limit, serve one queue in order.
 *
 * <p>One queue for all makes the service fair and leaves no worker idle beside ready work. Waking threads is expensive.
 * So a submitter that can count on a worker that is <em>woken</em> or <em>started</em>, and not yet at the queue, adds
 * its work and is done; the worker that arrives calls the next one if it leaves something behind. The same throttle is
 * known from {@link java.util.concurrent.ForkJoinPool} and Go's scheduler. It is right for a burst of short tasks: one
 * worker has run them before a second one comes. If work has lately kept workers busy for longer than that, as
 * {@link RecentWork} tells, a submitter wakes one more worker if those on their way are fewer than what waits.
 *
 * <p>No work is left alone. A thread that adds work looks afterwards for a worker that is woken or starting, or calls
 * one, unless all are busy; see {@link Worker} for when a worker looks at the queue. If a thread cannot be started and
 * there is no other, the thread that tried leaves to the {@link Helper} the work that others may have left to the new
 * worker.
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

    /** Adds work and sees to it that some thread comes for it. */
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
            leaveAllToHelper();
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
            // no submitter is there to be told, and the work was accepted
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
        // workers that are too many end, and those that are missing are started
        roster.setThreads(threads).forEach(Worker::unpark);
        if (!ready.isEmpty()) {
            try {
                callWorker();
            } catch (Throwable noThread) {
                if (!wakeOrFindBusyWorker()) {
                    leaveAllToHelper();
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

    /** Wakes or starts a worker, unless those that are on their way will do, or all are busy. */
    private void callWorker() {
        boolean another = isAnotherWanted();
        if ((another || !roster.isServed()) && !roster.wake(another)) {
            Worker worker = roster.tryBeginStart();
            if (worker != null) {
                start(worker);
            }
        }
    }

    /** Whether an idle worker should come although others are on their way: those have enough to do. */
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

    /** After a worker could not be started: whether another one will come to the queue. */
    private boolean wakeOrFindBusyWorker() {
        return roster.wake(false) || roster.isAnyBusy();
    }

    /** Called when no worker comes: threads that saw the new worker being started have left work to it. */
    private void leaveAllToHelper() {
        for (Runnable work = ready.poll(); work != null; work = ready.poll()) {
            helper.add(work);
        }
    }

    /**
     * What a thread of the pool does: it runs what is ready, and sleeps when nothing is.
     *
     * <pre>
     *   (none) ──▶ STARTING  by a submitter or another worker, if none is idle, woken or starting
     *   STARTING ──▶ BUSY    it has come to the queue
     *   BUSY ──▶ IDLE        it has found the queue empty, and has listed itself
     *   IDLE ──▶ WOKEN       by a submitter or another worker, who takes it from the list
     *   WOKEN ──▶ BUSY       it has come to the queue
     *   IDLE ──▶ BUSY        it has found work after all, and has taken itself from the list
     *   IDLE ──▶ (none)      it has waited in vain, there are too many, or the pool is closed
     *   BUSY ──▶ (none)      there are too many
     * </pre>
     *
     * <p>It looks at the queue when it has ceased to be woken or starting, when it has listed itself as idle, and
     * before it ends: what is added before any of these is not left alone.
     */
    final class Worker implements Runnable {

        /** Written by the thread that starts the worker, before it does, and by the worker. */
        private volatile @Nullable Thread thread;

        /** Whether it is woken. Written under the lock of the roster. */
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
         * Runs what is ready. No frame below this one may refer to work that is done: this thread may be idle there for
         * long.
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
                // to wake another worker is no work
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
                // this worker serves all that is ready, if more slowly
                UncaughtFailures.report(noThread);
            }
        }

        private static void runContained(Runnable work) {
            // an interrupt that comes between two pieces of work is meant for none of their tasks
            Thread.interrupted();
            try {
                work.run();
            } catch (Throwable failure) {
                // work contains what tasks throw, and so this is a defect of ours: it must not cost a worker
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
                        // for what came while this worker was still listed as idle
                        return !ready.isEmpty() && roster.takePlaceAgain();
                    }
                } else {
                    // a thread that adds work from here on finds this worker idle, and wakes it
                    platform.restNanos(WorkerPool.this, left);
                    // an interrupt would make each park return at once
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
     * <p>All fields are written under the monitor of this object, which is held for a few instructions and never while
     * other code runs. The fields that a submitter needs before each hand-over are read without it.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the monitor only
    final class Roster {

        /** The last one to fall idle is woken first: its caches are warm, and the others may end. */
        @GuardedBy("this")
        private final ArrayDeque<Worker> idle = new ArrayDeque<>();

        /** How many are {@link #idle}. */
        private volatile int idleCount;

        /** The most workers there may be. */
        private volatile int threads;

        /** How many more workers there may be; negative if so many have to end. */
        private volatile int unstarted;

        /** How many workers are woken and not at the queue yet. */
        private volatile int onTheirWay;

        /** The worker that is started and not at the queue yet. */
        private volatile @Nullable Worker newcomer;

        /** Whether workers that find nothing to do end at once. */
        private volatile boolean closed;

        Roster(int threads) {
            this.threads = threads;
            this.unstarted = threads;
        }

        /**
         * Changes how many workers there may be; returns the idle ones, which have to look whether they are too many.
         */
        synchronized List<Worker> setThreads(int wanted) {
            unstarted += wanted - threads;
            threads = wanted;
            return List.copyOf(idle);
        }

        /** Returns the idle workers, which have to end. */
        synchronized List<Worker> close() {
            closed = true;
            return List.copyOf(idle);
        }

        // for threads that have added work

        /** Whether a worker is on its way to the queue, or all are busy and come to it later. */
        boolean isServed() {
            return onTheirWay > 0 || (idleCount == 0 && (isStarting() || unstarted <= 0));
        }

        /** Whether a worker that is busy or being started will come to the queue. */
        boolean isAnyBusy() {
            return isStarting() || unstarted < threads;
        }

        /**
         * Whether a worker is being started. The threads of some factories end before they run the worker, and no event
         * tells of that; so a thread that counts on the worker has to look.
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
         * @param another whether to wake one more if one is woken and not at the queue yet
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

        /** A worker that is to be started, if there may be one more. */
        synchronized @Nullable Worker tryBeginStart() {
            if (newcomer != null || unstarted <= 0) {
                return null;
            }
            unstarted--;
            Worker worker = new Worker();
            newcomer = worker;
            return worker;
        }

        /** Gives back the place of a worker that could not be started. */
        synchronized void startFailed(Worker worker) {
            if (newcomer == worker) {
                newcomer = null;
                unstarted++;
            }
        }

        // for workers

        /** A worker is at the queue: from now on, submitters do not count on it to come. */
        void arrive(Worker worker) {
            if (worker.woken || newcomer == worker) {
                synchronized (this) {
                    onTheirWay -= worker.woken ? 1 : 0;
                    worker.woken = false;
                    newcomer = newcomer == worker ? null : newcomer;
                }
            }
        }

        /** Whether some worker has to end, since there are too many. */
        boolean hasTooMany() {
            return unstarted < 0;
        }

        /** Ends a busy worker, if there are still too many: others may be about to do the same. */
        synchronized boolean retireBusy() {
            boolean tooMany = unstarted < 0;
            unstarted += tooMany ? 1 : 0;
            return tooMany;
        }

        /** As {@link #retireBusy}, for an idle one; false, too, if it has been woken. */
        synchronized boolean retireIdle(Worker worker) {
            return unstarted < 0 && endIdle(worker);
        }

        synchronized void becomeIdle(Worker worker) {
            idle.addLast(worker);
            idleCount++;
        }

        /** Takes a worker from the list of the idle; false if it is not there any more: it has been woken. */
        synchronized boolean leaveIdle(Worker worker) {
            boolean left = idle.removeLastOccurrence(worker);
            idleCount -= left ? 1 : 0;
            return left;
        }

        /** As {@link #leaveIdle}, for a worker that ends, so that another one can be started in its place. */
        synchronized boolean endIdle(Worker worker) {
            boolean left = leaveIdle(worker);
            unstarted += left ? 1 : 0;
            return left;
        }

        /** Goes on instead of ending; false if all places are taken, by workers that will look at the queue. */
        synchronized boolean takePlaceAgain() {
            boolean free = unstarted > 0;
            unstarted -= free ? 1 : 0;
            return free;
        }
    }

    /**
     * For how long a piece of work has kept workers busy of late, and so whether the next one is worth a wake-up: a
     * moving mean, in which all that a worker has run between two rests counts for an eighth. A worker that is woken in
     * vain counts as work of no length, so needless wake-ups soon become fewer.
     */
    static final class RecentWork {

        /** About how long it takes to wake a thread, in nanoseconds. */
        private static final long WAKE_UP_NANOS = 5_000;

        /** A longer time counts as this one: perhaps the thread was only without a processor. */
        private static final long LONGEST_NANOS = 4 * WAKE_UP_NANOS;

        private static final int WEIGHT = 8;

        /** Written by workers before they rest, and read by submitters. Updates may be lost: more will come. */
        private volatile long meanNanos;

        /**
         * Adds the work that a worker has run since it rested.
         *
         * @param nanos how long that took
         * @param count how many pieces of work that were, at least one
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
