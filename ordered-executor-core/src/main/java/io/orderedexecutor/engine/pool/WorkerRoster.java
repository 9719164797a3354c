package io.orderedexecutor.engine.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How many workers a pool has and may have, which of them are idle, and how many are on their way to the queue: those
 * that are <em>woken</em> and not yet there, and one that is <em>started</em> and not yet there.
 *
 * <p>All changes are made under a lock, but for those that say otherwise; it is held for a few instructions. What a
 * submitter has to know before each hand-over is read without it.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // what is counted up and down is written under the lock only
public final class WorkerRoster {
    private static final AtomicIntegerFieldUpdater<WorkerRoster> ON_THEIR_WAY =
            AtomicIntegerFieldUpdater.newUpdater(WorkerRoster.class, "onTheirWay");

    /** Never held while foreign code runs. Tests make it contended. */
    public final ReentrantLock lock = new ReentrantLock();

    private final Platform platform;

    /** The last one to fall idle is called first: its caches are warm, and the others may end. */
    @GuardedBy("lock")
    private final IdleWorkers idle = new IdleWorkers();

    /** How many are {@link #idle}. Written under {@link #lock}, read by all. */
    private volatile int idleCount;

    /** The most workers there may be. Written under {@link #lock}, read by all. */
    private volatile int threads;

    /**
     * How many more workers there may be; negative if so many have to end. Written under {@link #lock}, read by all.
     */
    private volatile int unstarted;

    /**
     * How many workers are woken and not at the queue yet. Counted up under {@link #lock}, and down by each worker when
     * it is there, atomically.
     */
    private volatile int onTheirWay;

    /** Whether a worker is started and not at the queue yet. Set under {@link #lock}, cleared by it, or if it fails. */
    private volatile boolean starting;

    /**
     * The thread of the worker that is being started. Written by the one who starts it, and cleared by the worker
     * before it clears {@link #starting}, or under {@link #lock} if it fails.
     */
    private volatile @Nullable Thread newcomer;

    /** Workers that find nothing to do end at once. Written under {@link #lock}, read by workers. */
    private volatile boolean closed;

    WorkerRoster(int threads, Platform platform) {
        this.platform = platform;
        this.threads = threads;
        this.unstarted = threads;
    }

    /**
     * Takes the lock. A thread that has to wait for it needs memory, and one that cannot wait would lose the place of a
     * worker; so it tries again.
     */
    private void acquire() {
        for (int tries = 0; !lock.tryLock(); tries++) {
            try {
                lock.lock();
                return;
            } catch (OutOfMemoryError noMemory) {
                platform.awaitMemory(tries);
            }
        }
    }

    int threads() {
        return threads;
    }

    /** Changes how many workers there may be, and lets all that are idle look whether they are too many. */
    void setThreads(int threads) {
        List<Worker> sleepers;
        acquire();
        try {
            unstarted += threads - this.threads;
            this.threads = threads;
            sleepers = idle.all();
        } finally {
            lock.unlock();
        }
        sleepers.forEach(Worker::unpark);
    }

    /** Lets each worker end as soon as it finds nothing to do. */
    void close() {
        List<Worker> sleepers;
        acquire();
        try {
            closed = true;
            sleepers = idle.all();
        } finally {
            lock.unlock();
        }
        sleepers.forEach(Worker::unpark);
    }

    boolean isClosed() {
        return closed;
    }

    // those who have added work

    /** Whether a worker is on its way to the queue, or all are busy and come to it later. */
    boolean isServed() {
        return onTheirWay > 0 || (idleCount == 0 && (isStarting() || unstarted <= 0));
    }

    boolean isAnyIdle() {
        return idleCount > 0;
    }

    /** How many workers are woken and not at the queue yet. */
    int onTheirWay() {
        return onTheirWay;
    }

    /** Whether a worker that is busy or being started will come to the queue. */
    boolean isAnyBusy() {
        return isStarting() || unstarted < threads;
    }

    private boolean isStarting() {
        return starting && !hasNewcomerFailed();
    }

    /**
     * Gives the place of a worker to others whose thread has ended before it ran the worker, as the threads of some
     * factories do. Nothing reports that; a submitter that counts on the worker has to look.
     */
    private boolean hasNewcomerFailed() {
        Thread thread = newcomer;
        if (thread == null || thread.getState() != Thread.State.TERMINATED) {
            return false;
        }
        acquire();
        try {
            boolean failed = newcomer == thread;
            if (failed) {
                giveBackStart();
            }
            return failed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Wakes an idle worker.
     *
     * @param another whether to wake one more if one is woken and not at the queue yet
     * @return whether one is on its way to the queue
     */
    boolean wake(boolean another) {
        Worker worker;
        acquire();
        try {
            if (onTheirWay > 0 && !another) {
                return true;
            }
            worker = idle.pollLast();
            if (worker == null) {
                return onTheirWay > 0;
            }
            idleCount--;
            ON_THEIR_WAY.incrementAndGet(this);
            worker.call();
        } finally {
            lock.unlock();
        }
        worker.unpark();
        return true;
    }

    /** Takes the place of a worker that is to be started, if there is one. */
    boolean tryBeginStart() {
        acquire();
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

    /** To be called before the thread of a new worker is started. */
    void starts(Thread thread) {
        newcomer = thread;
    }

    /** Gives back the place of a worker that could not be started. */
    void startFailed() {
        acquire();
        try {
            giveBackStart();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void giveBackStart() {
        newcomer = null;
        unstarted++;
        starting = false;
    }

    // workers

    /** A worker that was woken is at the queue: submitters no longer count on it to come. */
    void wokenArrived() {
        ON_THEIR_WAY.decrementAndGet(this);
    }

    /** As {@link #wokenArrived}, for one that was started. */
    void startedArrived() {
        newcomer = null;
        starting = false;
    }

    /** Whether some worker has to end, since there are too many. */
    boolean hasTooMany() {
        return unstarted < 0;
    }

    /** Ends a busy worker, if there are still too many: others may be about to do the same. */
    boolean retireBusy() {
        acquire();
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

    /** As {@link #retireBusy}, for an idle one; false, too, if it has been woken. */
    boolean retireIdle(Worker worker) {
        acquire();
        try {
            boolean retires = unstarted < 0 && idle.remove(worker);
            if (retires) {
                idleCount--;
                unstarted++;
            }
            return retires;
        } finally {
            lock.unlock();
        }
    }

    void becomeIdle(Worker worker) {
        acquire();
        try {
            idle.addLast(worker);
            idleCount++;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a worker from the list of the idle.
     *
     * @param forever whether it ends, so that another can be started in its place
     * @return false if it is not there any more: it has been woken
     */
    boolean leaveIdle(Worker worker, boolean forever) {
        acquire();
        try {
            boolean left = idle.remove(worker);
            if (left) {
                idleCount--;
                unstarted += forever ? 1 : 0;
            }
            return left;
        } finally {
            lock.unlock();
        }
    }

    /** Goes on instead of ending; false if all places are taken, by workers that will look at the queue. */
    boolean takePlaceAgain() {
        acquire();
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
}
