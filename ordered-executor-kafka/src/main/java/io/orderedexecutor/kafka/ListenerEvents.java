package io.orderedexecutor.kafka;

import java.time.Duration;

/**
 * Receives the events of a listener, for meters. Called by workers and consumer threads; must neither block nor throw.
 */
interface ListenerEvents {
    /** Does nothing. */
    ListenerEvents NONE = new ListenerEvents() {};

    /** How a record ended. */
    enum Outcome {
        PROCESSED,
        DEAD_LETTERED,
        /** The last attempt of the record failed, and its key proceeded. */
        FAILED,
        /** The record was parked, and an operator has skipped it. */
        SKIPPED,
        DROPPED
    }

    /** A partition of the topic is assigned. */
    default void assigned(String topic) {}

    default void ended(String topic, Outcome outcome) {}

    /** A record is not run again, since the last owner has settled it. */
    default void deduplicated(String topic) {}

    default void retried(String topic) {}

    default void committed(String topic, Duration took, boolean success) {}

    default void drained(String topic, Duration took, boolean complete) {}

    default void metadata(String topic, int characters) {}
}
