package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Subject.Kind;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * What this project wants to reach.
 *
 * @param title what is compared
 * @param limit the bar
 * @param atLeast whether more is better
 * @param value what was reached; NaN if it was not measured
 */
record Bar(String title, double limit, boolean atLeast, ToDoubleFunction<Results> value) {
    private static final Set<Kind> QUEUES = Set.of(Kind.QUEUES);
    private static final Set<Kind> PEERS = Set.of(Kind.QUEUES, Kind.HASHED);

    /** What is as good as nothing, in a heap of megabytes. */
    private static final double ZERO_BYTES = 0.5;

    /** What is as good as the same for a hundred times as many tasks, which fill the caches with other things. */
    private static final double FLAT = 1.5;

    private static final double MILLISECOND = 1e6;

    static final List<Bar> ALL = Stream.of(speed(), features(), waits(), memory(), groups(), output(), busy())
            .flatMap(List::stream)
            .toList();

    private static List<Bar> speed() {
        return List.of(
                faster("1 stripe, × unordered", 1.2, Row.ONE_STRIPE, Subjects.UNORDERED),
                best("1 stripe, × the best peer", 1.0, Row.ONE_STRIPE, PEERS),
                faster("1,000 stripes, × unordered", byJdk(0.9, 0.65), Row.THOUSAND_STRIPES, Subjects.UNORDERED),
                best("1,000 stripes, × the best peer with a queue for each key", 1.0, Row.THOUSAND_STRIPES, QUEUES),
                faster(
                        "100,000 stripes, × unordered",
                        byJdk(0.8, 0.6),
                        Row.HUNDRED_THOUSAND_STRIPES,
                        Subjects.UNORDERED),
                best(
                        "100,000 stripes, × the best peer with a queue for each key",
                        3.0,
                        Row.HUNDRED_THOUSAND_STRIPES,
                        QUEUES),
                faster("2 producers, × unordered", byJdk(1.0, 0.65), Row.TWO_PRODUCERS, Subjects.UNORDERED),
                faster("200 tokens of work, × unordered", 1.1, Row.WORK, Subjects.UNORDERED),
                faster("1 stripe, × one global lock", 2.0, Row.ONE_STRIPE, Subjects.GLOBAL_LOCK),
                faster("1,000 stripes, × one global lock", 3.0, Row.THOUSAND_STRIPES, Subjects.GLOBAL_LOCK),
                faster("100,000 stripes, × one global lock", 2.5, Row.HUNDRED_THOUSAND_STRIPES, Subjects.GLOBAL_LOCK));
    }

    private static List<Bar> features() {
        return List.of(
                feature("capacity on, × all off", 0.9, Subjects.OURS_CAPACITY),
                feature("stripe capacity on, × all off", 0.8, Subjects.OURS_STRIPE_CAPACITY),
                feature("task timers on, × all off", 0.6, Subjects.OURS_LISTENING),
                feature("timeline built in and not recorded, × all off", 0.55, Subjects.OURS_TIMELINE),
                feature("timeline recorded, × all off", 0.3, Subjects.OURS_RECORDED),
                feature("all on, × all off", 0.55, Subjects.OURS_BOUNDED),
                throughput(
                        "beside 1,000 blocked submitters, × beside one",
                        0.9,
                        Row.BLOCKED,
                        Subjects.OURS_1000_BLOCKED,
                        Subjects.OURS_1_BLOCKED));
    }

    private static List<Bar> waits() {
        return List.of(
                wait("at half load, p50 wait, × unordered", 1.2, Row.LATENCY, Metric.WAIT_P50),
                wait("at half load, p99 wait, × unordered", 1.2, Row.LATENCY, Metric.WAIT_P99),
                wait("at half load, p99.9 wait, × unordered", 1.2, Row.LATENCY, Metric.WAIT_P999),
                wait("beside two busy threads, p50 wait, × unordered", 1.2, Row.LATENCY_BUSY, Metric.WAIT_P50),
                wait("beside two busy threads, p99 wait, × unordered", 1.2, Row.LATENCY_BUSY, Metric.WAIT_P99),
                wait("beside two busy threads, p99.9 wait, × unordered", 1.2, Row.LATENCY_BUSY, Metric.WAIT_P999),
                new Bar(
                        "beside a hot stripe, p99 wait, × keys hashed to threads",
                        0.1,
                        false,
                        results ->
                                results.ratio(Row.HOT_STRIPE, Subjects.OURS, Subjects.SINGLE_THREADS, Metric.WAIT_P99)),
                new Bar(
                        "beside a backlog of one stripe, longest wait, ms",
                        20,
                        false,
                        results -> results.median(Row.BACKLOG, Subjects.OURS, Metric.WAIT_MAX) / MILLISECOND));
    }

    private static List<Bar> memory() {
        return List.of(
                bytes("bytes for each queued task", 24, Row.MEMORY, Subjects.OURS, Metric.BYTES_PER_QUEUED_TASK),
                bytes(
                        "bytes for each idle stripe",
                        ZERO_BYTES,
                        Row.MEMORY,
                        Subjects.OURS,
                        Metric.BYTES_PER_IDLE_STRIPE),
                bytes("bytes of an empty executor", 4_096, Row.MEMORY, Subjects.OURS, Metric.BYTES_OF_EMPTY_EXECUTOR));
    }

    private static List<Bar> groups() {
        return List.of(
                throughput(
                        "1,000 groups, 1 % rollups, grouped × striped",
                        0.7, Row.GROUPS, Subjects.OURS_GROUPED, Subjects.OURS),
                new Bar(
                        "grouped, submission behind 100,000 tasks, × behind 1,000",
                        FLAT,
                        false,
                        results -> results.median(Row.SUBMISSION, Subjects.OURS_GROUPED, Metric.SUBMISSION_BEHIND_MANY)
                                / results.median(Row.SUBMISSION, Subjects.OURS_GROUPED, Metric.SUBMISSION_BEHIND_FEW)));
    }

    private static List<Bar> output() {
        return List.of(
                throughput(
                        "1,000 ordered outputs, × futures collected in order",
                        1.0,
                        Row.OUTPUT,
                        Subjects.OURS_OUTPUT,
                        Subjects.FUTURES_IN_ORDER),
                throughput(
                        "1,000 ordered outputs, × a lock around the output",
                        1.5,
                        Row.OUTPUT,
                        Subjects.OURS_OUTPUT,
                        Subjects.OUTPUT_LOCK),
                bytes(
                        "bytes allocated for each piece of output",
                        120,
                        Row.OUTPUT,
                        Subjects.OURS_OUTPUT,
                        Metric.BYTES_ALLOCATED));
    }

    private static List<Bar> busy() {
        return List.of(new Bar(
                "1 stripe, 1 ms for each call, collected × the largest batch × queued",
                0.9,
                true,
                results -> results.ratio(
                                Row.BUSY,
                                Subjects.OURS_COLLECTED_CALLS,
                                Subjects.OURS_QUEUED_CALLS,
                                Metric.TASKS_PER_SECOND)
                        / OurSubjects.MAX_BATCH));
    }

    /** JDK 17 has a faster {@code ForkJoinPool} and slower everything else, so the bar is another one there. */
    private static double byJdk(double newer, double jdk17) {
        return Runtime.version().feature() >= 25 ? newer : jdk17;
    }

    private static Bar faster(String title, double limit, Row row, String base) {
        return throughput(title, limit, row, Subjects.OURS, base);
    }

    private static Bar feature(String title, double limit, String subject) {
        return throughput(title, limit, Row.FEATURES, subject, Subjects.OURS);
    }

    private static Bar throughput(String title, double limit, Row row, String subject, String base) {
        return new Bar(title, limit, true, results -> results.ratio(row, subject, base, Metric.TASKS_PER_SECOND));
    }

    private static Bar wait(String title, double limit, Row row, Metric metric) {
        return new Bar(title, limit, false, results -> results.ratio(row, Subjects.OURS, Subjects.UNORDERED, metric));
    }

    private static Bar bytes(String title, double limit, Row row, String subject, Metric metric) {
        return new Bar(title, limit, false, results -> results.median(row, subject, metric));
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
                        .mapToDouble(peer -> results.ratio(row, Subjects.OURS, peer.name(), Metric.TASKS_PER_SECOND))
                        .filter(ratio -> !Double.isNaN(ratio))
                        .min()
                        .orElse(Double.NaN));
    }

    double measured(Results results) {
        return value.applyAsDouble(results);
    }

    boolean isMetBy(double measured) {
        return atLeast ? measured >= limit : measured <= limit;
    }
}
