package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/**
 * A link that has a say in where it is placed, and perhaps in when it starts: its task may wait a little when its turn
 * has come, since more may come that belongs to it.
 */
public abstract class ArrivalLink extends Link {

    ArrivalLink(@Nullable Runnable task) {
        super(task);
    }

    /** Places this link in a strand, as {@link Strand#place} does with other links. */
    public final Placed placeIn(Strand strand, int capacity) {
        strand.note(this);
        return enqueueIn(strand, capacity);
    }

    abstract Placed enqueueIn(Strand strand, int capacity);

    /** For the server: what it has to leave the strand to; null if the task may start. */
    @Nullable
    Suspension linger(Strand strand) {
        return null;
    }

    /** How long it lingers still, if nothing comes; zero or less if it does not. For those who only look. */
    long leftToLinger(Strand strand) {
        return 0;
    }

    /** For the server that has left the strand: whether there is still a reason for that, and somebody to end it. */
    boolean goesOnLingering(Strand strand) {
        return false;
    }
}
