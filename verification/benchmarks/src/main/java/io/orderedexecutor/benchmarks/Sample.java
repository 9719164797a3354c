package io.orderedexecutor.benchmarks;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What one run of an experiment gave.
 *
 * @param values by what they measure
 */
record Sample(Map<Metric, Double> values) {

    static Sample of(Metric metric, double value) {
        return new Sample(new EnumMap<>(Map.of(metric, value)));
    }

    Sample and(Metric metric, double value) {
        Map<Metric, Double> more = new EnumMap<>(values);
        more.put(metric, value);
        return new Sample(more);
    }

    /** As one line between two JVMs. */
    String format() {
        return values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    static Sample parse(String line) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        Arrays.stream(line.split(" ", -1))
                .map(pair -> pair.split("=", 2))
                .forEach(pair -> values.put(Metric.valueOf(pair[0]), Double.valueOf(pair[1])));
        return new Sample(values);
    }
}
