package io.orderedexecutor.test;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Reduces the decisions of a failed run as long as the run still fails: the shrinker leaves out smaller and smaller
 * parts, then sets parts to zero, and then lowers each number. Zero is the plain decision, so the remaining decisions
 * are those that matter. This search ends when each single change lets the run pass, although a shorter schedule may
 * exist. So the shrinker then also tries schedules that have few decisions from the start.
 */
final class Shrinker {
    private static final int MOST_RUNS = 600;
    private static final int SPARSE_RUNS = 150;

    /** The maximum number of steps in all runs together: the runs of a simulation that does not end are long. */
    private static final int MOST_STEPS = 1_000_000;

    private final Function<Choices, Run> rerun;
    private Run best;
    private List<Integer> shortest;
    private int runs;
    private int steps;

    private Shrinker(Run failed, Function<Choices, Run> rerun) {
        this.best = failed;
        this.shortest = Seed.chosen(failed.decisions());
        this.rerun = rerun;
    }

    /** Returns the shortest run that was found to fail. */
    static Run shrink(Run failed, Function<Choices, Run> rerun) {
        Shrinker shrinker = new Shrinker(failed, rerun);
        shrinker.descend();
        List<Integer> before = shrinker.shortest;
        for (int i = 0; i < SPARSE_RUNS; i++) {
            shrinker.attempt(new Choices.Sparse(i));
        }
        if (!shrinker.shortest.equals(before)) {
            shrinker.descend();
        }
        return shrinker.best;
    }

    private void descend() {
        int before;
        do {
            before = cost(shortest);
            inParts(true);
            inParts(false);
            lower();
        } while (cost(shortest) < before && runs < MOST_RUNS);
    }

    /**
     * Returns the cost of a schedule. Decisions that are not plain cost most, since a reader has to understand them.
     */
    private int cost(List<Integer> decisions) {
        return decisions.size()
                + decisions.stream()
                        .mapToInt(decision -> decision == 0 ? 0 : 999 + decision)
                        .sum();
    }

    private void inParts(boolean leavesOut) {
        for (int length = Math.max(1, shortest.size() / 2); length >= 1; length /= 2) {
            for (int from = Math.max(0, shortest.size() - length); from >= 0; from -= length) {
                List<Integer> changed = new ArrayList<>(shortest);
                if (from >= changed.size()) {
                    continue;
                }
                List<Integer> part = changed.subList(from, Math.min(changed.size(), from + length));
                if (leavesOut) {
                    part.clear();
                } else {
                    part.replaceAll(any -> 0);
                }
                attempt(changed);
            }
        }
    }

    private void lower() {
        for (int i = 0; i < shortest.size(); i++) {
            for (int lower = 1; i < shortest.size() && lower < shortest.get(i); lower++) {
                List<Integer> changed = new ArrayList<>(shortest);
                changed.set(i, lower);
                if (attempt(changed)) {
                    break;
                }
            }
        }
    }

    private boolean attempt(List<Integer> changed) {
        return !changed.equals(shortest) && attempt(new Choices.Given(changed));
    }

    private boolean attempt(Choices choices) {
        if (runs >= MOST_RUNS) {
            return false;
        }
        runs++;
        Run run = rerun.apply(choices);
        steps += run.steps().size();
        if (run.isBlocked() || steps > MOST_STEPS) {
            // this run took seconds, and the next runs would, too
            runs = MOST_RUNS;
        }
        List<Integer> chosen = Seed.chosen(run.decisions());
        if (!run.hasFailed() || run.isBlocked() || cost(chosen) >= cost(shortest)) {
            return false;
        }
        best = run;
        shortest = chosen;
        return true;
    }
}
