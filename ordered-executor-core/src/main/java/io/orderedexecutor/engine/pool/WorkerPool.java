package io.orderedexecutor.engine.pool;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The threads of an executor's own: one queue of strands that wait for a thread, served in order by as many workers as
 * are needed, up to a limit.
 *
 * <p>One queue for all makes the service fair and leaves no worker idle beside ready work. What is expensive is waking
 * threads, so a submitter that can count on a worker that is <em>woken</em> or <em>started</em>, and not yet at the
 * queue, adds its strand and is done; the worker that arrives calls the next one if it leaves something behind. The
 * same throttle is known from {@link java.util.concurrent.ForkJoinPool} and Go's scheduler. It is right for a burst of
 * short tasks: one worker has run them before a second one comes. If strands have lately kept workers busy for longer
 * than that, as {@link RecentWork} tells, each strand beyond those that woken workers come for wakes one more.
 *
 * <p>No strand is left alone: who adds one looks afterwards for a worker that is woken or starting, or calls one,
 * unless all are busy; see {@link Worker} for when a worker looks at the queue. If a thread cannot be started, the one
 * who tried sees to all that others may have left to it.
 */
public final class WorkerPool implements Workers {
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final ReadyQueue<Runnable> ready = new ReadyQueue<>();
    private final ThreadFactory threadFactory;
    private final Platform platform;
    private final long keepAliveNanos;

    /** The workers. Tests make its lock contended. */
    public final WorkerRoster roster;

    private final RecentWork recentWork = new RecentWork();

    private volatile Turn turn;

    /** Whether a thread that has failed to start a worker is running what others have left to it. */
    private final ThreadLocal<Boolean> runningAll = ThreadLocal.withInitial(() -> false);

    public WorkerPool(int threads, ThreadFactory threadFactory, Turn turn, Platform platform) {
        this(threads, threadFactory, turn, platform, KEEP_ALIVE_NANOS);
    }

    public WorkerPool(int threads, ThreadFactory threadFactory, Turn turn, Platform platform, long keepAliveNanos) {
        this.platform = platform;
        this.roster = new WorkerRoster(threads, platform);
        this.threadFactory = threadFactory;
        this.keepAliveNanos = keepAliveNanos;
        this.turn = turn;
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
    public boolean mayServeMany() {
        return true;
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
        return roster.threads();
    }

    @Override
    public void setThreads(int threads) {
        // those that are too many end; those that are missing are started
        roster.setThreads(threads);
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
    public void close() {
        roster.close();
    }

    /** Wakes or starts a worker, unless those that are on their way will do, or all are busy. */
    private void callWorker() {
        boolean another = isAnotherWanted();
        if ((another || !roster.isServed()) && !roster.wake(another) && roster.tryBeginStart()) {
            startWorker();
        }
    }

    /** Whether an idle worker should come although others are on their way: those have enough to do. */
    private boolean isAnotherWanted() {
        return recentWork.isLong() && roster.isAnyIdle() && ready.hasMoreThan(roster.onTheirWay());
    }

    private void startWorker() {
        boolean started = false;
        try {
            Thread thread = threadFactory.newThread(
                    new Worker(ready, roster, recentWork, platform, keepAliveNanos, this::callWorker));
            if (thread == null) {
                throw new RejectedExecutionException("the thread factory " + threadFactory + " returned no thread");
            }
            roster.starts(thread);
            platform.start(thread);
            started = true;
        } finally {
            if (!started) {
                roster.startFailed();
            }
        }
    }

    /** After a worker could not be started: whether there is another one that will come to the queue. */
    private boolean wakeOrFindBusyWorker() {
        return roster.wake(false) || roster.isAnyBusy();
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
}
