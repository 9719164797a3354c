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

    /** Set before {@link Phase#STOPPING} can be seen, and cleared by the thread that has taken back all. */
    private volatile boolean takingBack;

    public Phase phase() {
        return phase;
    }

    /** Whether what waits is being taken back since the executor stops. Meanwhile no task starts. */
    public final boolean isTakingBack() {
        return takingBack;
    }

    /** Called when all that has waited is taken back. What was held back meanwhile has to be let go on. */
    public final void endTakingBack() {
        takingBack = false;
    }

    /** Goes forward to a phase, or stays where it is. */
    public final synchronized void enter(Phase next) {
        if (phase.compareTo(next) < 0) {
            takingBack = next == Phase.STOPPING;
            phase = next;
        }
    }
}
