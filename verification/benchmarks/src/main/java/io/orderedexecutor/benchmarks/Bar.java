package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Subject.Kind;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * What this project wants to reach.
 *
 * @param title what is compared
 * @param limit the bar
 * @param atLeast whether more is better
 * @param value what was reached; NaN if it was not measured
 */
record Bar(String title, double limit, boolean atLeast, ToDoubleFunction<Results> value) {
    private static final Set<Kind> PEERS = Set.of(Kind.QUEUES, Kind.HASHED);

    /** What is as good as nothing, in a heap of megabytes. */
    private static final double ZERO_BYTES = 0.5;

    /** What is as good as the same for a hundred times as many tasks, which fill the caches with other things. */
    private static final double FLAT = 1.5;

    static final List<Bar> ALL = List.of(
            speed("1 stripe, × unordered", 1.0, Row.ONE_STRIPE, Subjects.UNORDERED),
            best("1 stripe, × the best peer", 1.0, Row.ONE_STRIPE, PEERS),
            speed("1,000 stripes, × unordered", 0.9, Row.THOUSAND_STRIPES, Subjects.UNORDERED),
            best("1,000 stripes, × the best peer", 1.0, Row.THOUSAND_STRIPES, PEERS),
            speed("100,000 stripes, × unordered", 0.7, Row.HUNDRED_THOUSAND_STRIPES, Subjects.UNORDERED),
            best(
                    "100,000 stripes, × the best peer with a queue for each key",
                    1.5,
                    Row.HUNDRED_THOUSAND_STRIPES,
                    Set.of(Kind.QUEUES)),
            speed("2 producers, × unordered", 0.8, Row.TWO_PRODUCERS, Subjects.UNORDERED),
            speed("200 tokens of work, × unordered", 1.0, Row.WORK, Subjects.UNORDERED),
            speed("1 stripe, × one global lock", 2.0, Row.ONE_STRIPE, Subjects.GLOBAL_LOCK),
            speed("1,000 stripes, × one global lock", 4.0, Row.THOUSAND_STRIPES, Subjects.GLOBAL_LOCK),
            speed("100,000 stripes, × one global lock", 3.0, Row.HUNDRED_THOUSAND_STRIPES, Subjects.GLOBAL_LOCK),
            new Bar(
                    "beside a hot stripe, p99 wait, × keys hashed to threads",
                    0.1,
                    false,
                    results -> ratio(results, Row.HOT_STRIPE, Subjects.OURS, Subjects.SINGLE_THREADS, Metric.WAIT_P99)),
            new Bar(
                    "1,000 stripes, bounds and listener on, × off",
                    0.85,
                    true,
                    results -> ratio(
                            results,
                            Row.THOUSAND_STRIPES,
                            Subjects.OURS_BOUNDED,
                            Subjects.OURS,
                            Metric.TASKS_PER_SECOND)),
            new Bar(
                    "1,000 groups, 1 % rollups, grouped × striped",
                    0.5,
                    true,
                    results ->
                            ratio(results, Row.GROUPS, Subjects.OURS_GROUPED, Subjects.OURS, Metric.TASKS_PER_SECOND)),
            new Bar(
                    "grouped, submission behind 100,000 tasks, × behind 1,000",
                    FLAT,
                    false,
                    results -> results.median(Row.SUBMISSION, Subjects.OURS_GROUPED, Metric.SUBMISSION_BEHIND_MANY)
                            / results.median(Row.SUBMISSION, Subjects.OURS_GROUPED, Metric.SUBMISSION_BEHIND_FEW)),
            new Bar(
                    "1,000 ordered outputs, × futures collected in order",
                    1.0,
                    true,
                    results -> ratio(
                            results,
                            Row.OUTPUT,
                            Subjects.OURS_OUTPUT,
                            Subjects.FUTURES_IN_ORDER,
                            Metric.TASKS_PER_SECOND)),
            new Bar(
                    "bytes for each queued task",
                    48,
                    false,
                    results -> results.median(Row.MEMORY, Subjects.OURS, Metric.BYTES_PER_QUEUED_TASK)),
            new Bar(
                    "bytes for each idle stripe",
                    ZERO_BYTES,
                    false,
                    results -> results.median(Row.MEMORY, Subjects.OURS, Metric.BYTES_PER_IDLE_STRIPE)));

    private static Bar speed(String title, double limit, Row row, String base) {
        return new Bar(
                title, limit, true, results -> ratio(results, row, Subjects.OURS, base, Metric.TASKS_PER_SECOND));
    }

    /** Against the one that ours is the least ahead of, among those that keep the order. */
    private static Bar best(String title, double limit, Row row, Set<Kind> kinds) {
        return new Bar(
                title,
                limit,
                true,
                results -> Subjects.ALL.stream()
                        .filter(subject -> kinds.contains(subject.kind()))
                        .filter(subject -> results.verdict(row, subject.name()) == Verdict.OK)
                        .mapToDouble(peer -> ratio(results, row, Subjects.OURS, peer.name(), Metric.TASKS_PER_SECOND))
                        .filter(ratio -> !Double.isNaN(ratio))
                        .min()
                        .orElse(Double.NaN));
    }

    private static double ratio(Results results, Row row, String subject, String base, Metric metric) {
        return results.verdict(row, subject) == Verdict.OK
                ? Statistics.median(results.ratios(row, subject, base, metric))
                : Double.NaN;
    }

    double measured(Results results) {
        return value.applyAsDouble(results);
    }

    boolean isMetBy(double measured) {
        return atLeast ? measured >= limit : measured <= limit;
    }
}
