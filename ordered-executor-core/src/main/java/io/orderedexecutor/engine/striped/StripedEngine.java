package io.orderedexecutor.engine.striped;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedObject;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.KeyHashes;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.LiveStrands;
import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.ArrivalLink;
import io.orderedexecutor.engine.strand.BatchLink;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.LinkQueue;
import io.orderedexecutor.engine.strand.OpenPlaces.Reserved;
import io.orderedexecutor.engine.strand.Placed;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.StrandReasons;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The engine of a {@link StripedExecutor}: tasks of one stripe conflict. */
public final class StripedEngine extends Engine<Object> implements Stripe.Owner {
    /** Each stripe is a key. */
    private static final class Hashes implements KeyHashes<Object> {
        @Override
        public Set<Integer> of(Object stripe, int hash) {
            return stripe == TaskEvents.NO_KEY ? Set.of() : Set.of(hash);
        }

        @Override
        public Set<Integer> ofTakenFrom(Strand stripe) {
            return Set.of(((Stripe) stripe).hash);
        }
    }

    private static final Hashes HASHES = new Hashes();

    private final boolean identityStripes;
    private final StripeTable table;
    private final Arrivals arrivals;

    public StripedEngine(Settings settings, Workers workers, Runnable onTerminated) {
        this(settings, workers, new StripeTable(), onTerminated);
    }

    private StripedEngine(Settings settings, Workers workers, StripeTable table, Runnable onTerminated) {
        super("striped", settings, workers, new LiveStrands(table), HASHES, onTerminated);
        this.identityStripes = settings.identityStripes();
        this.table = table;
        this.arrivals = new Arrivals(this);
    }

    /** How tasks and items come in that have a say in where they are placed. */
    public Arrivals arrivals() {
        return arrivals;
    }

    // acceptance

    /** Accepts a task of a stripe that comes later, or throws; null for the overflow of this executor. */
    public Reservation reserve(Object stripe, @Nullable Overflow overflow) {
        return reserve(stripe, stripe, hashOf(stripe), overflow);
    }

    /** Accepts a task that has no stripe, or throws. */
    public void placeAlone(Runnable task) {
        accept(TaskEvents.NO_KEY, TaskEvents.NO_KEY, platform().random(), task, null);
    }

    /**
     * Accepts a task that may say itself what its stripe is, or throws.
     *
     * @param submitted the application's own object
     * @param task what is run: the same, or its future
     */
    public void placeObject(Object submitted, Runnable task) {
        Object stripe = submitted instanceof StripedObject object ? object.getStripe() : null;
        if (stripe == null) {
            placeAlone(task);
        } else {
            accept(stripe, stripe, hashOf(stripe), task, null);
        }
    }

    @Override
    public @Nullable LimitedKey place(Object stripe, int hash, Runnable task, int stripeCapacity) {
        if (stripe instanceof Arrival arrival) {
            return arrivals.place(arrival, hash, task, stripeCapacity);
        }
        if (stripe == TaskEvents.NO_KEY) {
            openAlone(hash, newLink(task));
            return null;
        }
        return place(stripe, hash, newLink(task), stripeCapacity);
    }

    /**
     * Places a link behind the last one of its stripe, or opens the stripe with it and hands it over. Keys are compared
     * here, which is the application's code, and so without a lock.
     *
     * @param link may have a say in where it is placed
     * @param capacity how many tasks of the stripe may wait at most
     * @return the stripe if it is full, so that the link was not placed; null if it was
     */
    @Nullable
    Stripe place(Object key, int hash, Link link, int capacity) {
        StripeBins bins = table.segmentFor(hash);
        for (; ; ) {
            @Nullable Object[] searched = bins.bins();
            Object head = StripeBins.head(searched, hash);
            if (StripeBins.isMoved(head)) {
                bins.awaitRebuild();
                continue;
            }
            for (Stripe stripe = (Stripe) head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && isSameStripe(key, stripe.key)) {
                    Placed placed = link instanceof ArrivalLink arrival
                            ? arrival.placeIn(stripe, capacity)
                            : stripe.place(link, capacity);
                    if (placed != Placed.ENDED) {
                        return placed == Placed.FULL ? stripe : null;
                    }
                }
            }
            if (bins.isClosed()) {
                throw rejectedByShutdown();
            }
            Stripe opened = new Stripe(this, key, hash, link);
            try {
                if (bins.add(opened, searched, head)) {
                    Serving.handOver(opened, link);
                    return null;
                }
            } catch (Throwable failure) {
                // writes and no calls, as there may be no stack for any
                opened.unattended = true;
                hasUnattended = true;
                throw failure;
            }
        }
    }

    /** Opens a stripe for one task that has none, and hands it over. */
    private void openAlone(int hash, Link link) {
        StripeBins bins = table.segmentFor(hash);
        Stripe opened = new Stripe(this, TaskEvents.NO_KEY, hash, link);
        for (; ; ) {
            @Nullable Object[] searched = bins.bins();
            Object head = StripeBins.head(searched, hash);
            if (StripeBins.isMoved(head)) {
                bins.awaitRebuild();
                continue;
            }
            if (bins.isClosed()) {
                throw rejectedByShutdown();
            }
            try {
                if (bins.add(opened, searched, head)) {
                    Serving.handOver(opened, link);
                    return;
                }
            } catch (Throwable failure) {
                opened.unattended = true;
                hasUnattended = true;
                throw failure;
            }
        }
    }

    @Override
    public boolean dropOldest(Object stripe, int hash) {
        Object key = stripe instanceof Arrival arrival ? arrival.stripe() : stripe;
        Stripe found = key == TaskEvents.NO_KEY ? null : find(key, hash);
        return found != null && found.dropOldest();
    }

    // live control

    public void pause(Object stripe) {
        if (isShutdown()) {
            return;
        }
        pause(stripe, hashOf(stripe));
        if (isShutdown()) {
            Stripe late = find(stripe);
            if (late != null) {
                late.resume();
            }
        }
    }

    /** Pauses a stripe, which is opened for that if need be. */
    private void pause(Object key, int hash) {
        StripeBins bins = table.segmentFor(hash);
        for (; ; ) {
            @Nullable Object[] searched = bins.bins();
            Object head = StripeBins.head(searched, hash);
            if (StripeBins.isMoved(head)) {
                bins.awaitRebuild();
                continue;
            }
            for (Stripe stripe = (Stripe) head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && isSameStripe(key, stripe.key) && stripe.pause()) {
                    return;
                }
            }
            if (bins.isClosed()) {
                return;
            }
            Stripe opened = new Stripe(this, key, hash);
            if (bins.add(opened, searched, head)) {
                return;
            }
        }
    }

    /** Waits until a stripe has no tasks; its last batch does not wait for more. */
    public boolean awaitIdle(Object stripe, Duration limit) throws InterruptedException {
        Stripe found = find(stripe);
        if (found != null) {
            BatchLink.hurryLast(found);
        }
        return awaitIdle(() -> find(stripe) == null, limit);
    }

    public @Nullable Stripe find(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        return find(stripe, hashOf(stripe));
    }

    /** The open stripe of a key, or null. */
    @Nullable
    Stripe find(Object key, int hash) {
        StripeBins bins = table.segmentFor(hash);
        for (; ; ) {
            @Nullable Object[] searched = bins.bins();
            Object head = StripeBins.head(searched, hash);
            if (StripeBins.isMoved(head)) {
                bins.awaitRebuild();
                continue;
            }
            for (Stripe stripe = (Stripe) head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && isSameStripe(key, stripe.key) && !stripe.hasEnded()) {
                    return stripe;
                }
            }
            if (StripeBins.head(searched, hash) == head) {
                return null;
            }
        }
    }

    // stripes as keys: the application's code is called here, and never under a lock

    public int hashOf(Object stripe) {
        return SegmentedTable.spread(identityStripes ? System.identityHashCode(stripe) : stripe.hashCode());
    }

    public boolean isSameStripe(Object submitted, Object open) {
        return submitted == open || (!identityStripes && open != TaskEvents.NO_KEY && submitted.equals(open));
    }

    // observation

    @Override
    public String keyType() {
        return "stripe";
    }

    @Override
    public Explanation explain(Object stripe, boolean stacks) {
        Stripe open = find(stripe);
        return open == null ? Reasons.idle(new Place(name(), keyType(), stripe)) : StrandReasons.explain(open, stacks);
    }

    public StripedExecutorStats stats() {
        var live = new Object() {
            long queued;
            long active;
        };
        table.forEach(stripe -> {
            live.queued += stripe.queued();
            live.active += stripe.isActive() ? 1 : 0;
        });
        return new StripedExecutorStats(
                table.size(), live.queued, live.active, completed(), failed(), cancelled(), rejected());
    }

    public List<StripeSnapshot> deepestStripes(int limit) {
        Comparator<StripeSnapshot> byDepth = Comparator.comparingLong(StripeSnapshot::queued);
        PriorityQueue<StripeSnapshot> deepest = new PriorityQueue<>(byDepth);
        Map<LinkQueue, Reserved> reserved = reservedByQueue();
        table.forEach(stripe -> {
            if (stripe.key != TaskEvents.NO_KEY) {
                deepest.add(stripe.snapshot(reserved));
                if (deepest.size() > limit) {
                    deepest.remove();
                }
            }
        });
        List<StripeSnapshot> snapshots = new ArrayList<>(deepest);
        snapshots.sort(byDepth.reversed());
        return List.copyOf(snapshots);
    }

    public List<ParkedStripe> parkedStripes() {
        return table.collect(Stripe::parked);
    }

    @Override
    public void onEnd(Stripe stripe) {
        onStrandEnd(stripe.hash, table.segmentFor(stripe.hash).remove(stripe));
    }
}
