package io.orderedexecutor.kafka;

/** An action of an operator on a parked record. */
public enum ParkedAction {
    /** The record runs again, in its place in the order of its key. Its attempts are counted from 1 again. */
    RESUME,
    /** The record is published to the dead letter topic, and settled when the broker has accepted it. */
    DEAD_LETTER,
    /** The record is settled without having been processed. */
    SKIP
}
