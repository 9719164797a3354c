package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.Signal;
import io.orderedexecutor.engine.strand.ShutdownState;
import io.orderedexecutor.engine.strand.ShutdownState.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * From running to terminated. The phases never go back:
 *
 * <pre>
 *   RUNNING ─▶ SHUT_DOWN   by shutdown or close
 *   RUNNING, SHUT_DOWN ─▶ STOPPING  by shutdownNow: running tasks are interrupted
 *   ─▶ TERMINATED          from SHUT_DOWN or STOPPING, when the last segment of the table is empty
 * </pre>
 *
 * <p>A submission that has seen RUNNING may still arrive later. It is accepted if it is linked behind a task that has
 * not ended, or opens a stripe before its segment is closed: termination waits for it in both cases.
 */
public final class Lifecycle {

    private final LiveTasks live;
    private final Runnable onShutdown;
    private final Runnable onTerminated;
    private final Signal termination;

    private final ShutdownState state;

    /** Set once, by the thread that has called {@link #onTerminated}; read by all. */
    private volatile boolean terminated;

    /**
     * How many segments are not closed and empty, and one more for the thread that closes them: the executor does not
     * terminate before that is done.
     */
    private final AtomicInteger occupied;

    Lifecycle(Platform platform, LiveTasks live, ShutdownState state, Runnable onShutdown, Runnable onTerminated) {
        this.termination = new Signal(platform);
        this.live = live;
        this.state = state;
        this.onShutdown = onShutdown;
        this.onTerminated = onTerminated;
        this.occupied = new AtomicInteger(SegmentedTable.SEGMENTS + 1);
    }

    public boolean isShutdown() {
        return state.phase() != Phase.RUNNING;
    }

    public boolean isTerminated() {
        return terminated;
    }

    public void shutdown() {
        if (enter(Phase.SHUT_DOWN)) {
            int empty = live.close();
            onShutdown.run();
            release(empty + 1);
        }
    }

    public List<Runnable> shutdownNow() {
        // at once: a strand that sees a mere shutdown may cancel what is to be returned here
        boolean first = enter(Phase.STOPPING);
        int empty = first ? live.close() : 0;
        List<Runnable> unstarted = new ArrayList<>();
        live.takeBack(unstarted);
        onShutdown.run();
        live.stop();
        if (first) {
            release(empty + 1);
        }
        return unstarted;
    }

    /** Goes forward to a phase, or stays where it is; returns whether this begins the shutdown. */
    private synchronized boolean enter(Phase next) {
        boolean begins = !isShutdown();
        state.enter(next);
        return begins;
    }

    /** Called once for each segment that is closed with stripes in it, when it has no more. */
    void onSegmentEmpty() {
        release(1);
    }

    private void release(int segments) {
        if (occupied.addAndGet(-segments) == 0) {
            try {
                onTerminated.run();
            } finally {
                terminated = true;
                termination.signal();
            }
        }
    }

    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (isInsideTask()) {
            return isTerminated();
        }
        return termination.await(this::isTerminated, unit.toNanos(timeout));
    }

    public void close() {
        shutdown();
        if (isInsideTask()) {
            return;
        }
        boolean interrupted = false;
        for (boolean done = false; !done; ) {
            try {
                done = termination.await(this::isTerminated, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                if (!interrupted) {
                    shutdownNow();
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the calling thread is running a task, which cannot end while it waits here. */
    boolean isInsideTask() {
        return ServesTasks.isOnThisStack() && live.isHeldUpHere();
    }
}
