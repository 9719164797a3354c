package io.orderedexecutor.test;

/**
 * Thrown when a thread that is not part of a simulation uses an executor of it. When that happens depends on the real
 * time, so the run is not repeated to find a shorter one.
 */
final class Outsider extends IllegalStateException {
    private static final long serialVersionUID = 1;

    private Outsider(String message) {
        super(message);
    }

    /** The current thread uses the executor of a simulation that goes on. */
    static Outsider uses(String executor) {
        return new Outsider("Thread '" + Thread.currentThread().getName() + "' uses executor '" + executor
                + "' of a simulation, but is not part of it. Start it with simulation.thread(...), or give the code"
                + " that uses it simulation.executor()");
    }

    /** A thread that the executor has started outside of simulations could run tasks of a simulation. */
    static Outsider serves(String executor, Thread thread) {
        return new Outsider("Executor '" + executor + "' has thread '" + thread.getName()
                + "', which is not part of the simulation: the executor was used before, or another thread, such as"
                + " that of a scheduled method, uses it now. Build the executor in the simulation, or use it there"
                + " only. If a plain test has used its Spring context, add @DirtiesContext(classMode = BEFORE_CLASS)");
    }
}
