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
import io.orderedexecutor.engine.strand.LinkQueue;
import io.orderedexecutor.engine.strand.Strand;
import io.orderedexecutor.engine.strand.TaskEvents;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
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

    @Override
    public @Nullable LimitedKey place(Object stripe, int hash, Runnable task, int stripeCapacity) {
        StripeSegment segment = table.segmentFor(hash);
        if (stripe == TaskEvents.NO_KEY) {
            segment.placeAlone(this, hash, task);
            return null;
        }
        return segment.place(this, stripe, hash, task, stripeCapacity);
    }

    @Override
    public boolean dropOldest(Object stripe, int hash) {
        Stripe found =
                stripe == TaskEvents.NO_KEY ? null : table.segmentFor(hash).find(this, stripe, hash);
        return found != null && found.dropOldest();
    }

    /** An executor for one stripe. */
    private record OneStripe(StripedEngine engine, Object stripe, int hash) implements Executor {
        @Override
        public void execute(Runnable task) {
            engine.accept(stripe, stripe, hash, TaskFuture.asPlain(Objects.requireNonNull(task, "task")), null);
        }

        @Override
        public String toString() {
            return engine.name() + "[" + stripe + "]";
        }
    }

    public Executor executorFor(Object stripe) {
        return new OneStripe(this, stripe, hashOf(stripe));
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

    public @Nullable Stripe find(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        int hash = hashOf(stripe);
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
        Map<LinkQueue, Long> reserved = openPlaces().byQueue();
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
        return collect(table, Stripe::parked);
    }

    @Override
    public void onEnd(Stripe stripe) {
        onStrandEnd(stripe.hash, table.segmentFor(stripe.hash).remove(stripe));
    }
}
