package io.orderedexecutor;

import java.util.function.Consumer;

/**
 * The stripes that have tasks, found by key.
 *
 * <p>A hash table of its own rather than a {@link java.util.concurrent.ConcurrentHashMap}, for three reasons: that one calls
 * the keys' {@code equals} while it holds the lock of a bin, allocates a node for each entry, and never shrinks. Here the
 * stripes are the entries; keys are compared without a lock; and nothing remembers a stripe that has ended, nor how many
 * there once were.
 *
 * <p>The table is cut into segments by hash, each with a lock of its own that is held for a few pointer writes. See
 * {@link StripeSegment} for how searches and changes meet.
 */
final class StripeTable implements LiveChains<Stripe> {

    /** More than there are threads that submit at a time on most machines, so that they rarely meet in one. */
    private static final int SEGMENTS = 64;

    private final StripeSegment[] segments = new StripeSegment[SEGMENTS];

    StripeTable() {
        for (int i = 0; i < SEGMENTS; i++) {
            segments[i] = new StripeSegment();
        }
    }

    /** Spreads a hash code over all bits (the finalizer of MurmurHash3), since keys often count up. */
    static int spread(int hashCode) {
        int h = hashCode;
        h = (h ^ (h >>> 16)) * 0x85ebca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2ae35;
        return h ^ (h >>> 16);
    }

    StripeSegment segmentFor(int hash) {
        return segments[hash >>> 26];
    }

    @Override
    public int segments() {
        return SEGMENTS;
    }

    long size() {
        long size = 0;
        for (StripeSegment segment : segments) {
            size += segment.size();
        }
        return size;
    }

    @Override
    public boolean isEmpty() {
        // a task may go from where nobody has looked to where nobody looks again: so each is empty only if none has
        // come until a second look
        long[] arrivals = new long[SEGMENTS];
        for (int i = 0; i < SEGMENTS; i++) {
            arrivals[i] = segments[i].arrivalsIfEmpty();
            if (arrivals[i] < 0) {
                return false;
            }
        }
        for (int i = 0; i < SEGMENTS; i++) {
            if (segments[i].arrivalsIfEmpty() != arrivals[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int close() {
        int empty = 0;
        for (StripeSegment segment : segments) {
            if (segment.close()) {
                empty++;
            }
        }
        return empty;
    }

    @Override
    public void forEach(Consumer<? super Stripe> visitor) {
        for (StripeSegment segment : segments) {
            segment.stripes().forEach(visitor);
        }
    }
}
