package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/** Why nobody serves a chain although it is open. Compared by identity: each time is another one. */
final class Suspension {

    enum Reason {
        /** The executor or the stripe is paused, until it is resumed. */
        PAUSED,
        /** A task has failed and waits for its next attempt. */
        BACKING_OFF,
        /** A task has failed and waits for somebody to resume or skip. */
        PARKED
    }

    final Reason reason;

    /** What the task threw that waits, unless paused. */
    final @Nullable Throwable failure;

    Suspension(Reason reason, @Nullable Throwable failure) {
        this.reason = reason;
        this.failure = failure;
    }
}
