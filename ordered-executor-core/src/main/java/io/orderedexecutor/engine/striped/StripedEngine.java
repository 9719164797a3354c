package io.orderedexecutor.engine.striped;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedObject;
import io.orderedexecutor.TaskSkippedException;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.engine.executor.Engine;
import io.orderedexecutor.engine.executor.KeyHashes;
import io.orderedexecutor.engine.executor.LimitedKey;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.executor.LiveStrands;
import io.orderedexecutor.engine.executor.SegmentedTable;
import io.orderedexecutor.engine.executor.Settings;
import io.orderedexecutor.engine.executor.Skipped;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.ArrivalLink;
import io.orderedexecutor.engine.strand.BatchItem;
import io.orderedexecutor.engine.strand.BatchLink;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.LinkQueue;
import io.orderedexecutor.engine.strand.OpenPlaces.Reserved;
import io.orderedexecutor.engine.strand.Placed;
import io.orderedexecutor.engine.strand.Reasons;
import io.orderedexecutor.engine.strand.RunFuture;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.TaskEvents;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.engine.strand.TaskReporter;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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

    private final boolean identityStripes;
    private final StripeTable table;

    public StripedEngine(Settings settings, Workers workers, Runnable onTerminated) {
        this(settings, workers, new StripeTable(), onTerminated);
    }

    private StripedEngine(Settings settings, Workers workers, StripeTable table, Runnable onTerminated) {
        super("striped", settings, workers, new LiveStrands(table), new Hashes(), onTerminated);
        this.identityStripes = settings.identityStripes();
        this.table = table;
    }

    // acceptance

    /** Accepts a task of a stripe, or throws. */
    public void place(Object stripe, Runnable task) {
        accept(stripe, stripe, hashOf(stripe), task, null);
    }

    /** As {@link #place(Object, Runnable)}, with an overflow of its own. */
    public void place(Object stripe, Runnable task, Overflow overflow) {
        accept(stripe, stripe, hashOf(stripe), task, overflow);
    }

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
            place(stripe, task);
        }
    }

    /**
     * As {@link #place(Object, Runnable)}, but if the stripe is busy, does what {@code whenBusy} says.
     *
     * @param overflow what happens if there is no room; null for what the executor was built with
     * @return the future of the task, or that of a skipped one
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(
            Object stripe, TaskFuture<T> future, WhenBusy whenBusy, @Nullable Overflow overflow) {
        return place(stripe, hashOf(stripe), future, whenBusy, overflow)
                ? future
                : new SkippedFuture<>(new TaskSkippedException("this task was not accepted: stripe "
                        + TaskReporter.toString(stripe) + " of executor " + name()
                        + " is busy, and the task was submitted with WhenBusy.skip()"));
    }

    /** As {@link #submit}, for a task without a result. */
    public void execute(Object stripe, Runnable task, WhenBusy whenBusy) {
        execute(stripe, hashOf(stripe), task, whenBusy);
    }

    private void execute(Object stripe, int hash, Runnable task, WhenBusy whenBusy) {
        Runnable plain = TaskFuture.asPlain(task);
        boolean hasSlot = whenBusy != WhenBusy.queue() && BusyArrival.hasSlot(whenBusy);
        place(stripe, hash, hasSlot ? RunFuture.executed(plain) : plain, whenBusy, null);
    }

    /** Accepts a task, skips it, or throws; returns whether it is accepted. */
    private boolean place(Object stripe, int hash, Runnable task, WhenBusy whenBusy, @Nullable Overflow overflow) {
        if (whenBusy == WhenBusy.queue()) {
            accept(stripe, stripe, hash, task, overflow);
            return true;
        }
        return accept(new BusyArrival(stripe, whenBusy), hash, task, overflow);
    }

    /**
     * Accepts an item, or throws.
     *
     * @param batchKey what the item must have in common with those that it runs together with; null for nothing
     * @param overflow what happens if there is no room; null for what the executor was built with
     */
    public void placeItem(Object stripe, BatchItem item, @Nullable Object batchKey, @Nullable Overflow overflow) {
        accept(stripe, new ItemArrival(stripe, item, batchKey), hashOf(stripe), item, overflow);
    }

    private boolean accept(BusyArrival arrival, int hash, Runnable task, @Nullable Overflow overflow) {
        // before it is placed: a task that has ended has no work
        Object submitted = TaskReporter.submitted(task);
        requireRunning();
        Limits<Object> limits = limits();
        if (limits == null) {
            return acceptOrSkip(arrival, hash, task, submitted, overflow);
        }
        switch (placeWithoutRoom(arrival, hash, task)) {
            case JOINED -> {
                TaskEvents events = events();
                if (events != null) {
                    events.queued(arrival.stripe(), submitted);
                }
                return true;
            }
            case BUSY -> {
                reporter().tellSkipped(arrival.stripe(), submitted);
                return false;
            }
            default -> {
                boolean isAccepted = acceptOrSkip(arrival, hash, task, submitted, overflow);
                if (arrival.hasJoined()) {
                    // the task that it has replaced has left it a permit
                    limits.giveBackUnused();
                }
                return isAccepted;
            }
        }
    }

    private boolean acceptOrSkip(
            BusyArrival arrival, int hash, Runnable task, Object submitted, @Nullable Overflow overflow) {
        try {
            accept(arrival.stripe(), arrival, hash, task, overflow);
            return true;
        } catch (Skipped skipped) {
            reporter().tellSkipped(arrival.stripe(), submitted);
            return false;
        }
    }

    /** What comes of a task if there is no room for it: to replace another one, or to be skipped, needs none. */
    private Placed placeWithoutRoom(BusyArrival arrival, int hash, Runnable task) {
        if (isPaused() && !arrival.hasSlot()) {
            return Placed.BUSY;
        }
        Stripe open = find(arrival.stripe(), hash);
        return open == null ? Placed.FULL : newLink(arrival, task).placeIn(open, 0);
    }

    private @Nullable Stripe place(BusyArrival arrival, int hash, Runnable task, int stripeCapacity) {
        if (isPaused() && !arrival.hasSlot()) {
            throw new Skipped();
        }
        Link link = newLink(arrival, task);
        Stripe full = placeLink(arrival.stripe(), hash, link, stripeCapacity);
        if (arrival.isSkipped()) {
            throw new Skipped();
        }
        return full;
    }

    /** Looks for a batch before it makes one: to join costs no link. */
    private @Nullable Stripe place(ItemArrival arrival, int hash, int stripeCapacity) {
        BatchItem item = arrival.item();
        if (events() != null || item.batching().lingers()) {
            item.placedAt(platform().nanoTime());
        }
        Stripe open = find(arrival.stripe(), hash);
        Placed joined = open == null ? null : BatchLink.join(open, item, arrival.batchKey(), stripeCapacity);
        if (joined != null) {
            return joined == Placed.FULL ? open : null;
        }
        return placeLink(arrival.stripe(), hash, arrival.newLink(), stripeCapacity);
    }

    private @Nullable Stripe placeLink(Object stripe, int hash, Link link, int stripeCapacity) {
        return table.segmentFor(hash).place(this, stripe, hash, link, stripeCapacity);
    }

    private ArrivalLink newLink(BusyArrival arrival, Runnable task) {
        return arrival.newLink(task, events() == null ? 0 : platform().nanoTime());
    }

    @Override
    public @Nullable LimitedKey place(Object stripe, int hash, Runnable task, int stripeCapacity) {
        if (stripe instanceof Arrival arrival) {
            return arrival instanceof ItemArrival item
                    ? place(item, hash, stripeCapacity)
                    : place((BusyArrival) arrival, hash, task, stripeCapacity);
        }
        StripeSegment segment = table.segmentFor(hash);
        if (stripe == TaskEvents.NO_KEY) {
            segment.placeAlone(this, hash, task);
            return null;
        }
        return segment.place(this, stripe, hash, task, stripeCapacity);
    }

    @Override
    public boolean dropOldest(Object stripe, int hash) {
        Object key = stripe instanceof Arrival arrival ? arrival.stripe() : stripe;
        Stripe found = key == TaskEvents.NO_KEY ? null : find(key, hash);
        return found != null && found.dropOldest();
    }

    /** An executor for one stripe. */
    private record OneStripe(StripedEngine engine, Object stripe, int hash, WhenBusy whenBusy) implements Executor {
        @Override
        public void execute(Runnable task) {
            engine.execute(stripe, hash, Objects.requireNonNull(task, "task"), whenBusy);
        }

        @Override
        public String toString() {
            return engine.name() + "[" + stripe + "]";
        }
    }

    public Executor executorFor(Object stripe, WhenBusy whenBusy) {
        return new OneStripe(this, stripe, hashOf(stripe), whenBusy);
    }

    // live control

    public void pause(Object stripe) {
        if (isShutdown()) {
            return;
        }
        int hash = hashOf(stripe);
        table.segmentFor(hash).pause(this, stripe, hash);
        if (isShutdown()) {
            Stripe late = find(stripe);
            if (late != null) {
                late.resume();
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

    private @Nullable Stripe find(Object stripe, int hash) {
        return table.segmentFor(hash).find(this, stripe, hash);
    }

    // stripes as keys: the application's code is called here, and never under a lock

    private int hashOf(Object stripe) {
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
        return open == null ? Reasons.idle(new Place(name(), keyType(), stripe)) : Reasons.of(open, stacks);
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
