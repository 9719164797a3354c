package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/** A link that has a say in where it is placed. */
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
}
