package io.orderedexecutor.test;

/** Ends what a thread of a simulation does, once the simulation has failed. Not meant to be caught. */
final class SimulationAborted extends Error {
    private static final long serialVersionUID = 1;

    SimulationAborted() {
        super("the simulation has ended", null, false, false);
    }
}
