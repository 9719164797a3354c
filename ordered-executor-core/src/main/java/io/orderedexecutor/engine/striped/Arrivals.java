package io.orderedexecutor.engine.striped;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.TaskSkippedException;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.engine.executor.Limits;
import io.orderedexecutor.engine.executor.Skipped;
import io.orderedexecutor.engine.strand.ArrivalLink;
import io.orderedexecutor.engine.strand.BatchItem;
import io.orderedexecutor.engine.strand.BatchLink;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Placed;
import io.orderedexecutor.engine.strand.RunFuture;
import io.orderedexecutor.engine.strand.TaskFuture;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.task.TaskEvents;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Accepts tasks that are told what to do if their stripe is busy, and items that may join a batch. What becomes of them
 * is decided where they are placed; so each of them passes the limits as an {@link Arrival}, in place of its stripe,
 * and comes back here.
 */
public final class Arrivals {
    private final StripedEngine engine;

    Arrivals(StripedEngine engine) {
        this.engine = engine;
    }

    // tasks that are told what to do when their stripe is busy

    /**
     * Accepts a task, or throws; if its stripe is busy, does what {@code whenBusy} says.
     *
     * @param overflow what happens if there is no room; null for what the executor was built with
     * @return the future of the task, or that of a skipped one
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(
            Object stripe, TaskFuture<T> future, WhenBusy whenBusy, @Nullable Overflow overflow) {
        return accept(stripe, engine.hashOf(stripe), future, whenBusy, overflow)
                ? future
                : new SkippedFuture<>(new TaskSkippedException("this task was not accepted: stripe "
                        + TaskReporter.toString(stripe) + " of executor " + engine.name()
                        + " is busy, and the task was submitted with WhenBusy.skip()"));
    }

    /** As {@link #submit}, for a task without a result. */
    public void execute(Object stripe, Runnable task, WhenBusy whenBusy) {
        execute(stripe, engine.hashOf(stripe), task, whenBusy);
    }

    private void execute(Object stripe, int hash, Runnable task, WhenBusy whenBusy) {
        Runnable plain = TaskFuture.asPlain(task);
        boolean hasSlot = whenBusy != WhenBusy.queue() && BusyArrival.hasSlot(whenBusy);
        accept(stripe, hash, hasSlot ? RunFuture.executed(plain) : plain, whenBusy, null);
    }

    /** Accepts a task, skips it, or throws; returns whether it is accepted. */
    private boolean accept(Object stripe, int hash, Runnable task, WhenBusy whenBusy, @Nullable Overflow overflow) {
        if (whenBusy == WhenBusy.queue()) {
            engine.accept(stripe, stripe, hash, task, overflow);
            return true;
        }
        return accept(new BusyArrival(stripe, whenBusy), hash, task, overflow);
    }

    private boolean accept(BusyArrival arrival, int hash, Runnable task, @Nullable Overflow overflow) {
        // before it is placed: a task that has ended has no work
        Object submitted = TaskReporter.submitted(task);
        engine.requireRunning();
        Limits<Object> limits = engine.limits();
        if (limits == null) {
            return acceptOrSkip(arrival, hash, task, submitted, overflow);
        }
        switch (placeWithoutRoom(arrival, hash, task)) {
            case JOINED -> {
                TaskEvents events = engine.events();
                if (events != null) {
                    events.queued(arrival.stripe(), submitted);
                }
                return true;
            }
            case BUSY -> {
                engine.reporter().tellSkipped(arrival.stripe(), submitted);
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
            engine.accept(arrival.stripe(), arrival, hash, task, overflow);
            return true;
        } catch (Skipped skipped) {
            engine.reporter().tellSkipped(arrival.stripe(), submitted);
            return false;
        }
    }

    /** What comes of a task if there is no room for it: to replace another one, or to be skipped, needs none. */
    private Placed placeWithoutRoom(BusyArrival arrival, int hash, Runnable task) {
        if (engine.isPaused() && !arrival.hasSlot()) {
            return Placed.BUSY;
        }
        Stripe open = engine.find(arrival.stripe(), hash);
        return open == null ? Placed.FULL : newLink(arrival, task).placeIn(open, 0);
    }

    /** An executor for one stripe. */
    private record OneStripe(Arrivals arrivals, Object stripe, int hash, WhenBusy whenBusy) implements Executor {
        @Override
        public void execute(Runnable task) {
            arrivals.execute(stripe, hash, Objects.requireNonNull(task, "task"), whenBusy);
        }

        @Override
        public String toString() {
            return arrivals.engine.name() + "[" + stripe + "]";
        }
    }

    public Executor executorFor(Object stripe, WhenBusy whenBusy) {
        return new OneStripe(this, stripe, engine.hashOf(stripe), whenBusy);
    }

    // batches

    /**
     * Accepts an item, or throws.
     *
     * @param batchKey what the item must have in common with those that it runs together with; null for nothing
     * @param overflow what happens if there is no room; null for what the executor was built with
     */
    public void placeItem(Object stripe, BatchItem item, @Nullable Object batchKey, @Nullable Overflow overflow) {
        engine.accept(stripe, new ItemArrival(stripe, item, batchKey), engine.hashOf(stripe), item, overflow);
    }

    // where they are placed

    /** Places what has come in, as {@link StripedEngine#place} does. */
    @Nullable
    Stripe place(Arrival arrival, int hash, Runnable task, int stripeCapacity) {
        return arrival instanceof ItemArrival item
                ? place(item, hash, stripeCapacity)
                : place((BusyArrival) arrival, hash, task, stripeCapacity);
    }

    private @Nullable Stripe place(BusyArrival arrival, int hash, Runnable task, int stripeCapacity) {
        if (engine.isPaused() && !arrival.hasSlot()) {
            throw new Skipped();
        }
        Link link = newLink(arrival, task);
        Stripe full = engine.place(arrival.stripe(), hash, link, stripeCapacity);
        if (arrival.isSkipped()) {
            throw new Skipped();
        }
        return full;
    }

    /** Looks for a batch before it makes one: to join costs no link. */
    private @Nullable Stripe place(ItemArrival arrival, int hash, int stripeCapacity) {
        BatchItem item = arrival.item();
        if (engine.events() != null || item.batching().lingers()) {
            item.placedAt(engine.platform().nanoTime());
        }
        Stripe open = engine.find(arrival.stripe(), hash);
        Placed joined = open == null ? null : BatchLink.join(open, item, arrival.batchKey(), stripeCapacity);
        if (joined != null) {
            return joined == Placed.FULL ? open : null;
        }
        return engine.place(arrival.stripe(), hash, arrival.newLink(), stripeCapacity);
    }

    private ArrivalLink newLink(BusyArrival arrival, Runnable task) {
        return arrival.newLink(
                task, engine.events() == null ? 0 : engine.platform().nanoTime());
    }
}
