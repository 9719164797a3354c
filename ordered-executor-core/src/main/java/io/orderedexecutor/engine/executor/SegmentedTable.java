package io.orderedexecutor.engine.executor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The strands of an executor that have tasks now, found by key, in segments by hash. Each segment has a lock of its
 * own, for what needs one, and is rebuilt, closed and emptied by itself.
 *
 * <p>A segment is created when it is first needed, so an executor that was never used is small. From then on it is
 * never replaced.
 *
 * @param <S> the kind of segment
 * @param <C> the kind of strand
 */
public class SegmentedTable<S extends SegmentedTable.Segment<C>, C> {

    /** More than there are threads that submit at a time on most machines, so that they rarely meet in one segment. */
    public static final int SEGMENTS = 64;

    /**
     * A part of a table.
     *
     * @param <C> the kind of strand
     */
    public interface Segment<C> {

        /** How many tasks or strands have ever come here, or -1 if there are any now; 0 in a new segment. */
        long arrivalsIfEmpty();

        /**
         * Accepts no more tasks that would open a strand; may be called again.
         *
         * @return whether there is no strand, and so for good
         */
        boolean close();

        /** The strands that were here during the whole call, and perhaps some that came or ended meanwhile. */
        List<C> strands();

        /** As {@link #strands}, without those that wait for others, which may be in another segment. */
        default List<C> startable() {
            return strands();
        }
    }

    private final IntFunction<? extends S> newSegment;

    /** In which strands come after those that they wait for; null if none waits for another one. */
    private final @Nullable Comparator<? super C> order;

    /** Null until needed; set once, by compare-and-set. */
    private final AtomicReferenceArray<S> segments = new AtomicReferenceArray<>(SEGMENTS);

    /**
     * Makes a table without strands.
     *
     * @param newSegment makes the segment of an index; may be called by any thread, and more than once for an index
     * @param order in which strands come after those that they wait for; null if none waits for another one
     */
    public SegmentedTable(IntFunction<? extends S> newSegment, @Nullable Comparator<? super C> order) {
        this.newSegment = newSegment;
        this.order = order;
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
        return segmentAt(segmentOf(hash));
    }

    private S segmentAt(int index) {
        S segment = segments.getAcquire(index);
        return segment == null ? create(index) : segment;
    }

    private S create(int index) {
        S created = newSegment.apply(index);
        S before = segments.compareAndExchange(index, null, created);
        return before == null ? created : before;
    }

    /** The segments that were needed up to now. */
    public final List<S> segments() {
        List<S> existing = new ArrayList<>();
        for (int index = 0; index < SEGMENTS; index++) {
            S segment = segments.get(index);
            if (segment != null) {
                existing.add(segment);
            }
        }
        return existing;
    }

    public final boolean isEmpty() {
        // during the walk, a task may go from a segment that comes later to one that was passed: so the table is empty
        // only if no task has come to any segment until a second look
        long[] arrivals = new long[SEGMENTS];
        for (int index = 0; index < SEGMENTS; index++) {
            arrivals[index] = arrivalsIfEmpty(index);
            if (arrivals[index] < 0) {
                return false;
            }
        }
        for (int index = 0; index < SEGMENTS; index++) {
            if (arrivalsIfEmpty(index) != arrivals[index]) {
                return false;
            }
        }
        return true;
    }

    private long arrivalsIfEmpty(int index) {
        S segment = segments.get(index);
        return segment == null ? 0 : segment.arrivalsIfEmpty();
    }

    /**
     * Accepts no more tasks that would open a strand; may be called again. Segments that were not needed up to now are
     * created: a submitter that comes late is refused by a closed one, and those that lock several rely on their order.
     *
     * @param empty is told the index of each segment that is empty, and so for good
     */
    public final void close(IntConsumer empty) {
        for (int index = 0; index < SEGMENTS; index++) {
            if (segmentAt(index).close()) {
                empty.accept(index);
            }
        }
    }

    /**
     * Visits the strands, in an order in which each comes after those that it has to wait for. No lock is held during a
     * visit; a strand that opens or ends in the meantime may be missed.
     */
    public final void forEach(Consumer<? super C> visitor) {
        if (order == null) {
            segments().forEach(segment -> segment.strands().forEach(visitor));
        } else {
            inOrder().forEach(visitor);
        }
    }

    /**
     * As {@link #forEach}, but only the strands that wait for no other one, some of them more than once; those that run
     * are among them.
     */
    public final void forEachStartable(Consumer<? super C> visitor) {
        segments().forEach(segment -> segment.startable().forEach(visitor));
    }

    /** What is seen of each strand at this moment; nothing of those for which {@code look} returns null. */
    public final <T> List<T> collect(Function<? super C, ? extends @Nullable T> look) {
        List<T> collected = new ArrayList<>();
        forEach(strand -> {
            T seen = look.apply(strand);
            if (seen != null) {
                collected.add(seen);
            }
        });
        return List.copyOf(collected);
    }

    /** All strands, in no order. */
    public final List<C> strands() {
        List<C> strands = new ArrayList<>();
        segments().forEach(segment -> strands.addAll(segment.strands()));
        return strands;
    }

    /** All strands, in the order of this table. */
    public final List<C> inOrder() {
        List<C> strands = strands();
        strands.sort(order);
        return strands;
    }
}
