package io.orderedexecutor.engine.executor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.ServesTasks;
import io.orderedexecutor.engine.pool.Signal;
import io.orderedexecutor.engine.strand.ShutdownState;
import io.orderedexecutor.engine.strand.ShutdownState.Phase;
import io.orderedexecutor.engine.strand.TakenBack;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

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

    /** Set by a thread that has called {@link #onTerminated}; read by all. */
    private volatile boolean terminated;

    /** Whether a thread closes the table, or has done so. Set under the monitor, cleared by that thread if it fails. */
    private volatile boolean closing;

    /** Whether the table is closed, and what had to be said was: the executor does not terminate before. */
    private volatile boolean closed;

    /** What a {@link #shutdownNow} has taken back that has failed then, for the next one to return. */
    @GuardedBy("this")
    private @Nullable TakenBack kept;

    /** A bit for each segment that is not closed and empty. Cleared atomically, by those who find it so. */
    private final AtomicLong occupied = new AtomicLong(-1L >>> (Long.SIZE - SegmentedTable.SEGMENTS));

    Lifecycle(Platform platform, LiveTasks live, ShutdownState state, Runnable onShutdown, Runnable onTerminated) {
        this.termination = new Signal(platform);
        this.live = live;
        this.state = state;
        this.onShutdown = onShutdown;
        this.onTerminated = onTerminated;
    }

    public boolean isShutdown() {
        return state.phase() != Phase.RUNNING;
    }

    public boolean isTerminated() {
        return terminated;
    }

    public void shutdown() {
        if (enter(Phase.SHUT_DOWN)) {
            close(onShutdown);
        }
    }

    public List<Runnable> shutdownNow() {
        TakenBack unstarted = keptOrNew();
        try {
            // at once: a strand that sees a mere shutdown may cancel what is to be returned here
            boolean first = enter(Phase.STOPPING);
            Runnable stop = () -> {
                live.takeBack(unstarted);
                state.endTakingBack();
                onShutdown.run();
                live.stop();
            };
            if (first) {
                close(stop);
            } else {
                stop.run();
            }
        } catch (Throwable failure) {
            // writes and no calls; what is held back goes on when the next one succeeds
            synchronized (this) {
                unstarted.next = kept;
                kept = unstarted;
            }
            throw failure;
        }
        return unstarted.tasks();
    }

    private synchronized TakenBack keptOrNew() {
        TakenBack unstarted = kept;
        if (unstarted == null) {
            return new TakenBack();
        }
        kept = unstarted.next;
        unstarted.next = null;
        return unstarted;
    }

    /** Goes forward to a phase, or stays where it is; returns whether the calling thread has to close the table. */
    private synchronized boolean enter(Phase next) {
        boolean closes = !closing;
        closing = true;
        state.enter(next);
        return closes;
    }

    /**
     * Closes the table, for the first shutdown; or for the next one, if the first has failed for want of memory or
     * stack.
     *
     * @param whenClosed what else there is to do before the executor may terminate
     */
    private void close(Runnable whenClosed) {
        try {
            live.close(this::clear);
            whenClosed.run();
            closed = true;
        } catch (Throwable failure) {
            // a write and no call
            closing = false;
            throw failure;
        }
        terminateIfDone();
    }

    /** Called when a segment is closed and has no more strands, once or more often. */
    void onSegmentEmpty(int index) {
        clear(index);
        terminateIfDone();
    }

    private void clear(int index) {
        occupied.getAndUpdate(bits -> bits & ~(1L << index));
    }

    /** Called after each change of what it depends on: the thread that makes the last one finds that all is done. */
    private void terminateIfDone() {
        if (closed && occupied.get() == 0 && !terminated) {
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
