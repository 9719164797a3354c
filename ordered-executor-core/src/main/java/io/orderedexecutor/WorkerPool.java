package io.orderedexecutor;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an executor's own: one queue of chains that wait for a thread, served in order by as many workers as are
 * needed, up to a limit.
 *
 * <p>One queue for all makes the service fair and leaves no worker idle beside ready work. What is expensive is waking
 * threads, so at most one worker at a time is <em>on its way</em> (started or woken, and not yet at the queue). A
 * submitter that sees one adds its chain and is done; the worker that arrives wakes the next one if it leaves
 * something behind. The same throttle is known from {@link java.util.concurrent.ForkJoinPool} and Go's scheduler.
 *
 * <p>States of a worker:
 *
 * <pre>
 *   (none) ─▶ ON_ITS_WAY   started by a submitter or by another worker
 *   ON_ITS_WAY ─▶ BUSY     it has come to the queue
 *   BUSY ─▶ IDLE           it has found the queue empty; it is listed in {@code idle}
 *   IDLE ─▶ ON_ITS_WAY     woken: whoever takes it out of {@code idle} unparks it
 *   IDLE ─▶ BUSY           it has taken itself out again, since a chain came in between
 *   IDLE ─▶ (none)         it has waited in vain, or the pool is closed
 * </pre>
 *
 * <p>No chain is left alone: who adds one looks afterwards whether a worker is on its way or can be called; a worker
 * looks at the queue again after it has ceased to be on its way, and after it has listed itself as idle.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // what is counted up and down is written under the lock only
final class WorkerPool implements Workers {
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Queue<Chain> ready = new ConcurrentLinkedQueue<>();
    private final ThreadFactory threadFactory;
    private final Turn turn;

    /** The most workers there may be. */
    private final int threads;

    /** Guards what says so; held for a few instructions, and never while foreign code runs. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. The last one to fall idle is called first: its caches are warm, and the others may end. */
    private final Deque<Worker> idle = new ArrayDeque<>();

    /** How many workers can be called: idle, or not started yet. Written under {@link #lock}, read by all. */
    private volatile int callable;

    /** Whether a worker is on its way. Set under {@link #lock}, cleared by that worker. */
    private volatile boolean onItsWay;

    /** Workers that find nothing to do end at once. Written under {@link #lock}. */
    private volatile boolean closed;

    WorkerPool(int threads, ThreadFactory threadFactory, Turn turn) {
        this.threads = threads;
        this.threadFactory = threadFactory;
        this.turn = turn;
        this.callable = threads;
    }

    @Override
    public void handOver(Chain chain) {
        ready.add(chain);
        try {
            callWorker();
        } catch (RuntimeException | Error noThread) {
            if (isDeserted() && ready.remove(chain)) {
                // others may have relied on the worker that could not be started
                runAll();
                throw noThread;
            }
        }
    }

    @Override
    public boolean passOn(Chain chain) {
        try {
            handOver(chain);
            return true;
        } catch (RuntimeException | Error refusal) {
            // no submitter is there to be told, and the tasks were accepted: the thread at hand serves them
            return false;
        }
    }

    @Override
    public boolean isWantedElsewhere() {
        return !ready.isEmpty();
    }

    @Override
    public Turn turn() {
        return turn;
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

    /** Wakes or starts a worker, unless one is on its way or all are busy. */
    private void callWorker() {
        if (onItsWay || callable == 0) {
            return;
        }
        Worker worker;
        lock.lock();
        try {
            if (onItsWay || callable == 0) {
                return;
            }
            onItsWay = true;
            callable--;
            worker = idle.pollLast();
            if (worker != null) {
                worker.called = true;
            }
        } finally {
            lock.unlock();
        }
        if (worker != null) {
            worker.unpark();
        } else {
            startWorker();
        }
    }

    private void startWorker() {
        boolean started = false;
        try {
            Thread thread = threadFactory.newThread(new Worker());
            if (thread == null) {
                throw new RejectedExecutionException("the thread factory " + threadFactory + " returned no thread");
            }
            thread.start();
            started = true;
        } finally {
            if (!started) {
                lock.lock();
                try {
                    callable++;
                    onItsWay = false;
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    private boolean isDeserted() {
        return callable == threads;
    }

    private void runAll() {
        for (Chain chain = ready.poll(); chain != null; chain = ready.poll()) {
            chain.run();
        }
    }

    private final class Worker implements Runnable {

        /** Written by the worker before it is first listed in {@link #idle}. */
        private @Nullable Thread thread;

        /** Set under {@link #lock} by the one who takes this worker out of {@link #idle}. */
        private volatile boolean called = true;

        @Override
        public void run() {
            thread = Thread.currentThread();
            do {
                if (called) {
                    arrive();
                }
                runAllContained();
                becomeIdle();
            } while (takeBackIfReady() || awaitCall());
        }

        /** Ceases to be on its way, and sees to it that what it leaves behind finds the next one. */
        private void arrive() {
            called = false;
            Chain first = ready.poll();
            onItsWay = false;
            if (first != null) {
                if (!ready.isEmpty()) {
                    callNext();
                }
                runContained(first);
            }
        }

        private void callNext() {
            try {
                callWorker();
            } catch (RuntimeException | Error noThread) {
                // this worker serves all that is ready, if more slowly
                UncaughtFailures.report(noThread);
            }
        }

        private void runAllContained() {
            for (Chain chain = ready.poll(); chain != null; chain = ready.poll()) {
                runContained(chain);
            }
        }

        private void runContained(Chain chain) {
            try {
                chain.run();
            } catch (Throwable failure) {
                // a chain contains what tasks throw; memory or stack may run out on the way all the same
                UncaughtFailures.report(failure);
            }
        }

        private void becomeIdle() {
            lock.lock();
            try {
                idle.addLast(this);
                callable++;
            } finally {
                lock.unlock();
            }
        }

        /** Goes back to work for a chain whose submitter has looked for a worker before this one was idle. */
        private boolean takeBackIfReady() {
            if (ready.isEmpty()) {
                return false;
            }
            lock.lock();
            try {
                boolean mine = idle.remove(this);
                if (mine) {
                    callable--;
                }
                return mine;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Sleeps until it is called.
         *
         * @return false if this worker ends instead
         */
        private boolean awaitCall() {
            long deadline = System.nanoTime() + KEEP_ALIVE_NANOS;
            while (!called) {
                long left = deadline - System.nanoTime();
                if ((closed || left <= 0) && leaveIdle()) {
                    return false;
                }
                if (!called) {
                    LockSupport.parkNanos(WorkerPool.this, Math.max(left, 1));
                    // nobody can mean this thread with an interrupt now, and it would make each park return at once
                    Thread.interrupted();
                }
            }
            return true;
        }

        /** Ends this worker, if nobody has called it; another can be started in its place. */
        private boolean leaveIdle() {
            lock.lock();
            try {
                return idle.remove(this);
            } finally {
                lock.unlock();
            }
        }

        void unpark() {
            LockSupport.unpark(thread);
        }
    }
}
