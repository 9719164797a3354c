package io.orderedexecutor.engine.striped;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.executor.SegmentedTable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * A hash table whose entries are the stripes themselves, linked in bins. Searches, and nearly all changes, take no
 * lock, and no foreign code runs under the lock that the others take.
 *
 * <p>A bin holds
 *
 * <pre>
 *   null ──▶ a stripe       added by compare-and-set
 *   a stripe ──▶ another    one is added in front of it; or, under the lock, it is removed, and the one behind it
 *                           is first
 *   a stripe ──▶ null       it is removed: by compare-and-set if none is behind it, else under the lock
 *   any of them ──▶ MOVED   under the lock: all are linked into other bins, in which searches and changes begin anew
 * </pre>
 *
 * <p>The way from one stripe to the next in its bin is fixed when it is added, and changed under the lock only. Stripes
 * are added in front and never come back. So a stripe that has none behind it never gets one: it can be removed without
 * a look at its neighbours. And a bin whose first stripe is the one that a search has begun at holds nothing that the
 * search has not passed; a bin that was moved from under it does not have that first stripe any more.
 *
 * <p>There are more bins when many of them are in use, and less when few are or none is. To find out, those in use are
 * counted after so many additions or removals that it costs each of them a few steps.
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // what is counted up is written under the lock only
public class StripeBins implements SegmentedTable.Segment<Stripe> {
    private static final VarHandle BIN = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle BINS;
    private static final Object MOVED = new Object();
    private static final int FEWEST_BINS = 16;

    /** By how much the number of bins grows: few rebuilds, since stripes often come in bursts. */
    private static final int STEP = 4;

    /** Bins are given back when less than one of so many is in use. */
    private static final int SPARSE = 32;

    /**
     * There are more bins when more than this of {@link #SPARSE} are in use: about as many as half of the stripes have
     * to share theirs.
     */
    private static final int CROWDED = 12;

    // where the counts are: on cache lines of their own, since they are written all the time, and the field of the bins
    // is read all the time
    private static final int ADDITIONS = 16;
    private static final int CREDIT = 32;
    private static final int CELLS = 48;

    static {
        try {
            BINS = MethodHandles.lookup().findVarHandle(StripeBins.class, "bins", Object[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Replaced under the lock with release. The elements are written as the class comment says, and read with acquire.
     */
    private volatile @Nullable Object[] bins = new @Nullable Object[FEWEST_BINS];

    /** How often a rebuild has begun or ended: odd while the bins are being rebuilt. Written under the lock. */
    private volatile int rebuilds;

    /** Whether no stripe can be added. Written under the lock, before the bins are rebuilt. */
    private volatile boolean closed;

    /** Of use when closed: how many of the first bins are known to be empty. */
    @GuardedBy("counts")
    private int emptyBefore;

    /**
     * How many stripes were ever added; and after how many removals they are counted, unless there are the fewest bins.
     * Changed atomically. It is also the lock: what else would be on the cache line of its header is read all the time.
     */
    private final AtomicLongArray counts = new AtomicLongArray(CELLS);

    // searches

    /** The bins of this moment, to be searched, and to be shown to {@link #add} if the search was in vain. */
    public final @Nullable Object[] bins() {
        return bins;
    }

    /** Whether these bins were rebuilt, so that what was in the bin of this head is elsewhere. */
    public static boolean isMoved(@Nullable Object head) {
        return head == MOVED;
    }

    public static @Nullable Object head(@Nullable Object[] searched, int hash) {
        return BIN.getAcquire(searched, indexOf(hash, searched));
    }

    private static int indexOf(int hash, @Nullable Object[] bins) {
        return hash & (bins.length - 1);
    }

    /**
     * Returns when the bins that have been found moved are replaced: a matter of a few pointer writes for each stripe.
     */
    public final void awaitRebuild() {
        synchronized (counts) {
            // the thread that rebuilds them has left
        }
    }

    /**
     * How often the bins were rebuilt, twice counted; if it is odd or changes, a search in between may have missed
     * something.
     */
    final int rebuilds() {
        return rebuilds;
    }

    @Override
    public final List<Stripe> strands() {
        int before = rebuilds;
        List<Stripe> stripes = collect(bins);
        if (before % 2 != 0 || rebuilds != before) {
            synchronized (counts) {
                stripes = collect(bins);
            }
        }
        return stripes;
    }

    private static List<Stripe> collect(@Nullable Object[] searched) {
        List<Stripe> stripes = new ArrayList<>();
        for (int index = 0; index < searched.length; index++) {
            for (Stripe stripe = first(head(searched, index)); stripe != null; stripe = stripe.nextInBinAcquire()) {
                stripes.add(stripe);
            }
        }
        return stripes;
    }

    /** How many stripes there are; approximate while they change. */
    public final int size() {
        return strands().size();
    }

    /** How many stripes have come, if none is here now; else -1. */
    @Override
    public final long arrivalsIfEmpty() {
        long before = counts.get(ADDITIONS);
        return isEmpty() && counts.get(ADDITIONS) == before ? before : -1;
    }

    private boolean isEmpty() {
        @Nullable Object[] searched = bins;
        for (int index = 0; index < searched.length; index++) {
            Object head = head(searched, index);
            if (isMoved(head)) {
                synchronized (counts) {
                    return occupied(bins) == 0;
                }
            }
            if (head != null) {
                return false;
            }
        }
        return true;
    }

    /**
     * How many bins are in use, which is seen without a look at the stripes. To be called under the lock: none of them
     * is moved then.
     */
    private static int occupied(@Nullable Object[] searched) {
        int occupied = 0;
        for (int index = 0; index < searched.length; index++) {
            if (head(searched, index) != null) {
                occupied++;
            }
        }
        return occupied;
    }

    private static @Nullable Stripe first(@Nullable Object head) {
        return isMoved(head) ? null : (Stripe) head;
    }

    // changes

    /**
     * Adds a stripe, if its bin is as a search has seen it.
     *
     * @param head what the search has begun at
     */
    public final boolean add(Stripe stripe, @Nullable Object[] searched, @Nullable Object head) {
        // plain is enough: the stripe is published by what comes next
        stripe.setNextInBin((Stripe) head);
        if (!BIN.compareAndSet(searched, indexOf(stripe.hash, searched), head, stripe)) {
            return false;
        }
        long added = counts.incrementAndGet(ADDITIONS);
        if (head != null && (added & (searched.length / 2 - 1)) == 0) {
            try {
                growIfCrowded(searched);
            } catch (OutOfMemoryError noMemory) {
                // more bins make searches faster, and nothing else; the stripe is there
            }
        }
        return true;
    }

    /**
     * Removes a stripe; without effect if it was removed before.
     *
     * @return whether none is left, and no other can be added
     */
    public final boolean remove(Stripe stripe) {
        @Nullable Object[] searched = bins;
        if (stripe.nextInBinAcquire() != null
                || !BIN.compareAndSet(searched, indexOf(stripe.hash, searched), stripe, null)) {
            searched = removeFromAmongOthers(stripe);
        }
        if (searched.length > FEWEST_BINS && counts.decrementAndGet(CREDIT) == 0) {
            try {
                giveBackBins();
            } catch (OutOfMemoryError noMemory) {
                // not even for fewer bins; the stripe is gone
            }
        }
        return closed && isEmptyForGood();
    }

    private @Nullable Object[] removeFromAmongOthers(Stripe stripe) {
        synchronized (counts) {
            @Nullable Object[] searched = bins;
            int index = indexOf(stripe.hash, searched);
            Stripe next = stripe.nextInBinAcquire();
            while (!BIN.compareAndSet(searched, index, stripe, next)) {
                Stripe before = (Stripe) head(searched, index);
                while (before != null && before.nextInBinAcquire() != stripe) {
                    before = before.nextInBinAcquire();
                }
                if (before != null) {
                    before.setNextInBinRelease(next);
                    break;
                }
                if (head(searched, index) != stripe) {
                    break;
                }
            }
            // the removed stripe keeps its way on, for searches that have come to it
            return searched;
        }
    }

    /**
     * Adds no more stripes.
     *
     * @return whether there is none
     */
    @Override
    public final boolean close() {
        synchronized (counts) {
            closed = true;
            // a thread that has not seen it has seen the old bins, too, and cannot change them any more
            rebuild(bins.length);
            return isEmptyForGood();
        }
    }

    /** Whether no stripe can be added any more; to be asked between a look at the bins and a change of them. */
    public final boolean isClosed() {
        return closed;
    }

    private boolean isEmptyForGood() {
        synchronized (counts) {
            @Nullable Object[] left = bins;
            // nothing is added any more: a bin that was found empty stays so
            while (emptyBefore < left.length && head(left, emptyBefore) == null) {
                emptyBefore++;
            }
            return emptyBefore == left.length;
        }
    }

    private void growIfCrowded(@Nullable Object[] searched) {
        synchronized (counts) {
            if (bins == searched && occupied(searched) > searched.length * CROWDED / SPARSE) {
                rebuild(searched.length * STEP);
            }
        }
    }

    /** Called when as many stripes were removed as there were at the last count: so there may be none. */
    private void giveBackBins() {
        synchronized (counts) {
            int length = bins.length;
            if (length == FEWEST_BINS) {
                return;
            }
            int occupied;
            do {
                occupied = occupied(bins);
                if (occupied < length / SPARSE) {
                    rebuild(fitting(occupied));
                    return;
                }
                // those that are removed from here on have been counted, and count
            } while (counts.addAndGet(CREDIT, occupied) <= 0);
        }
    }

    private static int fitting(int occupied) {
        return Math.max(FEWEST_BINS, Integer.highestOneBit(Math.max(1, occupied)) * 2 * STEP);
    }

    /**
     * Moves all stripes to as many new bins, under the lock. A thread that would change the old ones has to begin anew.
     */
    @GuardedBy("counts")
    private void rebuild(int length) {
        // before anything is changed: there may be no memory
        @Nullable Object[] rebuilt = new @Nullable Object[length];
        rebuilds++;
        @Nullable Object[] old = bins;
        int size = 0;
        for (int index = 0; index < old.length; index++) {
            Stripe stripe = (Stripe) BIN.getAndSet(old, index, MOVED);
            while (stripe != null) {
                Stripe next = stripe.nextInBinAcquire();
                int to = indexOf(stripe.hash, rebuilt);
                stripe.setNextInBinRelease((Stripe) rebuilt[to]);
                rebuilt[to] = stripe;
                stripe = next;
                size++;
            }
        }
        counts.set(CREDIT, Math.max(1, size));
        BINS.setRelease(this, rebuilt);
        emptyBefore = 0;
        rebuilds++;
    }
}
