package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What this project wants to reach.
 *
 * @param workload what runs
 * @param compared what is compared
 * @param rule when it is met
 * @param uses what has to be measured for it
 * @param value what was reached
 */
record Bar(String workload, String compared, Rule rule, Set<Use> uses, Function<Results, Figure> value) {
    private static final String THAN_BEFORE = "× before";

    /** What is as good as nothing, in a heap of megabytes. */
    private static final double ZERO_BYTES = 0.5;

    private static final double PER_MILLI = 1e-6;
    private static final double PER_SECOND = 1e-9;

    static final List<Bar> ALL = Stream.of(
                    stripes(),
                    stripesOfGroups(),
                    groups(),
                    output(),
                    globalLock(),
                    work(),
                    latency(),
                    execute(),
                    waits(),
                    features(),
                    memory(),
                    others())
            .flatMap(List::stream)
            .toList();

    /** A subject that a row is measured with. */
    record Use(Row row, String subject) {}

    /** The rows that bars are about. */
    static Set<Row> rows() {
        return ALL.stream().flatMap(bar -> bar.uses.stream()).map(Use::row).collect(Collectors.toSet());
    }

    /** Whether any bar needs a subject to be measured in a row. */
    static boolean use(Row row, Subject subject) {
        Use use = new Use(row, subject.name());
        return ALL.stream().anyMatch(bar -> bar.uses.contains(use));
    }

    private static List<Bar> stripes() {
        List<Bar> bars = new ArrayList<>();
        for (Row row : Row.STRIPES) {
            boolean isHotWithoutWindow = row == Row.ONE_STRIPE_FREE || row == Row.ONE_STRIPE_2_FREE;
            bars.add(thanBefore(row, Subjects.OURS, Rule.atLeast(isHotWithoutWindow ? 0.65 : 0.75)));
        }
        bars.add(across(
                "stripes, all rows",
                "geometric mean, × before",
                Rule.atLeast(0.95),
                List.copyOf(bars),
                ratios -> Math.exp(
                        ratios.stream().mapToDouble(Math::log).average().orElse(Double.NaN))));
        return bars;
    }

    private static List<Bar> stripesOfGroups() {
        return Row.STRIPES.stream()
                .map(row -> throughput(
                        row,
                        "stripes of a GroupedExecutor, × StripedExecutor",
                        Rule.atLeast(0.95),
                        Subjects.OURS_STRIPES_OF_GROUPS,
                        Subjects.OURS))
                .toList();
    }

    private static List<Bar> groups() {
        List<Bar> bars = new ArrayList<>();
        Row.GROUPED.forEach(row -> bars.add(thanBefore(row, Subjects.OURS_GROUPED, Rule.atLeast(1.2))));
        bars.add(across(
                "groups, all rows",
                "share of them with ≥ 1.5 × before",
                Rule.atLeast(0.51),
                List.copyOf(bars),
                ratios -> Figure.of(ratios).share(ratio -> ratio >= 1.5)));
        for (Row row : List.of(Row.GROUPS, Row.GROUPS_FREE)) {
            bars.add(throughput(row, "× stripes", Rule.atLeast(0.9), Subjects.OURS_GROUPED, Subjects.OURS));
        }
        return bars;
    }

    private static List<Bar> output() {
        List<Bar> bars = new ArrayList<>();
        for (Row row : Row.OUTPUTS) {
            bars.add(thanBefore(row, Subjects.OURS_OUTPUT, Rule.atLeast(0.8)));
            bars.add(throughput(
                    row,
                    "× futures collected in order",
                    Rule.atLeast(0.7),
                    Subjects.OURS_OUTPUT,
                    Subjects.FUTURES_IN_ORDER));
            bars.add(absolute(row, "bytes a piece", Rule.atMost(120), Subjects.OURS_OUTPUT, Metric.BYTES_ALLOCATED, 1));
        }
        return bars;
    }

    private static List<Bar> globalLock() {
        Set<Row> rows = new LinkedHashSet<>(Row.STRIPES);
        rows.add(Row.IDLE_STRIPES);
        Set<Row> withOneKey = Set.of(Row.ONE_STRIPE, Row.ONE_STRIPE_2, Row.ONE_STRIPE_FREE, Row.ONE_STRIPE_2_FREE);
        return rows.stream()
                .map(row -> throughput(
                        row,
                        "× one global lock",
                        Rule.atLeast(withOneKey.contains(row) ? 2 : 1),
                        Subjects.OURS,
                        Subjects.GLOBAL_LOCK))
                .toList();
    }

    private static List<Bar> work() {
        List<Bar> bars = new ArrayList<>();
        for (Row row : List.of(Row.WORK, Row.WORK_1_US, Row.WORK_10_US)) {
            bars.add(thanBefore(row, Subjects.OURS, Rule.notLessThan(1)));
            bars.add(throughput(row, "× unordered", Rule.towardsAtLeast(0.95), Subjects.OURS, Subjects.UNORDERED));
        }
        return bars;
    }

    private static List<Bar> latency() {
        List<Bar> bars = new ArrayList<>();
        for (Row row : List.of(Row.LATENCY, Row.LATENCY_1)) {
            for (Metric metric : List.of(Metric.WAIT_P50, Metric.WAIT_P99, Metric.WAIT_P999)) {
                String wait = metric == Metric.WAIT_P50 ? "p50" : metric == Metric.WAIT_P99 ? "p99" : "p99.9";
                bars.add(ratio(
                        row,
                        "wait, " + wait + ", " + THAN_BEFORE,
                        Rule.notMoreThan(1),
                        Subjects.OURS,
                        Subjects.before(Subjects.OURS),
                        metric));
                bars.add(ratio(
                        row,
                        "wait, " + wait + ", × unordered",
                        Rule.towardsAtMost(1.2),
                        Subjects.OURS,
                        Subjects.UNORDERED,
                        metric));
            }
        }
        return bars;
    }

    /** Often there are none before, so this is no ratio. */
    private static List<Bar> execute() {
        List<Bar> bars = new ArrayList<>();
        String before = Subjects.before(Subjects.OURS);
        for (Row row : List.of(Row.EXECUTE_4, Row.EXECUTE_16)) {
            for (Metric metric : List.of(Metric.CALLS_OVER_1_MS, Metric.CALLS_OVER_20_MS)) {
                String calls = "calls of execute over " + (metric == Metric.CALLS_OVER_1_MS ? "1 ms" : "20 ms");
                bars.add(new Bar(
                        row.title,
                        calls + " in a million, more than before",
                        Rule.notMoreThan(0),
                        uses(row, Subjects.OURS, before),
                        results -> Figure.of(results.differences(row, Subjects.OURS, before, metric))));
            }
        }
        return bars;
    }

    private static List<Bar> waits() {
        return List.of(
                ratio(
                        Row.HOT_STRIPE,
                        "p99 wait of the others, × keys hashed to threads",
                        Rule.atMost(0.1),
                        Subjects.OURS,
                        Subjects.SINGLE_THREADS,
                        Metric.WAIT_P99),
                absolute(
                        Row.BACKLOG,
                        "longest wait of the others, ms",
                        Rule.atMost(20),
                        Subjects.OURS,
                        Metric.WAIT_MAX,
                        PER_MILLI));
    }

    private static List<Bar> features() {
        return List.of(
                feature("a capacity, × all off", 0.9, Subjects.OURS_CAPACITY),
                feature("a key capacity, × all off", 0.8, Subjects.OURS_KEY_CAPACITY),
                feature("task timers, × all off", 0.6, Subjects.OURS_LISTENING),
                feature("all on, × all off", 0.55, Subjects.OURS_BOUNDED),
                throughput(
                        Row.BLOCKED,
                        "1,000 of them, × one",
                        Rule.atLeast(0.9),
                        Subjects.OURS_1000_BLOCKED,
                        Subjects.OURS_1_BLOCKED));
    }

    private static List<Bar> memory() {
        return List.of(
                memory("bytes of an idle key", ZERO_BYTES, Metric.BYTES_PER_IDLE_STRIPE),
                memory("bytes of a queued task", 24, Metric.BYTES_PER_QUEUED_TASK),
                memory("bytes of an open key, without its task", 70, Metric.BYTES_PER_OPEN_KEY),
                memory("bytes of an empty executor", 4_096, Metric.BYTES_OF_EMPTY_EXECUTOR));
    }

    private static List<Bar> others() {
        return List.of(
                absolute(
                        Row.BARRIER,
                        "longest call of a submitter beside barriers, ms",
                        Rule.atMost(5),
                        Subjects.OURS_GROUPED,
                        Metric.LONGEST_CALL,
                        PER_MILLI),
                new Bar(
                        Row.BUSY.title,
                        "collected, × the largest batch × queued",
                        Rule.atLeast(0.9),
                        uses(Row.BUSY, Subjects.OURS_COLLECTED_CALLS, Subjects.OURS_QUEUED_CALLS),
                        results -> Figure.of(results.ratios(
                                        Row.BUSY,
                                        Subjects.OURS_COLLECTED_CALLS,
                                        Subjects.OURS_QUEUED_CALLS,
                                        Metric.TASKS_PER_SECOND))
                                .times(1.0 / OurSubjects.MAX_BATCH)),
                absolute(
                        Row.SCRAPE,
                        "what a scrape of all meters reads, s",
                        Rule.atMost(0.3),
                        Subjects.OURS_LISTENING,
                        Metric.SCRAPE_NANOS,
                        PER_SECOND),
                new Bar(
                        Row.SCRAPED_KEY.title,
                        "calls of execute over 5 ms in a million, more than without scrapes",
                        Rule.notMoreThan(0),
                        Set.of(new Use(Row.SCRAPED_KEY, Subjects.OURS_LISTENING)),
                        results -> Figure.of(results.differences(
                                Row.SCRAPED_KEY,
                                Subjects.OURS_LISTENING,
                                Metric.CALLS_OVER_5_MS,
                                Metric.CALLS_OVER_5_MS_QUIET))),
                throughput(
                        Row.DISCARD,
                        "100,000 queued, × 1,000",
                        Rule.atLeast(0.8),
                        Subjects.OURS_100000_QUEUED,
                        Subjects.OURS_1000_QUEUED));
    }

    private static Set<Use> uses(Row row, String subject, String base) {
        return Set.of(new Use(row, subject), new Use(row, base));
    }

    private static Bar ratio(Row row, String compared, Rule rule, String subject, String base, Metric metric) {
        return new Bar(
                row.title,
                compared,
                rule,
                uses(row, subject, base),
                results -> Figure.of(results.ratios(row, subject, base, metric)));
    }

    private static Bar throughput(Row row, String compared, Rule rule, String subject, String base) {
        return ratio(row, compared, rule, subject, base, Metric.TASKS_PER_SECOND);
    }

    private static Bar thanBefore(Row row, String subject, Rule rule) {
        return throughput(row, THAN_BEFORE, rule, subject, Subjects.before(subject));
    }

    private static Bar feature(String compared, double limit, String subject) {
        return throughput(Row.FEATURES, compared, Rule.atLeast(limit), subject, Subjects.OURS);
    }

    private static Bar absolute(Row row, String compared, Rule rule, String subject, Metric metric, double factor) {
        return new Bar(
                row.title,
                compared,
                rule,
                Set.of(new Use(row, subject)),
                results -> Figure.of(results.values(row, subject, metric)).times(factor));
    }

    private static Bar memory(String compared, double limit, Metric metric) {
        return absolute(Row.MEMORY, compared, Rule.atMost(limit), Subjects.OURS, metric, 1);
    }

    /** The medians of several bars, taken together. */
    private static Bar across(
            String workload,
            String compared,
            Rule rule,
            Collection<Bar> bars,
            ToDoubleFunction<List<Double>> together) {
        return new Bar(
                workload,
                compared,
                rule,
                bars.stream().flatMap(bar -> bar.uses.stream()).collect(Collectors.toSet()),
                results -> {
                    List<Double> medians = medians(bars, results);
                    return new Figure(medians.isEmpty() ? Double.NaN : together.applyAsDouble(medians), medians);
                });
    }

    private static List<Double> medians(Collection<Bar> bars, Results results) {
        List<Double> medians = new ArrayList<>();
        for (Bar bar : bars) {
            Figure figure = bar.value.apply(results);
            if (figure.isMeasured()) {
                medians.add(figure.median());
            }
        }
        return medians;
    }

    /** Returns what is wrong with the executors that it is about; nothing if they have done what they are for. */
    String complaint(Results results) {
        return uses.stream()
                .filter(use -> results.has(use.row, use.subject))
                .filter(use -> results.verdict(use.row, use.subject) != Verdict.OK)
                .map(use -> use.subject + " " + results.verdict(use.row, use.subject).label)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
