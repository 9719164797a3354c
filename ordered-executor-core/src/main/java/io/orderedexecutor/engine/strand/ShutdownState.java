package io.orderedexecutor.engine.strand;

/** How far the shutdown of an executor has come. Thread-safe. */
public class ShutdownState {

    /** The phases never go back. */
    public enum Phase {
        RUNNING,
        /** No task is accepted any more, so nobody can be expected to decide on a parked strand. */
        SHUT_DOWN,
        /** The same, and running tasks are interrupted. */
        STOPPING
    }

    /** Moved forward under the monitor, read by all. */
    private volatile Phase phase = Phase.RUNNING;

    public Phase phase() {
        return phase;
    }

    /** Goes forward to a phase, or stays where it is. */
    public final synchronized void enter(Phase next) {
        if (phase.compareTo(next) < 0) {
            phase = next;
        }
    }
}
