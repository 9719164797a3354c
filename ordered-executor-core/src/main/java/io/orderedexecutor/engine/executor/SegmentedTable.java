package io.orderedexecutor.engine.executor;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The chains of an executor that have tasks now, found by key, in segments by hash. Each segment has a lock of its own,
 * for what needs one, and is rebuilt, closed and emptied by itself.
 *
 * @param <S> the kind of segment
 * @param <C> the kind of chain
 */
public abstract class SegmentedTable<S extends SegmentedTable.Segment, C> {

    /** More than there are threads that submit at a time on most machines, so that they rarely meet in one. */
    public static final int SEGMENTS = 64;

    public interface Segment {

        /** How many tasks or chains have ever come here, or -1 if there are any now. */
        long arrivalsIfEmpty();

        /**
         * Accepts no more tasks that would open a chain.
         *
         * @return whether there is no chain, and so for good
         */
        boolean close();
    }

    private final List<S> segments;

    public SegmentedTable(Supplier<? extends S> segment) {
        this.segments = Stream.<S>generate(segment).limit(SEGMENTS).toList();
    }

    /** Spreads a hash code over all bits (the finalizer of MurmurHash3), since keys often count up. */
    public static int spread(int hashCode) {
        int h = hashCode;
        h = (h ^ (h >>> 16)) * 0x85ebca6b;
        h = (h ^ (h >>> 13)) * 0xc2b2ae35;
        return h ^ (h >>> 16);
    }

    public static int segmentOf(int hash) {
        return hash >>> 26;
    }

    public final S segmentFor(int hash) {
        return segments.get(segmentOf(hash));
    }

    public final List<S> segments() {
        return segments;
    }

    final boolean isEmpty() {
        // a task may go from where nobody has looked to where nobody looks again: so each is empty only if none has
        // come until a second look
        long[] arrivals = new long[SEGMENTS];
        for (int i = 0; i < SEGMENTS; i++) {
            arrivals[i] = segments.get(i).arrivalsIfEmpty();
            if (arrivals[i] < 0) {
                return false;
            }
        }
        for (int i = 0; i < SEGMENTS; i++) {
            if (segments.get(i).arrivalsIfEmpty() != arrivals[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Accepts no more tasks that would open a chain.
     *
     * @return how many segments are empty, and so for good
     */
    final int close() {
        int empty = 0;
        for (S segment : segments) {
            if (segment.close()) {
                empty++;
            }
        }
        return empty;
    }

    /**
     * Visits the chains, in an order in which each comes after those that it has to wait for. No lock is held during a
     * visit; a chain that opens or ends in the meantime may be missed.
     */
    public abstract void forEach(Consumer<? super C> visitor);

    /** As {@link #forEach}, but only those that wait for no other chain; whatever runs is among them. */
    public void forEachStartable(Consumer<? super C> visitor) {
        forEach(visitor);
    }
}
