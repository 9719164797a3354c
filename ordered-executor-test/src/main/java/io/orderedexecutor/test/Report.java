package io.orderedexecutor.test;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats the report of a failed run. */
final class Report {
    private static final int MOST_STEPS = 200;

    private Report() {}

    /** Returns one line for each thread and each key, with the numbers of the steps. */
    static String tracks(List<Step> steps) {
        Map<String, StringBuilder> tracks = new LinkedHashMap<>();
        int first = Math.max(0, steps.size() - MOST_STEPS);
        long before = 0;
        for (int i = first; i < steps.size(); i++) {
            Step step = steps.get(i);
            String key = step.track();
            String time = step.nanos() == before ? "" : " (after " + Duration.ofNanos(step.nanos()) + ")";
            before = step.nanos();
            String where = key == null ? "" : " " + key;
            add(tracks, "thread " + step.thread(), (i + 1) + " " + step.what() + where + time);
            if (step.key() != null && key != null) {
                add(tracks, "key    " + key, (i + 1) + " " + step.what());
            }
        }
        int width = tracks.keySet().stream().mapToInt(String::length).max().orElse(0);
        String lines = tracks.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Report::threadsFirst))
                .map(track -> "  " + track.getKey()
                        + " ".repeat(width - track.getKey().length()) + " | " + track.getValue())
                .collect(Collectors.joining("\n"));
        return first == 0 ? lines : "  (the last " + MOST_STEPS + " of " + steps.size() + " steps)\n" + lines;
    }

    private static int threadsFirst(String one, String other) {
        return Boolean.compare(one.startsWith("key "), other.startsWith("key "));
    }

    private static void add(Map<String, StringBuilder> tracks, String name, String what) {
        StringBuilder track = tracks.computeIfAbsent(name, any -> new StringBuilder());
        track.append(track.isEmpty() ? "" : ", ").append(what);
    }

    /** Returns the message for a run that a thread that is not part of the simulation has failed. */
    static String ofOutsider(String test, int run, int runs, Run failed) {
        return head(test, run, runs, failed)
                + "\n\nNo seed repeats this run: when that thread comes depends on the real"
                + " time. The numbers are those of the steps.\n\n" + tracks(failed.steps());
    }

    private static String head(String test, int run, int runs, Run failed) {
        return "Run " + run + " of " + runs + " of " + test + " has failed: " + failed.failure();
    }

    static String failed(String test, int run, int runs, Run first, Run shortest, String seed, String shortestSeed) {
        return head(test, run, runs, shortest)
                + "\n\nTo repeat the shortest run that fails: @SimulationTest(seed = \"" + shortestSeed + "\")"
                + "\nTo repeat the run that has failed:      @SimulationTest(seed = \"" + seed + "\")"
                + "\n\nThe shortest schedule has " + shortest.steps().size() + " steps and " + deviations(shortest)
                + "; the first one had " + first.steps().size() + " and " + deviations(first)
                + ". The numbers are those of the steps.\n\n" + tracks(shortest.steps());
    }

    private static String deviations(Run run) {
        long deviations = run.decisions().stream()
                .filter(decision -> decision.chosen() != 0)
                .count();
        return deviations + (deviations == 1 ? " decision that is" : " decisions that are") + " not the plain one";
    }

    /** Returns the message for a run that took another course when it was repeated. */
    static String diverged(String test, String seed, List<Step> before, @Nullable Run again) {
        StringBuilder message =
                new StringBuilder("A run of " + test + " with the seed \"" + seed + "\" took another course when it was"
                        + " repeated: something in the test does not depend on the simulation alone. It may be state"
                        + " that an earlier run has left, such as a task in an executor that outlives the run; a random"
                        + " number, a clock, the order of a HashSet of objects without hashCode, a thread of its own,"
                        + " or another test that uses the same executor at the same time.");
        if (again != null) {
            List<Step> steps = again.steps();
            int same = 0;
            while (same < Math.min(steps.size(), before.size())
                    && steps.get(same).toString().equals(before.get(same).toString())) {
                same++;
            }
            message.append("\n\nAt step ").append(same + 1).append(" it was: ");
            message.append(same < before.size() ? before.get(same) : "the end");
            message.append("\n            and then: ").append(same < steps.size() ? steps.get(same) : "the end");
        }
        return message.toString();
    }
}
