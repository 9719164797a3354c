package io.orderedexecutor.benchmarks;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.DoublePredicate;

/**
 * What is compared with a bar.
 *
 * @param median of all rounds, or what takes its place
 * @param values of each round; none if it was not measured
 */
record Figure(double median, List<Double> values) {

    static Figure of(List<Double> values) {
        return new Figure(Statistics.median(values), values);
    }

    Figure times(double factor) {
        return Figure.of(values.stream().map(value -> value * factor).toList());
    }

    boolean isMeasured() {
        return !values.isEmpty();
    }

    /** How large the part of the rounds is that a condition is true of. */
    double share(DoublePredicate condition) {
        return (double) values.stream().filter(condition::test).count() / values.size();
    }

    /** From the lowest to the highest. */
    String range() {
        return number(Collections.min(values)) + " – " + number(Collections.max(values));
    }

    /** With as many digits as one can read. */
    static String number(double value) {
        int digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
