package io.orderedexecutor.engine.executor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash table whose entries are the things themselves, linked in bins.
 *
 * <p>Changes are made under a lock of the subclass, which is never held while foreign code runs. Searches take no lock,
 * because they compare keys, and that is the application's code. They may therefore miss an entry when the bins are
 * rebuilt under them, but never see one that is not there. So an entry that was found can be used at once; one that was
 * not is added only if its bin is provably unchanged: entries are added at the head of a bin and never come back, so
 * the same array with the same head holds nothing that the search has not passed.
 *
 * @param <E> the kind of entry
 */
@SuppressWarnings("NonAtomicVolatileUpdate") // what is counted up and down is written under the lock only
public abstract class Bins<E extends Bins.Entry<E>> {
    private static final VarHandle BIN = MethodHandles.arrayElementVarHandle(Entry[].class);
    private static final VarHandle SIZE;
    private static final int FEWEST_BINS = 16;

    /** By how much the number of bins grows and shrinks: few rebuilds, since entries often come in bursts. */
    private static final int STEP = 4;

    static {
        try {
            SIZE = MethodHandles.lookup().findVarHandle(Bins.class, "size", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What can be kept in bins. It is in one of them at most, and once. */
    public interface Entry<E> {

        /** The spread hash of the key, which never changes. */
        int hash();

        /** The next entry in the same bin. Written under the lock of the bins; searches read it without. */
        @Nullable
        E nextInBinAcquire();

        void setNextInBinRelease(@Nullable E next);
    }

    /** Replaced under the lock. The elements are written under the lock with release and read with acquire. */
    private volatile @Nullable Entry<?>[] bins = new Entry<?>[FEWEST_BINS];

    /** Written under the lock, with release: it is an estimate for those who do not hold the lock. */
    private volatile int size;

    /** How often a rebuild has begun or ended: odd while the bins are being rebuilt. Written under the lock. */
    private volatile int rebuilds;

    /** Guarded by the lock: how many entries were ever added. */
    private long additions;

    /** Guarded by the lock: the most entries there were at a time since the bins were last rebuilt or looked at. */
    private int peak;

    /** Guarded by the lock: how many entries were removed since then. */
    private int removals;

    // searches

    /** The bins of this moment, to be searched, and to be shown to {@link #add} if the search was in vain. */
    public final @Nullable Entry<?>[] bins() {
        return bins;
    }

    @SuppressWarnings("unchecked") // nothing else is added
    public final @Nullable E head(@Nullable Entry<?>[] searched, int hash) {
        return (E) BIN.getAcquire(searched, indexOf(hash, searched));
    }

    private static int indexOf(int hash, @Nullable Entry<?>[] bins) {
        return hash & (bins.length - 1);
    }

    final int size() {
        return size;
    }

    /**
     * How often the bins were rebuilt, twice counted; if it is odd or changes, a search in between may have missed
     * something.
     */
    final int rebuilds() {
        return rebuilds;
    }

    public final List<E> collect() {
        @Nullable Entry<?>[] searched = bins;
        List<E> entries = new ArrayList<>(size);
        for (int index = 0; index < searched.length; index++) {
            for (E entry = head(searched, index); entry != null; entry = entry.nextInBinAcquire()) {
                entries.add(entry);
            }
        }
        return entries;
    }

    // changes, under the lock

    final long additions() {
        return additions;
    }

    /** Whether a bin is as a search has seen it, so that an entry that was not found there is not there. */
    public final boolean isUnchanged(int hash, @Nullable Entry<?>[] searched, @Nullable E head) {
        return bins == searched && searched[indexOf(hash, searched)] == head;
    }

    public final void add(E entry) {
        @Nullable Entry<?>[] bins = this.bins;
        entry.setNextInBinRelease(head(bins, entry.hash()));
        BIN.setRelease(bins, indexOf(entry.hash(), bins), entry);
        SIZE.setRelease(this, size + 1);
        additions++;
        peak = Math.max(peak, size);
        if (size > bins.length) {
            tryRebuild(bins.length * STEP);
        }
    }

    public final void removeEntry(E entry) {
        @Nullable Entry<?>[] bins = this.bins;
        E next = entry.nextInBinAcquire();
        E before = head(bins, entry.hash());
        if (before == entry) {
            BIN.setRelease(bins, indexOf(entry.hash(), bins), next);
        } else {
            while (before != null && before.nextInBinAcquire() != entry) {
                before = before.nextInBinAcquire();
            }
            if (before == null) {
                throw new AssertionError("an entry that is not in its table is removed");
            }
            before.setNextInBinRelease(next);
        }
        // the removed entry keeps its way on, for searches that have come to it
        SIZE.setRelease(this, size - 1);
        if (bins.length > FEWEST_BINS) {
            giveBackBins(bins.length);
        }
    }

    /**
     * Gives back bins that are not needed any more: at once if there are none now, or else when it has shown over many
     * removals that so many do not come again. Bins that are given back too soon have to be built anew with the next
     * burst.
     */
    private void giveBackBins(int length) {
        if (size == 0) {
            tryRebuild(FEWEST_BINS);
        } else if (++removals > STEP * length) {
            if (peak < length / (2 * STEP)) {
                tryRebuild(length / STEP);
            }
            removals = 0;
            peak = size;
        }
    }

    /** The entry that was added or removed is in its place: another number of bins only makes searches faster. */
    private void tryRebuild(int length) {
        try {
            rebuild(length);
        } catch (OutOfMemoryError noMemory) {
            // the next change of the table tries again
        }
    }

    private void rebuild(int length) {
        // all memory before anything is changed: there may be none
        @Nullable Entry<?>[] rebuilt = new Entry<?>[length];
        List<E> entries = collect();
        rebuilds++;
        for (int i = 0; i < entries.size(); i++) {
            E entry = entries.get(i);
            int index = indexOf(entry.hash(), rebuilt);
            entry.setNextInBinRelease(head(rebuilt, index));
            rebuilt[index] = entry;
        }
        bins = rebuilt;
        rebuilds++;
        removals = 0;
        peak = size;
    }
}
