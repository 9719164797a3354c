package io.orderedexecutor.engine.order;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The results of changes in a bin, for the thread that has made them: places that are granted now, in that order, then
 * places that are over when they are granted, orders in which more places are to be granted, and whether something has
 * become empty. Used by one thread at a time: the one that has the bin, and then the one that has let it go.
 */
public final class Grants {
    private @Nullable Place first;
    private @Nullable ArrayDeque<Place> more;

    /**
     * Places that are over when they are granted. They come last: dependent actions of their futures may take any time,
     * and the other places must not wait for these actions in the hands of this thread.
     */
    private @Nullable ArrayDeque<Place> over;

    /** Null if there is none. */
    private @Nullable ArrayDeque<Order> unfinished;

    /** Whether an order was closed, for threads that wait until there is none. */
    private boolean anyClosed;

    /** How many bins are closed and empty, and so for good. */
    private int emptied;

    /** Tells that an order was closed, and nothing else, as is the case most often. Never changed. */
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
