package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Subject.Kind;
import java.util.List;

/** All that are measured. A class of a library is not loaded before its subject is made. */
final class Subjects {
    static final String UNORDERED = "unordered";
    static final String OURS = "ours";
    static final String OURS_CAPACITY = "ours-capacity";
    static final String OURS_KEY_CAPACITY = "ours-key-capacity";
    static final String OURS_LISTENING = "ours-listening";
    static final String OURS_BOUNDED = "ours-bounded";
    static final String OURS_1_BLOCKED = "ours-1-blocked";
    static final String OURS_1000_BLOCKED = "ours-1000-blocked";
    static final String OURS_1000_QUEUED = "ours-1000-queued";
    static final String OURS_100000_QUEUED = "ours-100000-queued";
    static final String OURS_COLLECTED = "ours-collected";
    static final String OURS_QUEUED_CALLS = "ours-queued-calls";
    static final String OURS_COLLECTED_CALLS = "ours-collected-calls";
    static final String OURS_GROUPED = "ours-grouped";
    static final String OURS_STRIPES_OF_GROUPS = "ours-stripes-of-groups";
    static final String OURS_OUTPUT = "ours-output";
    static final String FUTURES_IN_ORDER = "futures-in-order";
    static final String OUTPUT_LOCK = "output-lock";
    static final String GLOBAL_LOCK = "global-lock";
    static final String SINGLE_THREADS = "single-threads";

    static final List<Subject> ALL = List.of(
            new Subject(UNORDERED, Kind.LIMIT, "ForkJoinPool in async mode", LimitSubjects::forkJoinPool),
            new Subject("fixed-pool", Kind.LIMIT, "Executors.newFixedThreadPool", LimitSubjects::fixedPool),
            new Subject(OURS, Kind.OURS, "StripedExecutor on threads of its own", OurSubjects::ownThreads),
            new Subject("ours-fjp", Kind.OURS, "StripedExecutor on an async ForkJoinPool", OurSubjects::onForkJoinPool),
            new Subject(OURS_CAPACITY, Kind.FEATURE, "StripedExecutor with a capacity", OurSubjects::withCapacity),
            new Subject(
                    OURS_KEY_CAPACITY,
                    Kind.FEATURE,
                    "StripedExecutor with a capacity of each key",
                    OurSubjects::withKeyCapacity),
            new Subject(
                    OURS_1_BLOCKED,
                    Kind.BLOCKED,
                    "StripedExecutor beside one blocked submitter",
                    threads -> OurSubjects.withBlockedSubmitters(threads, 1)),
            new Subject(
                    OURS_1000_BLOCKED,
                    Kind.BLOCKED,
                    "StripedExecutor beside 1,000 blocked submitters",
                    threads -> OurSubjects.withBlockedSubmitters(threads, 1_000)),
            new Subject(
                    OURS_1000_QUEUED,
                    Kind.DISCARDING,
                    "StripedExecutor, full with 1,000 tasks, that drops the oldest",
                    threads -> OurSubjects.discarding(threads, 1_000)),
            new Subject(
                    OURS_100000_QUEUED,
                    Kind.DISCARDING,
                    "StripedExecutor, full with 100,000 tasks, that drops the oldest",
                    threads -> OurSubjects.discarding(threads, 100_000)),
            new Subject(
                    OURS_BOUNDED,
                    Kind.FEATURE,
                    "StripedExecutor with capacities, a listener that counts and times, stats() once a second",
                    OurSubjects::bounded),
            new Subject(
                    OURS_LISTENING,
                    Kind.FEATURE,
                    "StripedExecutor with a listener that counts and times",
                    OurSubjects::listening),
            new Subject(
                    OURS_COLLECTED,
                    Kind.COLLECTED,
                    "Batcher of a StripedExecutor, at most 100 items in a batch",
                    OurSubjects::collecting),
            new Subject(
                    OURS_QUEUED_CALLS,
                    Kind.CALLS,
                    "StripedExecutor, a call of 1 ms for each item",
                    OurSubjects::queuedCalls),
            new Subject(
                    OURS_COLLECTED_CALLS,
                    Kind.CALLS,
                    "Batcher of a StripedExecutor, a call of 1 ms for each batch of at most 100 items",
                    OurSubjects::collectedCalls),
            new Subject(
                    OURS_GROUPED,
                    Kind.OURS,
                    "GroupedExecutor, each task with one group exclusively, or two",
                    OurSubjects::grouped),
            new Subject(
                    OURS_STRIPES_OF_GROUPS,
                    Kind.VIEW,
                    "GroupedExecutor, used as a StripedExecutor",
                    OurSubjects::stripesOfGroups),
            new Subject(
                    GLOBAL_LOCK,
                    Kind.BASELINE,
                    "one lock over a map of serial queues, on an async ForkJoinPool",
                    GlobalLockExecutor::new),
            new Subject("jano7", Kind.QUEUES, "KeySequentialRunner on an async ForkJoinPool", PeerSubjects::jano7),
            new Subject(
                    "guava", Kind.QUEUES, "map of newSequentialExecutor on an async ForkJoinPool", PeerSubjects::guava),
            new Subject(
                    "artemis",
                    Kind.QUEUES,
                    "map of OrderedExecutorFactory's executors on an async ForkJoinPool",
                    PeerSubjects::artemis),
            new Subject("vertx", Kind.QUEUES, "map of TaskQueue on an async ForkJoinPool", PeerSubjects::vertx),
            new Subject(
                    "netty",
                    Kind.QUEUES,
                    "map of NonStickyEventExecutorGroup's executors on its UnorderedThreadPoolEventExecutor",
                    PeerSubjects::netty),
            new Subject("bookkeeper", Kind.HASHED, "OrderedExecutor", PeerSubjects::bookkeeper),
            new Subject("more-lambdas", Kind.HASHED, "KeyAffinityExecutor", PeerSubjects::moreLambdas),
            new Subject(
                    SINGLE_THREADS,
                    Kind.HASHED,
                    "array of Executors.newSingleThreadExecutor",
                    SingleThreadsExecutor::new),
            new Subject(
                    OURS_OUTPUT, Kind.OUTPUT, "OrderedOutputExecutor, an output for each key", OutputSubjects::ours),
            new Subject(
                    FUTURES_IN_ORDER,
                    Kind.OUTPUT,
                    "async ForkJoinPool, futures collected in order by one thread more",
                    OutputSubjects::futuresInOrder),
            new Subject(
                    OUTPUT_LOCK,
                    Kind.OUTPUT,
                    "fixed pool, a lock for each key around the output, in which threads wait for their turn",
                    OutputSubjects::lockAroundOutput),
            new Subject(
                    "reactor",
                    Kind.OUTPUT,
                    "map of Reactor's flatMapSequential on an async ForkJoinPool",
                    OutputSubjects::flatMapSequential));

    private Subjects() {}

    /** How one of ours is called that is of another build. */
    static String before(String name) {
        return name + Subject.BEFORE;
    }

    static Subject named(String name) {
        return ALL.stream()
                .filter(subject -> subject.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no executor '" + name + "'; there are " + names(ALL)));
    }

    /** Those with these names, in the order of {@link #ALL}. */
    static List<Subject> named(List<String> names) {
        List<Subject> wanted = names.stream().map(Subjects::named).toList();
        return ALL.stream().filter(wanted::contains).toList();
    }

    static List<String> names(List<Subject> subjects) {
        return subjects.stream().map(Subject::name).toList();
    }
}
