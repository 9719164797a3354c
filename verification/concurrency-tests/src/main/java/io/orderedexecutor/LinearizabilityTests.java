package io.orderedexecutor;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Checks with Lincheck that the parts without locks are what they should be, whatever two or three threads do: each
 * outcome is that of some order of the same operations one after the other. Names of classes choose some of them. Fails
 * if one is not.
 */
final class LinearizabilityTests {
    private static final Map<Class<?>, Class<?>> TESTS = Map.of(LinearTickets.class, LinearTickets.Specification.class);

    /** How many scenarios of each are tried, and how many ways through each scenario. */
    private static final int SCENARIOS = Integer.getInteger("scenarios", 10);

    private static final int WAYS = Integer.getInteger("ways", 500);

    private LinearizabilityTests() {}

    public static void main(String[] names) {
        List<String> wanted = List.of(names);
        Map<String, Class<?>> chosen = new TreeMap<>();
        for (Class<?> test : TESTS.keySet()) {
            if (wanted.isEmpty() || wanted.contains(test.getSimpleName())) {
                chosen.put(test.getSimpleName(), test);
            }
        }
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("there is no test of " + wanted + ", but " + TESTS.keySet());
        }
        boolean failed = false;
        for (Map.Entry<String, Class<?>> test : chosen.entrySet()) {
            long start = System.nanoTime();
            String end = "linearizable";
            try {
                check(test.getValue());
            } catch (AssertionError found) {
                failed = true;
                end = "not linearizable\n" + found.getMessage();
            }
            System.out.printf(
                    "%s: %d scenarios, %d ways each, %d s: %s%n",
                    test.getKey(),
                    SCENARIOS,
                    WAYS,
                    Duration.ofNanos(System.nanoTime() - start).toSeconds(),
                    end);
        }
        System.exit(failed ? 1 : 0);
    }

    private static void check(Class<?> test) {
        new ModelCheckingOptions()
                .sequentialSpecification(TESTS.get(test))
                .iterations(SCENARIOS)
                .invocationsPerIteration(WAYS)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2)
                .check(test);
    }
}
