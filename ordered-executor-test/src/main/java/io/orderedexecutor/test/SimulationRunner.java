package io.orderedexecutor.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs a test under many schedules, as {@link SimulationTest} does, but without JUnit.
 *
 * <pre>{@code
 * SimulationRunner.named("transfers").runs(500).run(simulation -> {
 *     StripedExecutor executor = simulation.striped("accounts").build();
 *     ...
 * });
 * }</pre>
 *
 * <p>The system property {@value #RUNS} overrides the number of runs of all tests. The system property {@value #SEED}
 * is the seed of all tests that set none themselves. Without either, the seed is derived from the name of the test, so
 * that each build has the same runs.
 *
 * <p>Not thread-safe; {@link #run} may be called several times.
 */
public final class SimulationRunner {

    /** The system property for the number of runs. */
    public static final String RUNS = "ordered-executor.simulation.runs";

    /**
     * The system property for the seed of tests that set none themselves: a number from which schedules are drawn, or a
     * seed that a failed simulation has printed.
     */
    public static final String SEED = "ordered-executor.simulation.seed";

    /** The code that a test runs in each run of its simulation. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs the test once.
         *
         * @param simulation the simulation of this run
         * @throws Throwable to fail
         */
        void run(Simulation simulation) throws Throwable;
    }

    static {
        TakeOver.begin();
    }

    private final String name;
    private int runs = runsOr(1000);
    private String seed = "";
    private Strategy strategy = Strategy.RANDOM;
    private int preemptions = 2;
    private Duration blockedAfter = Duration.ofSeconds(5);

    /** The message of the failure if no run uses an ordered executor; null if the runs need not use one. */
    private @Nullable String unused;

    /** Whether a run of the current call has used an ordered executor. */
    private boolean used;

    /** Whether a run of the current call was not aborted by an assumption. */
    private boolean completed;

    /** The last assumption of the current call that did not hold, or null. */
    private @Nullable Throwable aborted;

    private SimulationRunner(String name) {
        this.name = name;
    }

    /**
     * Creates a runner with the defaults of {@link SimulationTest}.
     *
     * @param name the name of the test, for reports
     * @return a new runner
     * @throws IllegalArgumentException if the system property {@value #RUNS} is less than 1 or no number
     */
    public static SimulationRunner named(String name) {
        return new SimulationRunner(Objects.requireNonNull(name, "name"));
    }

    /**
     * Sets how many schedules are tried.
     *
     * @param runs at least 1; 1,000 if it is not set
     * @return this runner
     * @throws IllegalArgumentException if {@code runs}, or the system property {@value #RUNS}, is less than 1 or no
     *     number
     */
    public SimulationRunner runs(int runs) {
        this.runs = runsOr(checked("runs", runs, 1));
        return this;
    }

    /** Returns the number of runs of the system property, or the given one. */
    private static int runsOr(int given) {
        String text = System.getProperty(RUNS);
        if (text == null || text.isBlank()) {
            return given;
        }
        try {
            return checked(RUNS, Integer.parseInt(text.trim()), 1);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(RUNS + " is '" + text + "', but must be a number", e);
        }
    }

    private static int checked(String setting, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(setting + " is " + value + ", but must be at least " + least);
        }
        return value;
    }

    /**
     * Sets the source of the schedules.
     *
     * @param seed a whole number, from which all schedules are drawn; or the seed that a failed simulation has printed,
     *     to repeat only that run; or empty for the system property {@value #SEED}, and without this property, a number
     *     that is derived from the name
     * @return this runner
     */
    public SimulationRunner seed(String seed) {
        this.seed = Objects.requireNonNull(seed, "seed").trim();
        return this;
    }

    /**
     * Sets how schedules are chosen.
     *
     * @param strategy {@link Strategy#RANDOM} if it is not set
     * @return this runner
     */
    public SimulationRunner strategy(Strategy strategy) {
        this.strategy = Objects.requireNonNull(strategy, "strategy");
        return this;
    }

    /**
     * Sets the maximum number of preemptions in each run of {@link Strategy#EXHAUSTIVE}. A preemption is a point at
     * which the current thread could go on, but another one does.
     *
     * @param preemptions at least 0; 2 if it is not set
     * @return this runner
     * @throws IllegalArgumentException if {@code preemptions} is negative
     */
    public SimulationRunner preemptions(int preemptions) {
        this.preemptions = checked("preemptions", preemptions, 0);
        return this;
    }

    /**
     * Sets the real time after which a thread without progress counts as blocked.
     *
     * @param blockedAfter more than zero; 5 seconds if it is not set
     * @return this runner
     * @throws IllegalArgumentException if {@code blockedAfter} is not positive
     */
    public SimulationRunner blockedAfter(Duration blockedAfter) {
        if (Objects.requireNonNull(blockedAfter, "blockedAfter").isNegative() || blockedAfter.isZero()) {
            throw new IllegalArgumentException("blockedAfter is " + blockedAfter + ", but must be more than zero");
        }
        this.blockedAfter = blockedAfter;
        return this;
    }

    /** Makes the test fail if no run uses an ordered executor: such a test would pass whatever the executors do. */
    SimulationRunner failingIfUnused(String reason) {
        unused = reason;
        return this;
    }

    /**
     * Runs a test until a run fails, or all have passed. A run in which an assumption of JUnit does not hold counts as
     * passed; if there is no other, the exception of the assumption is thrown.
     *
     * @param body called once in each run, on a thread of its own; it creates all state of the run
     * @throws SimulationFailure if a run fails
     * @throws IllegalArgumentException if the seed is not valid
     */
    public void run(Body body) {
        Optional<SimulationFailure> failure = find(body);
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    /**
     * Does the same as {@link #run}, but returns the failure instead of throwing it.
     *
     * @param body called once in each run
     * @return the failure; empty if all runs have passed
     * @throws IllegalArgumentException if the seed is not valid
     */
    public Optional<SimulationFailure> find(Body body) {
        Objects.requireNonNull(body, "body");
        used = false;
        completed = false;
        aborted = null;
        Run.Test test = body::run;
        String given = System.getProperty(SEED, "");
        String text = seed.isEmpty() ? given : seed;
        if (!text.isEmpty() && !text.matches("-?\\d+")) {
            return repeat(test, Seed.parse(text));
        }
        if (strategy == Strategy.EXHAUSTIVE) {
            return exhaust(test);
        }
        long base = text.isEmpty() ? name.hashCode() : Long.parseLong(text);
        for (int i = 0; i < runs; i++) {
            Seed drawn = Seed.ofNumber(strategy, Randomness.seedOf(base, i));
            Run run = runOnce(test, drawn.choices());
            if (run.hasFailed()) {
                return Optional.of(explain(test, drawn, i + 1, run));
            }
        }
        return passed();
    }

    private Optional<SimulationFailure> passed() {
        if (!completed && aborted instanceof RuntimeException abort) {
            throw abort;
        }
        if (unused != null && !used) {
            throw new AssertionError(name + " has submitted nothing to an ordered executor in any run. " + unused);
        }
        return Optional.empty();
    }

    private Run runOnce(Run.Test test, Choices choices) {
        Run run = Run.of(test, choices, blockedAfter);
        used |= run.steps().stream().anyMatch(step -> step.executor() != null);
        completed |= !run.isAborted();
        aborted = run.isAborted() ? run.failure() : aborted;
        return run;
    }

    private Optional<SimulationFailure> repeat(Run.Test test, Seed printed) {
        Run run = runOnce(test, printed.choices());
        Seed again = printed.after(run.steps());
        if (!Objects.equals(again.fingerprint(), printed.fingerprint())) {
            return Optional.of(new SimulationFailure(
                    Report.diverged(name, printed.toString(), List.of(), null)
                            + " Or the test, or what it tests, has changed since."
                            + (run.hasFailed() ? " It has failed all the same" : " It has passed")
                            + ":\n\n" + Report.tracks(run.steps()),
                    again.toString(),
                    1,
                    run.failure()));
        }
        return run.hasFailed() ? Optional.of(explain(test, printed, 1, run)) : passed();
    }

    private Optional<SimulationFailure> exhaust(Run.Test test) {
        List<Integer> prefix = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            Run run = runOnce(test, new Choices.Given(prefix));
            if (run.hasFailed()) {
                return Optional.of(explain(test, Seed.ofDecisions(run.decisions()), i + 1, run));
            }
            List<Integer> next = following(run.decisions());
            if (next == null) {
                return passed();
            }
            prefix = next;
        }
        throw new AssertionError(name + " has more than " + runs + " schedules, so the runs did not try all of them."
                + " Make the case smaller, allow fewer than " + preemptions + " preemptions, or allow more runs");
    }

    /** Returns the decisions of the next run in the exhaustive order; null if this run was the last. */
    private @Nullable List<Integer> following(List<Decision> decisions) {
        int spent = preemptionsOf(decisions, decisions.size());
        for (int last = decisions.size() - 1; last >= 0; last--) {
            Decision decision = decisions.get(last);
            boolean costs = decision.isPreemption();
            spent -= costs && decision.chosen() != 0 ? 1 : 0;
            if (decision.chosen() + 1 < decision.options() && (!costs || spent < preemptions)) {
                List<Integer> next = new ArrayList<>();
                decisions.subList(0, last).forEach(before -> next.add(before.chosen()));
                next.add(decision.chosen() + 1);
                return next;
            }
        }
        return null;
    }

    private static int preemptionsOf(List<Decision> decisions, int end) {
        return (int) decisions.subList(0, end).stream()
                .filter(decision -> decision.isPreemption() && decision.chosen() != 0)
                .count();
    }

    private SimulationFailure explain(Run.Test test, Seed seed, int number, Run first) {
        Seed known = seed.after(first.steps());
        if (first.failure() instanceof Outsider) {
            return new SimulationFailure(
                    Report.ofOutsider(name, number, runs, first), known.toString(), number, first.failure());
        }
        if (first.isBlocked()) {
            return failure(known, known, number, first, first);
        }
        Run again = runOnce(test, new Choices.Given(Seed.chosen(first.decisions())));
        Seed repeated = seed.after(again.steps());
        if (!again.hasFailed() || !Objects.equals(repeated.fingerprint(), known.fingerprint())) {
            return new SimulationFailure(
                    Report.diverged(name, known.toString(), first.steps(), again) + "\n\nIt has failed with "
                            + first.failure() + ":\n\n" + Report.tracks(first.steps()),
                    known.toString(),
                    number,
                    first.failure());
        }
        Run shortest =
                again.failure() instanceof Endless ? again : Shrinker.shrink(again, choices -> runOnce(test, choices));
        Seed ofShortest = Seed.ofDecisions(shortest.decisions()).after(shortest.steps());
        return failure(known, ofShortest, number, first, shortest);
    }

    private SimulationFailure failure(Seed known, Seed ofShortest, int number, Run first, Run shortest) {
        return new SimulationFailure(
                Report.failed(name, number, runs, first, shortest, known.toString(), ofShortest.toString()),
                ofShortest.toString(),
                number,
                shortest.failure());
    }
}
