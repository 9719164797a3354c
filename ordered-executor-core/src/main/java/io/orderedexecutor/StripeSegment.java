package io.orderedexecutor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link StripeTable}: the {@link Bins} of its stripes, whose lock is the monitor. Observers look again under the monitor if
 * the bins were rebuilt while they looked without.
 */
final class StripeSegment extends Bins<Stripe> implements SegmentedTable.Segment {

    /** Written under the monitor, where opening a stripe reads it: none may open once the last may have ended. */
    private volatile boolean closed;

    /**
     * Places a task behind the last one of its stripe, or opens the stripe with it and hands it over.
     *
     * @param capacity how many tasks of the stripe may wait at most
     * @return the stripe if it is full, so that the task was not placed; null if it was
     */
    @Nullable
    Stripe place(StripedEngine engine, Object key, int hash, Runnable task, int capacity) {
        Link link = null;
        Stripe opened = null;
        for (; ; ) {
            @Nullable Entry<?>[] bins = bins();
            Stripe head = head(bins, hash);
            for (Stripe stripe = head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && engine.isSameStripe(key, stripe.key)) {
                    if (link == null) {
                        link = engine.events() == null ? new Link(task) : new TimedLink(task);
                    }
                    LinkQueue.Placed placed = stripe.place(link, capacity);
                    if (placed != LinkQueue.Placed.ENDED) {
                        return placed == LinkQueue.Placed.FULL ? stripe : null;
                    }
                }
            }
            if (opened == null) {
                opened = new Stripe(engine, key, hash, task);
            }
            opened.noteFirst();
            if (open(opened, bins, head)) {
                opened.handOver();
                return null;
            }
            if (closed) {
                throw engine.rejectedByShutdown();
            }
        }
    }

    /** The open stripe of a key, or null. */
    @Nullable
    Stripe find(StripedEngine engine, Object key, int hash) {
        for (Stripe stripe : stripes()) {
            if (stripe.hash == hash && engine.isSameStripe(key, stripe.key) && !stripe.hasEnded()) {
                return stripe;
            }
        }
        return null;
    }

    /** Opens a stripe for one task that has none, and hands it over. */
    void placeAlone(StripedEngine engine, int hash, Runnable task) {
        Stripe opened = new Stripe(engine, TaskQueue.NO_KEY, hash, task);
        opened.noteFirst();
        for (; ; ) {
            @Nullable Entry<?>[] bins = bins();
            if (open(opened, bins, head(bins, hash))) {
                opened.handOver();
                return;
            }
            if (closed) {
                throw engine.rejectedByShutdown();
            }
        }
    }

    /** Pauses a stripe, which is opened for that if need be. */
    void pause(StripedEngine engine, Object key, int hash) {
        while (!closed) {
            @Nullable Entry<?>[] bins = bins();
            Stripe head = head(bins, hash);
            for (Stripe stripe = head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && engine.isSameStripe(key, stripe.key) && stripe.pause()) {
                    return;
                }
            }
            Stripe opened = new Stripe(engine, key, hash, null);
            opened.openPaused();
            if (opened.pause() && open(opened, bins, head)) {
                return;
            }
        }
    }

    /** Adds a stripe, if its bin is as a search has seen it. */
    private synchronized boolean open(Stripe stripe, @Nullable Entry<?>[] searched, @Nullable Stripe head) {
        if (closed || !isUnchanged(stripe.hash, searched, head)) {
            return false;
        }
        add(stripe);
        return true;
    }

    /**
     * Removes a stripe that has ended.
     *
     * @return true if it was the last one and no other can be opened; so for one call at most
     */
    synchronized boolean remove(Stripe stripe) {
        removeEntry(stripe);
        return closed && size() == 0;
    }

    /**
     * Opens no more stripes.
     *
     * @return whether there are none left
     */
    @Override
    public synchronized boolean close() {
        closed = true;
        return size() == 0;
    }

    /** How many stripes have come, if none is here now; else -1. */
    @Override
    public synchronized long arrivalsIfEmpty() {
        return size() == 0 ? additions() : -1;
    }

    /** The stripes that were there during the whole call, and perhaps some that came or ended meanwhile. */
    List<Stripe> stripes() {
        int before = rebuilds();
        List<Stripe> stripes = collect();
        if (before % 2 != 0 || rebuilds() != before) {
            synchronized (this) {
                stripes = collect();
            }
        }
        return stripes;
    }
}
