package io.orderedexecutor.benchmarks;

/** How long tasks waited: a place for each, so that no two write to the same one. Read after all have run. */
final class Waits {
    private final long[] nanos;
    private int count;

    /** @param most how many tasks there may be */
    Waits(int most) {
        this.nanos = new long[most];
    }

    /** Called by the submitter only. */
    int nextIndex() {
        return count++;
    }

    boolean isFull() {
        return count == nanos.length;
    }

    void set(int index, long wait) {
        nanos[index] = wait;
    }

    /** The quantiles of a table, and the longest wait. */
    Sample sample() {
        return Sample.of(Metric.WAIT_P50, quantile(0.5))
                .and(Metric.WAIT_P99, quantile(0.99))
                .and(Metric.WAIT_P999, quantile(0.999))
                .and(Metric.WAIT_MAX, quantile(1));
    }

    /** The wait that a share of the tasks did not exceed. */
    double quantile(double share) {
        return Statistics.quantile(nanos, count, share);
    }
}
