package io.orderedexecutor.engine.strand;

import io.orderedexecutor.engine.task.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Why no thread serves a strand although it is open. Compared by identity: each time is another one, but for that of a
 * reserved place.
 */
final class Suspension {

    enum Reason {
        /** The executor or the stripe is paused, until it is resumed. */
        PAUSED,
        /** A task has failed and waits for its next attempt. */
        BACKING_OFF,
        /** A task has failed and waits for a resume or skip. */
        PARKED,
        /** The turn of a {@link ReservedPlace} has come, and its task has not. */
        RESERVED,
        /** A batch waits a little for more items. */
        LINGERING
    }

    final Reason reason;

    /** What the waiting task has thrown; null if none has. */
    final @Nullable Throwable failure;

    /** When the waiting task is to be tried again, by the clock of the platform; of {@link Reason#BACKING_OFF} only. */
    final long until;

    Suspension(Reason reason, @Nullable Throwable failure) {
        this(reason, failure, 0);
    }

    private Suspension(Reason reason, @Nullable Throwable failure, long until) {
        this.reason = reason;
        this.failure = failure;
        this.until = until;
    }

    static Suspension backingOff(Throwable failure, long until) {
        return new Suspension(Reason.BACKING_OFF, failure, until);
    }
}
