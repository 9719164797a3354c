package io.orderedexecutor.test;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a run of a simulation has failed. The message has the seed and the schedule; the cause is the failure of
 * the run.
 */
public final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1;

    private final String seed;
    private final int run;

    SimulationFailure(String message, String seed, int run, @Nullable Throwable cause) {
        super(message, cause);
        this.seed = seed;
        this.run = run;
    }

    /**
     * Returns the seed that repeats the shortest run that fails. If a thread that is not part of the simulation made
     * the run fail, no seed repeats it.
     *
     * @return a seed for {@link SimulationTest#seed}
     */
    public String seed() {
        return seed;
    }

    /**
     * Returns which run was the first to fail.
     *
     * @return 1 for the first run
     */
    public int run() {
        return run;
    }
}
