package io.orderedexecutor.engine.order;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What has come of changes in a bin, for the thread that has made them: places that hold all of their orders now, in
 * the order in which they were granted, then those that are over by that, the orders in which more are to be granted,
 * and whether something has become empty. Used by one thread at a time: whoever has the bin, and then the one who has
 * let it go.
 */
public final class Grants {
    private @Nullable Place first;
    private @Nullable ArrayDeque<Place> more;

    /**
     * Places that are over when they are granted: they come last, since whoever is told of that may do anything, and
     * the others are not to wait for it in the hands of this thread.
     */
    private @Nullable ArrayDeque<Place> over;

    /** Null if there is none. */
    private @Nullable ArrayDeque<Order> unfinished;

    /** Whether an order was closed, for those who wait until there is none. */
    private boolean anyClosed;

    /** How many bins are closed and empty, and so for good. */
    private int emptied;

    /** An order was closed, and nothing else: most often so. Never changed. */
    static final Grants ONLY_CLOSED = new Grants();

    static {
        ONLY_CLOSED.anyClosed = true;
    }

    static Grants of(Place place) {
        Grants grants = new Grants();
        grants.add(place);
        return grants;
    }

    public void add(Place place) {
        if (place.isOverWhenGranted()) {
            over = over == null ? new ArrayDeque<>(2) : over;
            over.add(place);
        } else if (first == null && more == null) {
            first = place;
        } else {
            if (more == null) {
                more = new ArrayDeque<>(4);
            }
            more.add(place);
        }
    }

    @Nullable
    public Place poll() {
        Place place = first;
        if (place != null) {
            first = null;
            return place;
        }
        place = more == null ? null : more.poll();
        return place == null && over != null ? over.poll() : place;
    }

    void noteUnfinished(Order order) {
        unfinished = unfinished == null ? new ArrayDeque<>(2) : unfinished;
        unfinished.add(order);
    }

    /** An order in which more places are to be granted, by another thread; null if there is none any more. */
    @Nullable
    public Order pollUnfinished() {
        return unfinished == null ? null : unfinished.poll();
    }

    void noteClosed() {
        anyClosed = true;
    }

    public boolean isAnyClosed() {
        return anyClosed;
    }

    void noteEmptied() {
        emptied++;
    }

    public int emptied() {
        return emptied;
    }

    /** Both together; null if there is neither. */
    public static @Nullable Grants merged(@Nullable Grants earlier, @Nullable Grants later) {
        if (earlier == null || later == null) {
            return earlier == null ? later : earlier;
        }
        if (earlier == ONLY_CLOSED) {
            later.anyClosed = true;
            return later;
        }
        for (Place place = later.poll(); place != null; place = later.poll()) {
            earlier.add(place);
        }
        for (Order order = later.pollUnfinished(); order != null; order = later.pollUnfinished()) {
            earlier.noteUnfinished(order);
        }
        earlier.anyClosed |= later.anyClosed;
        earlier.emptied += later.emptied;
        return earlier;
    }
}
