package io.orderedexecutor.test;

/** The faults that a simulation lets occur if a test asks for them with {@link Simulation#faults}. */
public enum Fault {

    /** A task throws an {@link InjectedFault} before it does anything, or a yield point throws it. */
    EXCEPTION,

    /** A submission is rejected. */
    REJECTION,

    /** The future of a task that was submitted is cancelled, with an interrupt if it runs. */
    CANCELLATION,

    /** The thread that is about to run a task is interrupted. */
    INTERRUPT,

    /** A task, or a thread at a yield point, takes a minute of the simulation's time. */
    SLOWNESS,

    /**
     * An executor that the simulation has built is shut down just before a submission, so that it rejects this
     * submission. Tasks that it has accepted earlier run.
     */
    SHUTDOWN
}
