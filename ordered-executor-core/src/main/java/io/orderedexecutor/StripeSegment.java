package io.orderedexecutor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link StripeTable}: bins of linked stripes.
 *
 * <p>Changes are made under the monitor, which is never held while foreign code runs. Searches take no lock, because
 * they compare keys, and that is the application's code. They may therefore miss a stripe when the bins are rebuilt
 * under them, but never see one that is not there. So a stripe that was found can be used at once; one that was not is
 * opened only if its bin is provably unchanged: stripes are added at the head of a bin and never come back, so the same
 * array with the same head holds nothing that the search has not passed. Observers look again under the monitor if the bins
 * were rebuilt while they looked without.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // what is counted up and down is written under the monitor only
final class StripeSegment {
    private static final VarHandle BIN = MethodHandles.arrayElementVarHandle(Stripe[].class);
    private static final int FEWEST_BINS = 16;

    /** By how much the number of bins grows and shrinks: few rebuilds, since stripes often come in bursts. */
    private static final int STEP = 4;

    /** Replaced under the monitor. The elements are written under the monitor with release and read with acquire. */
    private volatile @Nullable Stripe[] bins = new Stripe[FEWEST_BINS];

    /** Written under the monitor. */
    private volatile int size;

    /** How often a rebuild has begun or ended: odd while the bins are being rebuilt. Written under the monitor. */
    private volatile int rebuilds;

    /** Guarded by the monitor: the most stripes there were at a time since the bins were last rebuilt or looked at. */
    private int peak;

    /** Guarded by the monitor: how many stripes were removed since then. */
    private int removals;

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
            @Nullable Stripe[] bins = this.bins;
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
        Stripe opened = new Stripe(engine, Stripe.NONE, hash, task);
        opened.noteFirst();
        for (; ; ) {
            @Nullable Stripe[] bins = this.bins;
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
            @Nullable Stripe[] bins = this.bins;
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

    private static @Nullable Stripe head(@Nullable Stripe[] bins, int hash) {
        return (Stripe) BIN.getAcquire(bins, indexOf(hash, bins));
    }

    private static int indexOf(int hash, @Nullable Stripe[] bins) {
        return hash & (bins.length - 1);
    }

    /** Adds a stripe, if its bin is as a search has seen it. */
    private synchronized boolean open(Stripe stripe, @Nullable Stripe[] searched, @Nullable Stripe head) {
        int index = indexOf(stripe.hash, searched);
        if (closed || bins != searched || searched[index] != head) {
            return false;
        }
        stripe.setNextInBinRelease(head);
        BIN.setRelease(searched, index, stripe);
        size++;
        peak = Math.max(peak, size);
        if (size > searched.length) {
            rebuild(searched.length * STEP);
        }
        return true;
    }

    /**
     * Removes a stripe that has ended.
     *
     * @return true if it was the last one and no other can be opened; so for one call at most
     */
    synchronized boolean remove(Stripe stripe) {
        @Nullable Stripe[] bins = this.bins;
        int index = indexOf(stripe.hash, bins);
        Stripe next = stripe.nextInBinAcquire();
        Stripe before = bins[index];
        if (before == stripe) {
            BIN.setRelease(bins, index, next);
        } else {
            while (before != null && before.nextInBinAcquire() != stripe) {
                before = before.nextInBinAcquire();
            }
            if (before == null) {
                throw new AssertionError("a stripe that is not in its table has ended");
            }
            before.setNextInBinRelease(next);
        }
        // the removed stripe keeps its way on, for searches that have come to it
        size--;
        if (bins.length > FEWEST_BINS) {
            giveBackBins(bins.length);
        }
        return closed && size == 0;
    }

    /**
     * Forgets how many stripes there once were: at once if there are none now, or else when it has shown over many
     * removals that so many do not come again. Bins that are given back too soon have to be built anew with the next burst.
     */
    private void giveBackBins(int length) {
        if (size == 0) {
            rebuild(FEWEST_BINS);
        } else if (++removals > STEP * length) {
            if (peak < length / (2 * STEP)) {
                rebuild(length / STEP);
            }
            removals = 0;
            peak = size;
        }
    }

    private void rebuild(int length) {
        rebuilds++;
        @Nullable Stripe[] rebuilt = new Stripe[length];
        for (Stripe stripe : bins) {
            while (stripe != null) {
                Stripe next = stripe.nextInBinAcquire();
                int index = indexOf(stripe.hash, rebuilt);
                stripe.setNextInBinRelease(rebuilt[index]);
                rebuilt[index] = stripe;
                stripe = next;
            }
        }
        bins = rebuilt;
        rebuilds++;
        removals = 0;
        peak = size;
    }

    /**
     * Opens no more stripes.
     *
     * @return whether there are none left
     */
    synchronized boolean close() {
        closed = true;
        return size == 0;
    }

    int size() {
        return size;
    }

    /** The stripes that were there during the whole call, and perhaps some that came or ended meanwhile. */
    List<Stripe> stripes() {
        int before = rebuilds;
        List<Stripe> stripes = collect();
        if (before % 2 != 0 || rebuilds != before) {
            synchronized (this) {
                stripes = collect();
            }
        }
        return stripes;
    }

    private List<Stripe> collect() {
        @Nullable Stripe[] bins = this.bins;
        List<Stripe> stripes = new ArrayList<>(size);
        for (int index = 0; index < bins.length; index++) {
            for (Stripe stripe = head(bins, index); stripe != null; stripe = stripe.nextInBinAcquire()) {
                stripes.add(stripe);
            }
        }
        return stripes;
    }
}
