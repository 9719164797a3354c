package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.ThroughputExperiment.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/** A line of the tables. */
enum Row {
    ONE_STRIPE("1", "1 stripe", new Load(1, 1, 0)),
    THOUSAND_STRIPES("1k", "1,000 stripes", new Load(1_000, 1, 0)),
    HUNDRED_THOUSAND_STRIPES("100k", "100,000 stripes", new Load(100_000, 1, 0)),
    TWO_PRODUCERS("2p", "2 producers, 1,000 stripes", new Load(1_000, 2, 0)),
    WORK("work", "200 tokens of work, 1,000 stripes", new Load(1_000, 1, 200)),
    GROUPS("groups", "1,000 groups, 1 % rollups", new Load(1_000, 1, 0, 100)),
    FEATURES("features", "1,000 stripes, one feature at a time", new Load(1_000, 1, 0)),
    BLOCKED("blocked", "1,000 stripes, beside blocked submitters", new Load(1_000, 1, 0)),
    OUTPUT("output", "1,000 ordered outputs", new Load(1_000, 1, 0)),
    BUSY("busy", "1 stripe, 1 ms for each call", Table.CALLS, BusyExperiment::new),
    SUBMISSION("submission", "submission", Table.SUBMISSION, SubmissionExperiment::new),
    LATENCY("latency", "at 50 % load", Table.WAIT, LatencyExperiment::alone),
    LATENCY_BUSY("latency-busy", "beside two busy threads", Table.WAIT, LatencyExperiment::besideBusyThreads),
    BACKLOG("backlog", "beside a backlog", Table.WAIT, BacklogExperiment::new),
    HOT_STRIPE("hot", "beside a hot stripe", Table.WAIT, HotStripeExperiment::new),
    MEMORY("memory", "memory", Table.MEMORY, MemoryExperiment::new);

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
        /** Each call takes so long that how fast the code around it is hardly matters. */
        CALLS,
        /** A sample is long enough for the compiler to have seen it all after one or two. */
        WAIT,
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
                case CALLS, WAIT -> Math.min(plan.warmups(), 2);
                case MEMORY -> 0;
            };
        }

        int rounds(Plan plan) {
            return switch (this) {
                case THROUGHPUT, SUBMISSION -> plan.rounds();
                case CALLS, WAIT -> Math.min(plan.rounds(), 3);
                case MEMORY -> 1;
            };
        }

        List<String> jvmArguments(Plan plan) {
            List<String> arguments = new ArrayList<>(this == MEMORY ? EXACT_HEAP : workingHeap(plan));
            arguments.add("-XX:+ExitOnOutOfMemoryError");
            arguments.addAll(plan.jvmArguments());
            return arguments;
        }

        private static List<String> workingHeap(Plan plan) {
            return List.of("-Xms" + plan.heap(), "-Xmx" + plan.heap(), "-XX:+UseG1GC");
        }
    }

    /** Whether a subject does what this row is about. */
    boolean isFor(Subject subject) {
        boolean isOurs = subject.plainName().equals(Subjects.OURS);
        return switch (subject.kind()) {
            case LIMIT -> this != FEATURES && this != BLOCKED && this != BUSY;
            case OUTPUT -> this == OUTPUT;
            case FEATURE -> this == FEATURES;
            case BLOCKED -> this == BLOCKED;
            case COLLECTED -> this == ONE_STRIPE || this == THOUSAND_STRIPES;
            case CALLS -> this == BUSY;
            case OURS, BASELINE, QUEUES, HASHED ->
                this != OUTPUT && this != BLOCKED && this != BUSY && (this != FEATURES || isOurs);
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
