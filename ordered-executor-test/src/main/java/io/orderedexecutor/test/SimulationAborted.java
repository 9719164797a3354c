package io.orderedexecutor.test;

/** Ends a thread of a simulation once the simulation has failed or its test has ended. Not meant to be caught. */
final class SimulationAborted extends Error {
    private static final long serialVersionUID = 1;

    SimulationAborted() {
        super("the simulation has ended", null, false, false);
    }
}
