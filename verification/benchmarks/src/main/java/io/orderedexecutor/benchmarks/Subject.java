package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.CoreClasses.Earlier;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * An executor that is measured.
 *
 * @param name how it is called in options and tables
 * @param kind what it does about order
 * @param description what it is
 * @param factory makes one with so many threads
 * @param earlier another build of the core that its JVM uses instead of this one; null for this build
 */
record Subject(
        String name,
        Kind kind,
        String description,
        IntFunction<KeyedExecutor> factory,
        @Nullable Earlier earlier) {
    static final String BEFORE = "@before";

    Subject(String name, Kind kind, String description, IntFunction<KeyedExecutor> factory) {
        this(name, kind, description, factory, null);
    }

    /** What a subject does about order. */
    enum Kind {
        LIMIT("no order"),
        OURS("ours"),
        /** One of ours with a feature switched on, for the row that compares it with all of them off. */
        FEATURE("ours"),
        /** One of ours beside submitters that are blocked, for the row that compares one with many. */
        BLOCKED("ours"),
        /** One of ours that drops queued tasks, for the row that compares a short queue with a long one. */
        DISCARDING("ours"),
        /** Another of ours, used as the striped one. */
        VIEW("ours"),
        /** One of ours that collects what is queued, beside the one that does not. */
        COLLECTED("ours"),
        /** One of ours whose calls take time, for the row that compares one item in each call with many. */
        CALLS("ours"),
        BASELINE("a queue for each key"),
        QUEUES("a queue for each key"),
        HASHED("keys bound to threads"),
        /** Tasks are worked on in no order, and their outputs have one. */
        OUTPUT("output in order");

        final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    /** The same, from another build of the core. */
    Subject before(Earlier build) {
        return new Subject(name + BEFORE, kind, description + ", from another build", factory, build);
    }

    /** How this build calls it: a JVM is told this name, and has the classes of the one build or the other. */
    String plainName() {
        return earlier == null ? name : name.substring(0, name.length() - BEFORE.length());
    }

    boolean isOrdered() {
        return kind != Kind.LIMIT;
    }

    /** Whether there may be one of an earlier build. */
    boolean isOurs() {
        return Set.of(Kind.OURS, Kind.FEATURE, Kind.BLOCKED, Kind.DISCARDING, Kind.COLLECTED, Kind.CALLS)
                        .contains(kind)
                || plainName().equals(Subjects.OURS_OUTPUT);
    }
}
