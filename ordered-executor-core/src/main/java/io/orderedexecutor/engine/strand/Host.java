package io.orderedexecutor.engine.strand;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Workers;

/**
 * What strands run on and report to. The simplest host has threads and nothing else: no limits, no listener, no
 * lifecycle. Immutable, but for what its subclass adds.
 */
public class Host {

    /** How far the shutdown has come. The phases never go back. */
    public enum Phase {
        RUNNING,
        /** No task is accepted any more, so nobody can be expected to decide on a parked strand. */
        SHUT_DOWN,
        /** The same, and running tasks are interrupted. */
        STOPPING
    }

    private final Workers workers;
    private final TaskReporter reporter;
    private final FailurePolicy failurePolicy;

    /** Whether no task may start. Written by those who pause and resume, read by servers before each task. */
    private volatile boolean paused;

    public Host(Workers workers) {
        this(workers, TaskReporter.NONE, FailurePolicy.proceed());
    }

    public Host(Workers workers, TaskReporter reporter, FailurePolicy failurePolicy) {
        this.workers = workers;
        this.reporter = reporter;
        this.failurePolicy = failurePolicy;
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
    final FailurePolicy failurePolicy() {
        return failurePolicy;
    }

    /** The clock and the timers. */
    public final Platform platform() {
        return workers.platform();
    }

    public final boolean isPaused() {
        return paused;
    }

    public final void setPaused(boolean paused) {
        this.paused = paused;
    }

    /** How far the shutdown has come. Called by any thread, with no lock held. */
    public Phase phase() {
        return Phase.RUNNING;
    }

    public final boolean isShutdown() {
        return phase() != Phase.RUNNING;
    }

    public final boolean isStopping() {
        return phase() == Phase.STOPPING;
    }

    /**
     * Called when a task no longer waits, or waits again. Called by any thread, with no lock held.
     *
     * @param change -1 after a task was taken from {@code queue}, 1 after it was put back
     */
    public void onQueueChange(LinkQueue queue, int change) {}

    /** Called when no thread was found for a task, and its submitter takes it back. */
    public void onRejected() {}
}
