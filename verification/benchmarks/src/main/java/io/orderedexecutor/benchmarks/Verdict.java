package io.orderedexecutor.benchmarks;

/** Whether an executor did what it is for, from good to bad. */
enum Verdict {
    OK("ok"),
    /** All ran, and once; two tasks of a key did so beside each other or in the wrong order. */
    BREAKS_ORDER("breaks order"),
    /** Something ran that was not to run, twice perhaps. */
    REPEATS_TASKS("repeats tasks"),
    LOSES_TASKS("loses tasks"),
    /** The JVM ended, or gave no answer. */
    FAILED("failed");

    final String label;

    Verdict(String label) {
        this.label = label;
    }

    /** Whether figures of such an executor mean anything. */
    boolean isMeasurable() {
        return this == OK || this == BREAKS_ORDER;
    }

    Verdict worse(Verdict other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
