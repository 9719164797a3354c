package io.orderedexecutor.benchmarks;

import java.util.function.IntFunction;

/**
 * An executor that is measured.
 *
 * @param name how it is called in options and tables
 * @param kind what it does about order
 * @param description what it is
 * @param factory makes one with so many threads
 */
record Subject(String name, Kind kind, String description, IntFunction<KeyedExecutor> factory) {

    /** What a subject does about order. */
    enum Kind {
        LIMIT("no order"),
        OURS("ours"),
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

    boolean isOrdered() {
        return kind != Kind.LIMIT;
    }
}
