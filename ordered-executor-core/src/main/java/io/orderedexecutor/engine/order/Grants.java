package io.orderedexecutor.engine.order;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The results of changes in bins. The thread that held the bins handles them after the release: granted places; orders
 * with more places to grant; whether something has become empty; how many closed bins have; and last, places that are
 * over as soon as they are granted. Used by that thread alone, except {@link #ONLY_CLOSED}.
 */
public final class Grants {
    private @Nullable Place first;
    private @Nullable ArrayDeque<Place> more;

    /**
     * Places that are over as soon as they are granted. They come last: the dependent actions of their futures may take
     * long, or wait for the other places.
     */
    private @Nullable ArrayDeque<Place> over;

    /**
     * Orders in which places are left to grant, since one thread grants only a few at a time; null if there is none.
     */
    private @Nullable ArrayDeque<Order> unfinished;

    /** Whether an order has become empty, or no barrier is left: threads that wait for idleness then look again. */
    private boolean anyClosed;

    /** How many bins have become closed and empty; no place enters them any more. */
    private int emptied;

    /**
     * The results if something has become empty and nothing else happened: the most frequent case. Shared by all
     * threads: they may write {@link #anyClosed}, which is true already, and nothing else.
     */
    static final Grants ONLY_CLOSED = new Grants();

    static {
        ONLY_CLOSED.anyClosed = true;
    }

    public static Grants of(Place place) {
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

    /** Removes and returns a granted place that is not over; null if there is none any more. */
    @Nullable
    public Place poll() {
        Place place = first;
        if (place != null) {
            first = null;
            return place;
        }
        return more == null ? null : more.poll();
    }

    /** Removes and returns a place that is over as soon as it is granted; null if there is none any more. */
    @Nullable
    public Place pollOver() {
        return over == null ? null : over.poll();
    }

    /** The places that are over as soon as they are granted, without the other results; null if there are none. */
    @Nullable
    public Grants onlyOver() {
        if (over == null || over.isEmpty()) {
            return null;
        }
        Grants rest = new Grants();
        rest.over = over;
        return rest;
    }

    void noteUnfinished(Order order) {
        unfinished = unfinished == null ? new ArrayDeque<>(2) : unfinished;
        unfinished.add(order);
    }

    /** Removes and returns an order in which more places are to be granted; null if there is none any more. */
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
        for (Place place = later.pollOver(); place != null; place = later.pollOver()) {
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
