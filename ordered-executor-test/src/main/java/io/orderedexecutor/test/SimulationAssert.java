package io.orderedexecutor.test;

import java.time.Duration;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about a run so far, in the style of AssertJ, which must be on the class path of the test.
 *
 * <pre>{@code
 * import static io.orderedexecutor.test.SimulationAssert.assertThat;
 *
 * assertThat(simulation).keptOrder("alice").keptExclusion().lostNothing().isIdle();
 * }</pre>
 *
 * <p>Not thread-safe; to be used by the threads of the simulation.
 */
public final class SimulationAssert extends AbstractAssert<SimulationAssert, Simulation> {

    private SimulationAssert(Simulation actual) {
        super(actual, SimulationAssert.class);
    }

    /**
     * Begins assertions.
     *
     * @param actual the simulation
     * @return assertions about the simulation
     */
    public static SimulationAssert assertThat(Simulation actual) {
        return new SimulationAssert(Objects.requireNonNull(actual, "actual"));
    }

    /**
     * Verifies that the tasks of a stripe have started in the order of their submission.
     *
     * @param stripe a stripe of any executor of the simulation; tasks of reservations are not checked
     * @return this
     * @throws AssertionError if a later task has started before an earlier one
     */
    public SimulationAssert keptOrder(Object stripe) {
        return verify(() -> actual.assertInOrder(stripe));
    }

    /**
     * Verifies that no two tasks of one stripe have run at the same time.
     *
     * @return this
     * @throws AssertionError if two tasks have
     */
    public SimulationAssert keptExclusion() {
        return verify(actual::assertExclusion);
    }

    /**
     * Verifies that each task that was accepted has ended, or was cancelled or dropped, and none has run twice, apart
     * from retries.
     *
     * @return this
     * @throws AssertionError if a task was lost, or has run more than once
     */
    public SimulationAssert lostNothing() {
        return verify(actual::assertNothingLost);
    }

    /**
     * Verifies that all tasks have ended, and no other thread is runnable or waiting. Idle workers may wait.
     *
     * @return this
     * @throws AssertionError if a task has not ended or has run more than once, or if another thread, except an idle
     *     worker, is runnable or waiting
     */
    public SimulationAssert isIdle() {
        return verify(actual::assertIdle);
    }

    /**
     * Verifies how many tasks of a stripe have started.
     *
     * @param stripe a stripe of any executor of the simulation
     * @param times the number of starts, retries included
     * @return this
     * @throws AssertionError if another number of tasks has started
     */
    public SimulationAssert started(Object stripe, long times) {
        long started = actual.scheduler().history().count(History.Kind.STARTED, Objects.requireNonNull(stripe));
        if (started != times) {
            failWithMessage("Expected %s starts of tasks of '%s', but there were %s", times, stripe, started);
        }
        return this;
    }

    /**
     * Verifies how much time of the simulation has passed.
     *
     * @param time since the start of the run
     * @return this
     * @throws AssertionError if more or less time has passed
     */
    public SimulationAssert tookExactly(Duration time) {
        if (!actual.now().equals(time)) {
            failWithMessage("Expected %s to have passed, but it was %s", time, actual.now());
        }
        return this;
    }

    private SimulationAssert verify(Runnable assertion) {
        try {
            assertion.run();
        } catch (AssertionError mistake) {
            throw described(mistake);
        }
        return this;
    }

    /** Returns an error that has the description that was set by {@link #as}. */
    private AssertionError described(AssertionError mistake) {
        AssertionError failure = failure("%s", mistake.getMessage());
        failure.addSuppressed(mistake);
        return failure;
    }
}
