package io.orderedexecutor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an executor's own: one queue of chains that wait for a thread, served in order by as many workers as
 * are needed, up to a limit.
 *
 * <p>One queue for all makes the service fair and leaves no worker idle beside ready work. What is expensive is waking
 * threads, so at most one worker at a time is <em>woken</em> and not yet at the queue, and at most one is being
 * <em>started</em>. A submitter that can count on one of them adds its chain and is done; the worker that arrives calls
 * the next one if it leaves something behind. The same throttle is known from {@link java.util.concurrent.ForkJoinPool}
 * and Go's scheduler.
 *
 * <p>States of a worker:
 *
 * <pre>
 *   (none) ──▶ STARTING  by a submitter or another worker, if none is idle, woken or starting
 *   STARTING ──▶ BUSY    it has come to the queue
 *   BUSY ──▶ IDLE        it has found the queue empty, and has listed itself
 *   IDLE ──▶ WOKEN       by a submitter or another worker, who takes it from the list
 *   WOKEN ──▶ BUSY       it has come to the queue
 *   IDLE ──▶ BUSY        it has found a chain after all, and has taken itself from the list
 *   IDLE ──▶ (none)      it has waited in vain, there are too many, or the pool is closed
 *   BUSY ──▶ (none)      there are too many, and its turn is over
 * </pre>
 *
 * <p>No chain is left alone: who adds one looks afterwards for a worker that is woken or starting, or calls one, unless
 * all are busy. A worker looks at the queue when it has ceased to be woken or starting, when it has listed itself as
 * idle, and before it ends. If a thread cannot be started, the one who tried sees to all that others may have left to
 * it.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // what is counted up and down is written under the lock only
final class WorkerPool implements Workers {
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ReadyQueue<Runnable> ready = new ReadyQueue<>();
    private final Platform platform;
    private final ThreadFactory threadFactory;
    private final long keepAliveNanos;
    private volatile Turn turn;

    /** The most workers there may be. Written under {@link #lock}, read by all. */
    private volatile int threads;

    /** Guards what says so; held for a few instructions, and never while foreign code runs. Tests make it contended. */
    final ReentrantLock lock = new ReentrantLock();

    /**
     * Guarded by {@link #lock}. The last one to fall idle is called first: its caches are warm, and the others may end.
     */
    private final Deque<Worker> idle = new ArrayDeque<>();

    /** The size of {@link #idle}. Written under {@link #lock}, read by all. */
    private volatile int idleCount;

    /**
     * How many more workers there may be; negative if so many have to end. Written under {@link #lock}, read by all.
     */
    private volatile int unstarted;

    /** Whether a worker is woken and not at the queue yet. Set under {@link #lock}, cleared by that worker. */
    private volatile boolean waking;

    /** Whether a worker is started and not at the queue yet. Set under {@link #lock}, cleared by it, or if it fails. */
    private volatile boolean starting;

    /**
     * The thread of the worker that is being started. Written by the one who starts it, and cleared by the worker
     * before it clears {@link #starting}, or under {@link #lock} if it fails.
     */
    private volatile @Nullable Thread newcomer;

    /** Whether a thread that has failed to start a worker is running what others have left to it. */
    private final ThreadLocal<Boolean> runningAll = ThreadLocal.withInitial(() -> false);

    /** Workers that find nothing to do end at once. Written under {@link #lock}. */
    private volatile boolean closed;

    WorkerPool(int threads, ThreadFactory threadFactory, Turn turn, Platform platform) {
        this(threads, threadFactory, turn, platform, KEEP_ALIVE_NANOS);
    }

    WorkerPool(int threads, ThreadFactory threadFactory, Turn turn, Platform platform, long keepAliveNanos) {
        this.platform = platform;
        this.threads = threads;
        this.threadFactory = threadFactory;
        this.keepAliveNanos = keepAliveNanos;
        this.turn = turn;
        this.unstarted = threads;
    }

    @Override
    public void handOver(Runnable work) {
        handOver(work, false);
    }

    /**
     * Adds work and sees to it that some thread comes for it.
     *
     * @param keeps whether this thread may keep it for later, if it is running all that is ready
     */
    private void handOver(Runnable work, boolean keeps) {
        ready.add(work);
        try {
            callWorker();
        } catch (Throwable noThread) {
            if (wakeOrFindBusyWorker()) {
                UncaughtFailures.report(noThread);
                return;
            }
            boolean isInLoop = runningAll.get();
            if (isInLoop && keeps) {
                return;
            }
            boolean refused = ready.remove(work);
            // not one loop within the other, however much is ready
            if (!isInLoop) {
                runAll();
            }
            if (refused) {
                throw noThread;
            }
        }
    }

    @Override
    public boolean passOn(Runnable work) {
        try {
            handOver(work, true);
            return true;
        } catch (Throwable refusal) {
            // no submitter is there to be told, and the tasks were accepted: the thread at hand serves them
            return false;
        }
    }

    @Override
    public void runElsewhere(Runnable work) {
        ready.add(work);
        try {
            callWorker();
        } catch (Throwable noThread) {
            if (!wakeOrFindBusyWorker()) {
                // what others have left to the thread that could not be started is there too
                platform.runAsync(this::runAll);
            }
        }
    }

    @Override
    public boolean isWantedElsewhere() {
        return !ready.isEmpty();
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
        return threads;
    }

    @Override
    public void setThreads(int threads) {
        List<Worker> sleepers;
        lock.lock();
        try {
            unstarted += threads - this.threads;
            this.threads = threads;
            sleepers = List.copyOf(idle);
        } finally {
            lock.unlock();
        }
        // those that are too many end; those that are missing are started
        sleepers.forEach(Worker::unpark);
        if (!ready.isEmpty()) {
            callWorkerOrRunAll();
        }
    }

    /** For a thread that has added nothing itself. */
    private void callWorkerOrRunAll() {
        try {
            callWorker();
        } catch (Throwable noThread) {
            // those who have seen that a worker was being started have left theirs to it
            if (!wakeOrFindBusyWorker() && !runningAll.get()) {
                runAll();
            }
            throw noThread;
        }
    }

    /** Lets every thread end as soon as it finds nothing to do. */
    void close() {
        List<Worker> sleepers;
        lock.lock();
        try {
            closed = true;
            sleepers = List.copyOf(idle);
        } finally {
            lock.unlock();
        }
        sleepers.forEach(Worker::unpark);
    }

    /** Wakes or starts a worker, unless one is on its way already or all are busy. */
    private void callWorker() {
        if (waking || (idleCount == 0 && ((starting && !hasNewcomerFailed()) || unstarted <= 0))) {
            return;
        }
        if (!wakeWorker() && mayStartWorker()) {
            startWorker();
        }
    }

    /**
     * Gives the place of a worker to others whose thread has ended before it ran the worker, as the threads of some
     * factories do. Nobody hears of that; who counts on the worker has to look.
     */
    private boolean hasNewcomerFailed() {
        Thread thread = newcomer;
        if (thread == null || thread.getState() != Thread.State.TERMINATED) {
            return false;
        }
        lock.lock();
        try {
            boolean failed = newcomer == thread;
            if (failed) {
                newcomer = null;
                unstarted++;
                starting = false;
            }
            return failed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Wakes an idle worker.
     *
     * @return whether one is woken now
     */
    private boolean wakeWorker() {
        Worker worker;
        lock.lock();
        try {
            if (waking) {
                return true;
            }
            worker = idle.pollLast();
            if (worker == null) {
                return false;
            }
            idleCount--;
            waking = true;
            worker.called = true;
        } finally {
            lock.unlock();
        }
        worker.unpark();
        return true;
    }

    private boolean mayStartWorker() {
        lock.lock();
        try {
            boolean may = !starting && unstarted > 0;
            if (may) {
                unstarted--;
                starting = true;
            }
            return may;
        } finally {
            lock.unlock();
        }
    }

    private void startWorker() {
        boolean started = false;
        try {
            Thread thread = threadFactory.newThread(new Worker());
            if (thread == null) {
                throw new RejectedExecutionException("the thread factory " + threadFactory + " returned no thread");
            }
            newcomer = thread;
            platform.start(thread);
            started = true;
        } finally {
            if (!started) {
                lock.lock();
                try {
                    newcomer = null;
                    unstarted++;
                    starting = false;
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    /** After a worker could not be started: whether there is another one that will come to the queue. */
    private boolean wakeOrFindBusyWorker() {
        return wakeWorker() || (starting && !hasNewcomerFailed()) || unstarted < threads;
    }

    private void runAll() {
        runningAll.set(true);
        try {
            for (Runnable work = ready.poll(); work != null; work = ready.poll()) {
                work.run();
            }
        } finally {
            runningAll.remove();
        }
    }

    private final class Worker implements Runnable {

        /** Written by the worker before it is first listed in {@link #idle}. */
        private @Nullable Thread thread;

        /** Whether it has been started and not come to the queue. Used by the worker only. */
        private boolean fresh = true;

        /** Whether it is idle: listed, or about to end. Used by the worker only. */
        private boolean resting;

        /** Set under {@link #lock} by the one who takes this worker out of {@link #idle}; cleared by the worker. */
        private volatile boolean called;

        @Override
        public void run() {
            thread = Thread.currentThread();
            for (boolean ends = false; !ends; ) {
                try {
                    ends = workOrRest();
                } catch (Throwable failure) {
                    // there was no memory: the place of this worker must not be lost
                    UncaughtFailures.report(failure);
                }
            }
        }

        /** Returns whether this worker ends. */
        private boolean workOrRest() {
            if (!resting) {
                if (work()) {
                    return true;
                }
                becomeIdle();
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
            Runnable work = ready.poll();
            arrive();
            if (work != null && !ready.isEmpty()) {
                callNext();
            }
            while (work != null) {
                runContained(work);
                if (unstarted < 0 && isOneTooMany()) {
                    callNext();
                    return true;
                }
                work = ready.poll();
            }
            return false;
        }

        private boolean isOneTooMany() {
            lock.lock();
            try {
                boolean tooMany = unstarted < 0;
                if (tooMany) {
                    unstarted++;
                }
                return tooMany;
            } finally {
                lock.unlock();
            }
        }

        /** From now on, submitters no longer count on this worker to come. */
        private void arrive() {
            if (called) {
                called = false;
                waking = false;
            } else if (fresh) {
                fresh = false;
                newcomer = null;
                starting = false;
            }
        }

        private void becomeIdle() {
            lock.lock();
            try {
                idle.addLast(this);
                idleCount++;
            } finally {
                lock.unlock();
            }
        }

        private void callNext() {
            try {
                callWorker();
            } catch (Throwable noThread) {
                // this worker serves all that is ready, if more slowly
                UncaughtFailures.report(noThread);
            }
        }

        private void runContained(Runnable work) {
            // nobody can mean this thread with an interrupt before it serves the chain
            Thread.interrupted();
            try {
                work.run();
            } catch (Throwable failure) {
                // a chain contains what tasks throw; memory or stack may run out on the way all the same
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
                    if (leaveIdle(false)) {
                        return true;
                    }
                } else if (unstarted < 0) {
                    // in vain if it is called: the lock may then have used up the unpark, so it must not park before it
                    // looks
                    if (retire()) {
                        return false;
                    }
                } else if (closed || left <= 0) {
                    if (leaveIdle(true)) {
                        // for what came while this worker was still listed as idle
                        return !ready.isEmpty() && takePlaceAgain();
                    }
                } else {
                    // who adds a chain from here on finds this worker idle, and wakes it
                    platform.parkNanos(WorkerPool.this, left);
                    // an interrupt would make each park return at once
                    Thread.interrupted();
                }
            }
            return true;
        }

        /**
         * Takes this worker from the list of the idle.
         *
         * @param forever whether it ends, so that another can be started in its place
         * @return false if it is not there any more: somebody has woken it
         */
        private boolean leaveIdle(boolean forever) {
            lock.lock();
            try {
                boolean left = idle.remove(this);
                if (left) {
                    idleCount--;
                    unstarted += forever ? 1 : 0;
                }
                return left;
            } finally {
                lock.unlock();
            }
        }

        /** Ends this worker, if there are still too many: others may be about to do the same. */
        private boolean retire() {
            lock.lock();
            try {
                boolean retires = unstarted < 0 && idle.remove(this);
                if (retires) {
                    idleCount--;
                    unstarted++;
                }
                return retires;
            } finally {
                lock.unlock();
            }
        }

        /** Goes on instead of ending; false if all places are taken, by workers that will look at the queue. */
        private boolean takePlaceAgain() {
            lock.lock();
            try {
                boolean free = unstarted > 0;
                if (free) {
                    unstarted--;
                }
                return free;
            } finally {
                lock.unlock();
            }
        }

        void unpark() {
            platform.unpark(Objects.requireNonNull(thread));
        }
    }
}
