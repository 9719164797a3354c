package io.orderedexecutor.kafka;

/** What can be done with a parked record. */
public enum ParkedAction {
    /** It runs again, with all its attempts, in its place. */
    RETRY,
    /** It is published to the dead letter topic, and settled when the broker has it. */
    DEAD_LETTER,
    /** It is settled without having been processed. */
    SKIP
}
