package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/** A link whose task may wait a little when its turn has come, since more may come that belongs to it. */
abstract class LingeringLink extends ArrivalLink {

    LingeringLink(@Nullable Runnable task) {
        super(task);
    }

    /** For the server: what it has to leave the strand to; null if the task may start. */
    abstract @Nullable Suspension linger(Strand strand);

    /** How long it lingers still, if nothing comes; zero or less if it does not. For those who only look. */
    abstract long leftToLinger(Strand strand);

    /** For the server that has left the strand: whether there is still a reason for that, and somebody to end it. */
    abstract boolean goesOnLingering(Strand strand);
}
