package io.orderedexecutor.engine.striped;

import io.orderedexecutor.engine.executor.SegmentedTable;

/**
 * The stripes that have tasks, found by key.
 *
 * <p>A hash table of its own rather than a {@link java.util.concurrent.ConcurrentHashMap}, for three reasons: that one
 * calls the keys' {@code equals} while it holds the lock of a bin, allocates a node for each entry, and never shrinks.
 * Here the stripes are the entries; keys are compared without a lock; and nothing remembers a stripe that has ended,
 * nor how many there once were.
 *
 * <p>The table is cut into segments by hash, so that only a small part of it is rebuilt at a time. See
 * {@link StripeBins} for how searches and changes meet.
 */
public final class StripeTable extends SegmentedTable<StripeBins, Stripe> {

    public StripeTable() {
        super(index -> new StripeBins(), null);
    }

    long size() {
        return segments().stream().mapToLong(StripeBins::size).sum();
    }
}
