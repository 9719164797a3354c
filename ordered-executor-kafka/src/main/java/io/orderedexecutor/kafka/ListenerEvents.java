package io.orderedexecutor.kafka;

import java.time.Duration;

/** What happens in a listener, for meters. Called on workers and on consumer threads; must neither block nor throw. */
interface ListenerEvents {
    /** Does nothing. */
    ListenerEvents NONE = new ListenerEvents() {};

    /** How a record ended. */
    enum Outcome {
        PROCESSED,
        DEAD_LETTERED,
        /** After its last attempt; its key proceeded. */
        FAILED,
        /** It was parked, and given up by somebody. */
        SKIPPED,
        DROPPED
    }

    /** A partition of the topic is assigned. */
    default void assigned(String topic) {}

    default void ended(String topic, Outcome outcome) {}

    /** The last owner had settled it: it is not run again. */
    default void deduplicated(String topic) {}

    default void retried(String topic) {}

    default void committed(String topic, Duration took, boolean success) {}

    default void drained(String topic, Duration took, boolean complete) {}

    default void metadata(String topic, int characters) {}
}
