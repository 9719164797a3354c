package io.orderedexecutor.test;

/** What a simulation lets go wrong, if a test asks for it with {@link Simulation#faults}. */
public enum Fault {

    /** A task throws an {@link InjectedFault} before it does anything, or a yield point in a task or thread does. */
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
     * An executor that the simulation has built is shut down just before a submission, which it then rejects. What it
     * has accepted runs.
     */
    SHUTDOWN
}
