package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.stats.RunningTask;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * What strands run on and report to. The simplest host has threads and nothing else: no limits, no listener, no
 * lifecycle.
 */
public class Host {
    /** An empty executor is small: no object for each. */
    private static final AtomicIntegerFieldUpdater<Host> HURRIES =
            AtomicIntegerFieldUpdater.newUpdater(Host.class, "hurries");

    private final Workers workers;
    private final TaskReporter reporter;
    private final FailurePolicy failurePolicy;
    private final ShutdownState shutdown;
    private final @Nullable QueuedCount queuedCount;
    private final OpenPlaces openPlaces;

    /** How many threads are in a hurry. */
    private volatile int hurries;

    /** Whether no task may start. Written by those who pause and resume, read by servers before each task. */
    private volatile boolean paused;

    /**
     * Whether a strand of this host may be {@linkplain Strand#unattended unattended}. Written where no call may succeed
     * any more; read by those who come next, who then look for it.
     */
    public volatile boolean hasUnattended;

    public Host(Workers workers) {
        this(workers, TaskReporter.NONE, FailurePolicy.proceed(), new ShutdownState(), null, OpenPlaces.NONE);
    }

    /**
     * Makes the host of an executor.
     *
     * @param queuedCount null if the number of tasks that wait has no limit
     */
    public Host(
            Workers workers,
            TaskReporter reporter,
            FailurePolicy failurePolicy,
            ShutdownState shutdown,
            @Nullable QueuedCount queuedCount) {
        this(workers, reporter, failurePolicy, shutdown, queuedCount, new OpenPlaces());
    }

    private Host(
            Workers workers,
            TaskReporter reporter,
            FailurePolicy failurePolicy,
            ShutdownState shutdown,
            @Nullable QueuedCount queuedCount,
            OpenPlaces openPlaces) {
        this.workers = workers;
        this.reporter = reporter;
        this.failurePolicy = failurePolicy;
        this.shutdown = shutdown;
        this.queuedCount = queuedCount;
        this.openPlaces = openPlaces;
    }

    /** Where strands find a thread. */
    public final Workers workers() {
        return workers;
    }

    /** Tells the listeners, and counts. */
    public final TaskReporter reporter() {
        return reporter;
    }

    /** What to do when a task fails. */
    public final FailurePolicy failurePolicy() {
        return failurePolicy;
    }

    final @Nullable QueuedCount queuedCount() {
        return queuedCount;
    }

    /** The places that are reserved in its strands. */
    public final OpenPlaces openPlaces() {
        return openPlaces;
    }

    /** The clock and the timers. */
    public final Platform platform() {
        return workers.platform();
    }

    /** Whether no batch waits for more items: someone waits until there are no tasks, or no more are accepted. */
    final boolean isHurried() {
        return isShutdown() || hurries > 0;
    }

    /** From now on, no batch waits for more items; until {@link #endHurry} was called as often. */
    public final void hurry() {
        HURRIES.incrementAndGet(this);
    }

    public final void endHurry() {
        HURRIES.decrementAndGet(this);
    }

    /** The name of the executor. */
    public String name() {
        return "SerialExecutor";
    }

    /** What it runs now, as far as it keeps account of that. */
    public List<RunningTask> runningTasks() {
        return List.of();
    }

    public final boolean isPaused() {
        return paused;
    }

    /** Whether no task may start: this host is paused, or a shutdown takes back what waits. */
    public final boolean holdsBack() {
        return paused || shutdown.isTakingBack();
    }

    public final boolean isTakingBack() {
        return shutdown.isTakingBack();
    }

    public final void setPaused(boolean paused) {
        this.paused = paused;
    }

    public final boolean isShutdown() {
        return shutdown.phase() != ShutdownState.Phase.RUNNING;
    }

    public final boolean isStopping() {
        return shutdown.phase() == ShutdownState.Phase.STOPPING;
    }
}
