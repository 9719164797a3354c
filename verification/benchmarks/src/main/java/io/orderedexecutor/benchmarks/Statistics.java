package io.orderedexecutor.benchmarks;

import java.util.Arrays;
import java.util.List;

/** Of a few numbers. */
final class Statistics {

    private Statistics() {}

    /** NaN of none. */
    static double median(List<Double> values) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** The smallest value that a share of all do not exceed. */
    static double quantile(long[] values, int count, double share) {
        if (count == 0) {
            return Double.NaN;
        }
        long[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(share * count) - 1];
    }
}
