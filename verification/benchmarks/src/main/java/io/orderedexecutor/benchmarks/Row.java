package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Subject.Kind;
import io.orderedexecutor.benchmarks.ThroughputExperiment.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/** A line of the tables. */
enum Row {
    ONE_STRIPE("1", "1 stripe", Load.of(1)),
    THOUSAND_STRIPES("1k", "1,000 stripes", Load.of(1_000)),
    HUNDRED_THOUSAND_STRIPES("100k", "100,000 stripes", Load.of(100_000)),
    ONE_STRIPE_2("1-2p", "2 producers, 1 stripe", Load.of(1).byTwo()),
    TWO_PRODUCERS("2p", "2 producers, 1,000 stripes", Load.of(1_000).byTwo()),
    HUNDRED_THOUSAND_STRIPES_2(
            "100k-2p", "2 producers, 100,000 stripes", Load.of(100_000).byTwo()),
    ONE_STRIPE_FREE("1-free", "1 stripe, no window", Load.of(1).unlimited()),
    THOUSAND_STRIPES_FREE("1k-free", "1,000 stripes, no window", Load.of(1_000).unlimited()),
    HUNDRED_THOUSAND_STRIPES_FREE(
            "100k-free", "100,000 stripes, no window", Load.of(100_000).unlimited()),
    ONE_STRIPE_2_FREE(
            "1-2p-free", "2 producers, 1 stripe, no window", Load.of(1).byTwo().unlimited()),
    TWO_PRODUCERS_FREE(
            "2p-free",
            "2 producers, 1,000 stripes, no window",
            Load.of(1_000).byTwo().unlimited()),
    HUNDRED_THOUSAND_STRIPES_2_FREE(
            "100k-2p-free",
            "2 producers, 100,000 stripes, no window",
            Load.of(100_000).byTwo().unlimited()),
    /** Few of the tasks that are queued have the key of another. */
    IDLE_STRIPES("idle", "100,000 stripes, nearly all idle", Load.of(100_000).window(2_048)),
    WORK("work", "200 tokens of work, 1,000 stripes", Load.of(1_000).tokens(200)),
    WORK_1_US(
            "1us",
            "1 µs of work, 2 producers, 1,000 stripes",
            Load.of(1_000).byTwo().nanos(1_000)),
    WORK_10_US(
            "10us",
            "10 µs of work, 2 producers, 1,000 stripes",
            Load.of(1_000).byTwo().nanos(10_000)),
    PLAIN_GROUPS("groups-0", "1,000 groups, no rollups", Load.of(1_000)),
    GROUPS("groups", "1,000 groups, 1 % rollups", Load.of(1_000).rollupEvery(100)),
    GROUPS_10("groups-10", "1,000 groups, 10 % rollups", Load.of(1_000).rollupEvery(10)),
    GROUPS_100("groups-100", "1,000 groups, 100 % rollups", Load.of(1_000).rollupEvery(1)),
    SHARED_10("shared-10", "1,000 groups, 10 % shared", Load.of(1_000).sharedPercent(10)),
    SHARED_50("shared-50", "1,000 groups, 50 % shared", Load.of(1_000).sharedPercent(50)),
    PLAIN_GROUPS_FREE(
            "groups-0-free",
            "1,000 groups, no rollups, no window",
            Load.of(1_000).unlimited()),
    GROUPS_FREE(
            "groups-free",
            "1,000 groups, 1 % rollups, no window",
            Load.of(1_000).rollupEvery(100).unlimited()),
    GROUPS_10_FREE(
            "groups-10-free",
            "1,000 groups, 10 % rollups, no window",
            Load.of(1_000).rollupEvery(10).unlimited()),
    GROUPS_100_FREE(
            "groups-100-free",
            "1,000 groups, 100 % rollups, no window",
            Load.of(1_000).rollupEvery(1).unlimited()),
    SHARED_10_FREE(
            "shared-10-free",
            "1,000 groups, 10 % shared, no window",
            Load.of(1_000).sharedPercent(10).unlimited()),
    SHARED_50_FREE(
            "shared-50-free",
            "1,000 groups, 50 % shared, no window",
            Load.of(1_000).sharedPercent(50).unlimited()),
    FEATURES("features", "1,000 stripes, one feature at a time", Load.of(1_000)),
    BLOCKED("blocked", "1,000 stripes, beside blocked submitters", Load.of(1_000)),
    ONE_OUTPUT("output-1", "1 ordered output", Load.of(1)),
    OUTPUT("output", "1,000 ordered outputs", Load.of(1_000)),
    ONE_OUTPUT_FREE("output-1-free", "1 ordered output, no window", Load.of(1).unlimited()),
    OUTPUT_FREE(
            "output-free", "1,000 ordered outputs, no window", Load.of(1_000).unlimited()),
    BUSY("busy", "1 stripe, 1 ms for each call", Table.CALLS, BusyExperiment::new),
    SUBMISSION("submission", "submission", Table.SUBMISSION, SubmissionExperiment::new),
    EXECUTE_4(
            "execute-4",
            "4 submitters",
            Table.EXECUTE,
            (subject, settings) -> new ExecuteExperiment(subject, settings, 4)),
    EXECUTE_16(
            "execute-16",
            "16 submitters",
            Table.EXECUTE,
            (subject, settings) -> new ExecuteExperiment(subject, settings, 16)),
    LATENCY("latency", "at 50 % load", Table.WAIT, LatencyExperiment::alone),
    LATENCY_1("latency-1", "1 stripe at 50 % load", Table.WAIT, LatencyExperiment::ofOneKey),
    LATENCY_BUSY("latency-busy", "beside two busy threads", Table.WAIT, LatencyExperiment::besideBusyThreads),
    BACKLOG("backlog", "beside a backlog", Table.WAIT, BacklogExperiment::new),
    HOT_STRIPE("hot", "beside a hot stripe", Table.WAIT, HotStripeExperiment::new),
    BARRIER("barrier", "100,000 open keys", Table.BARRIER, BarrierExperiment::new),
    SCRAPE("scrape", "300,000 open keys", Table.SCRAPE, ScrapeExperiment::new),
    SCRAPED_KEY("scrape-hot", "beside a long backlog of one key", Table.SCRAPED_KEY, ScrapedKeyExperiment::new),
    DISCARD("discard", "1 stripe of a full executor", Table.DISCARD, DiscardExperiment::new),
    MEMORY("memory", "memory", Table.MEMORY, MemoryExperiment::new);

    /** Tasks without work, each with one key; with a window and without. */
    static final Set<Row> STRIPES =
            Collections.unmodifiableSet(EnumSet.range(ONE_STRIPE, HUNDRED_THOUSAND_STRIPES_2_FREE));

    /** Tasks without work of one key, of two, or that share theirs. */
    static final Set<Row> GROUPED = Collections.unmodifiableSet(EnumSet.range(PLAIN_GROUPS, SHARED_50_FREE));

    static final Set<Row> OUTPUTS = Collections.unmodifiableSet(EnumSet.range(ONE_OUTPUT, OUTPUT_FREE));

    /** How it is called in options. */
    final String key;

    final String title;
    final Table table;

    @SuppressWarnings("ImmutableEnumChecker") // the factories hold nothing but numbers
    private final BiFunction<Subject, Settings, Experiment> factory;

    Row(String key, String title, Load load) {
        this(key, title, Table.THROUGHPUT, (subject, settings) -> new ThroughputExperiment(subject, settings, load));
    }

    Row(String key, String title, Table table, BiFunction<Subject, Settings, Experiment> factory) {
        this.key = key;
        this.title = title;
        this.table = table;
        this.factory = factory;
    }

    /** Which table a row is in. */
    enum Table {
        THROUGHPUT,
        /** Queues are filled, and emptied before the next sample. */
        SUBMISSION,
        /** Calls that take long are counted. */
        EXECUTE,
        /** Each call takes so long that how fast the code around it is hardly matters. */
        CALLS,
        /** A sample is long enough for the compiler to have seen it all after one or two. */
        WAIT,
        /** The longest call, and how long a look takes: each sample opens many keys before. */
        BARRIER,
        SCRAPE,
        SCRAPED_KEY,
        /** Each sample fills the queue before. */
        DISCARD,
        /** One look at the heap of each JVM. */
        MEMORY;

        /**
         * After a full collection, the serial collector tells to the byte what is in use, as long as no thread has
         * taken more than it needs: a buffer of its own would count with its size, which is megabytes.
         */
        private static final List<String> EXACT_HEAP = List.of("-Xms3g", "-Xmx3g", "-XX:+UseSerialGC", "-XX:-UseTLAB");

        int warmups(Plan plan) {
            return switch (this) {
                case THROUGHPUT, SUBMISSION -> plan.warmups();
                case EXECUTE, CALLS, WAIT, BARRIER, SCRAPE, SCRAPED_KEY, DISCARD -> Math.min(plan.warmups(), 2);
                case MEMORY -> 0;
            };
        }

        int rounds(Plan plan) {
            return switch (this) {
                case THROUGHPUT, SUBMISSION, EXECUTE, DISCARD -> plan.rounds();
                case CALLS, WAIT, BARRIER, SCRAPE, SCRAPED_KEY -> Math.min(plan.rounds(), plan.longRounds());
                case MEMORY -> 1;
            };
        }

        List<String> jvmArguments(Plan plan) {
            List<String> arguments = new ArrayList<>(this == MEMORY ? EXACT_HEAP : workingHeap(plan));
            arguments.add("-XX:+ExitOnOutOfMemoryError");
            arguments.addAll(plan.jvmArguments());
            return arguments;
        }

        /**
         * Touched before anything is measured: in a virtual machine, the first use of a page may take as long as a
         * hundred tasks, and how many new pages a sample uses depends on how the collector has sized its regions.
         */
        private static List<String> workingHeap(Plan plan) {
            return List.of("-Xms" + plan.heap(), "-Xmx" + plan.heap(), "-XX:+UseG1GC", "-XX:+AlwaysPreTouch");
        }
    }

    /** Whether a subject does what this row is about. */
    boolean isFor(Subject subject) {
        String name = subject.plainName();
        return switch (this) {
            case FEATURES -> subject.kind() == Kind.FEATURE || name.equals(Subjects.OURS);
            case BLOCKED -> subject.kind() == Kind.BLOCKED;
            case BUSY -> subject.kind() == Kind.CALLS;
            case ONE_OUTPUT, OUTPUT, ONE_OUTPUT_FREE, OUTPUT_FREE ->
                subject.kind() == Kind.OUTPUT || subject.kind() == Kind.LIMIT;
            case BARRIER -> name.equals(Subjects.OURS_GROUPED);
            case SCRAPE, SCRAPED_KEY -> name.equals(Subjects.OURS_LISTENING);
            case DISCARD -> subject.kind() == Kind.DISCARDING;
            default ->
                switch (subject.kind()) {
                    case LIMIT, OURS, BASELINE, QUEUES, HASHED -> true;
                    case COLLECTED -> this == ONE_STRIPE || this == THOUSAND_STRIPES;
                    case VIEW -> STRIPES.contains(this) && Core.PRESENT.hasStripesOfGroups();
                    case FEATURE, BLOCKED, DISCARDING, CALLS, OUTPUT -> false;
                };
        };
    }

    Experiment start(Subject subject, Settings settings) {
        return factory.apply(subject, settings);
    }

    static Row keyed(String key) {
        return Arrays.stream(values())
                .filter(row -> row.key.equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no row '" + key + "'; there are " + keys()));
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(row -> row.key).toList();
    }
}
