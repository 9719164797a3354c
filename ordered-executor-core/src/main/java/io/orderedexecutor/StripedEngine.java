package io.orderedexecutor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is behind a {@link StripedExecutor}: where its parts meet, the table of stripes, the threads, the bounds, the listener and
 * the lifecycle. The public class is the contract, this one keeps it.
 */
final class StripedEngine {
    private final StripedSettings settings;
    private final Workers workers;
    private final @Nullable TaskEvents events;
    private final @Nullable Bounds bounds;
    private final StripeTable table = new StripeTable();
    private final IdleWatch idleWatch = new IdleWatch();
    private final Lifecycle lifecycle;

    /** Whether no task may start. Written by those who pause and resume, read by servers before each task. */
    private volatile boolean paused;

    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder rejected = new LongAdder();

    StripedEngine(StripedSettings settings, Workers workers, Runnable onTerminated) {
        this.settings = settings;
        this.workers = workers;
        this.events = settings.isListening() ? new TaskEvents(settings.listener()) : null;
        this.bounds = settings.isBounded() ? new Bounds(this, settings) : null;
        this.lifecycle = new Lifecycle(table, this::onShutdown, onTerminated);
    }

    String name() {
        return settings.name();
    }

    Lifecycle lifecycle() {
        return lifecycle;
    }

    // acceptance

    /** Accepts a task of a stripe, or throws. */
    void place(Object stripe, Runnable task) {
        place(stripe, hashOf(stripe), task);
    }

    private void place(Object stripe, int hash, Runnable task) {
        if (events == null) {
            accept(stripe, hash, task);
        } else {
            acceptAndTell(events, stripe, task, () -> accept(stripe, hash, task));
        }
    }

    private static void acceptAndTell(TaskEvents events, Object stripe, Runnable task, Runnable acceptance) {
        Object work = task instanceof TaskFuture<?> future ? future.work() : task;
        Object submitted = work == null ? task : work;
        try {
            acceptance.run();
        } catch (RuntimeException | Error refusal) {
            events.rejected(stripe, submitted, refusal);
            throw refusal;
        }
        events.queued(stripe, submitted);
    }

    private void accept(Object stripe, int hash, Runnable task) {
        requireRunning();
        StripeSegment segment = table.segmentFor(hash);
        if (bounds == null) {
            segment.place(this, stripe, hash, task, Bounds.UNLIMITED);
        } else {
            bounds.admit(
                    hash,
                    stripeCapacity -> segment.place(this, stripe, hash, task, stripeCapacity),
                    () -> segment.find(this, stripe, hash));
        }
    }

    /** Accepts a task that has no stripe, or throws. */
    void placeAlone(Runnable task) {
        if (events == null) {
            acceptAlone(task);
        } else {
            acceptAndTell(events, Stripe.NONE, task, () -> acceptAlone(task));
        }
    }

    private void acceptAlone(Runnable task) {
        requireRunning();
        int hash = ThreadLocalRandom.current().nextInt();
        StripeSegment segment = table.segmentFor(hash);
        if (bounds == null) {
            segment.placeAlone(this, hash, task);
        } else {
            bounds.admit(
                    hash,
                    stripeCapacity -> {
                        segment.placeAlone(this, hash, task);
                        return null;
                    },
                    () -> null);
        }
    }

    /** Throws if this executor is shut down. */
    void requireRunning() {
        if (lifecycle.isShutdown()) {
            throw rejectedByShutdown();
        }
    }

    RejectedExecutionException rejected(String reason, @Nullable Throwable cause) {
        onRejected();
        return new RejectedExecutionException(reason, cause);
    }

    RejectedExecutionException rejectedByShutdown() {
        return rejected("striped executor '" + name() + "' is shut down and accepts no more tasks", null);
    }

    /** An executor for one stripe. */
    private record OneStripe(StripedEngine engine, Object stripe, int hash) implements Executor {
        @Override
        public void execute(Runnable task) {
            engine.place(stripe, hash, Objects.requireNonNull(task, "task"));
        }

        @Override
        public String toString() {
            return engine.name() + "[" + stripe + "]";
        }
    }

    Executor executorFor(Object stripe) {
        return new OneStripe(this, stripe, hashOf(stripe));
    }

    // live control

    void pause() {
        if (!isShutdown()) {
            paused = true;
            if (isShutdown()) {
                resume();
            }
        }
    }

    void resume() {
        paused = false;
        table.forEach(Stripe::unpause);
    }

    boolean isPaused() {
        return paused;
    }

    void pause(Object stripe) {
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

    Bounds requireBounds(String setting) {
        if (bounds == null) {
            throw new IllegalStateException("striped executor '" + name()
                    + "' was built without bounds, so its tasks are not counted; set " + setting + " in the builder");
        }
        return bounds;
    }

    boolean isIdle() {
        return table.size() == 0;
    }

    boolean awaitIdle(BooleanSupplier idle, Duration limit) throws InterruptedException {
        long nanos = Turn.nanos(Objects.requireNonNull(limit, "limit"));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return idleWatch.await(idle, isInsideTask() ? 0 : nanos);
    }

    @Nullable
    Stripe find(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        int hash = hashOf(stripe);
        return table.segmentFor(hash).find(this, stripe, hash);
    }

    // stripes as keys: the application's code is called here, and never under a lock

    private int hashOf(Object stripe) {
        return StripeTable.spread(settings.identityStripes() ? System.identityHashCode(stripe) : stripe.hashCode());
    }

    boolean isSameStripe(Object submitted, Object open) {
        return submitted == open || (!settings.identityStripes() && open != Stripe.NONE && submitted.equals(open));
    }

    // observation

    StripedExecutorStats stats() {
        var live = new Object() {
            long queued;
            long active;
        };
        table.forEach(stripe -> {
            live.queued += stripe.queued();
            live.active += stripe.isActive() ? 1 : 0;
        });
        return new StripedExecutorStats(
                table.size(), live.queued, live.active, completed.sum(), failed.sum(), cancelled.sum(), rejected.sum());
    }

    List<StripeSnapshot> deepestStripes(int limit) {
        Comparator<StripeSnapshot> byDepth = Comparator.comparingLong(StripeSnapshot::queued);
        PriorityQueue<StripeSnapshot> deepest = new PriorityQueue<>(byDepth);
        table.forEach(stripe -> {
            if (stripe.key != Stripe.NONE) {
                deepest.add(stripe.snapshot());
                if (deepest.size() > limit) {
                    deepest.remove();
                }
            }
        });
        List<StripeSnapshot> snapshots = new ArrayList<>(deepest);
        snapshots.sort(byDepth.reversed());
        return List.copyOf(snapshots);
    }

    /** What is there of each stripe at this moment. */
    <T> List<T> collect(Function<? super Stripe, ? extends @Nullable T> look) {
        List<T> collected = new ArrayList<>();
        table.forEach(stripe -> {
            T seen = look.apply(stripe);
            if (seen != null) {
                collected.add(seen);
            }
        });
        return List.copyOf(collected);
    }

    // what the lifecycle and the stripes report

    private void onShutdown() {
        paused = false;
        if (bounds != null) {
            bounds.onShutdown();
        }
        table.forEach(Stripe::onShutdown);
    }

    boolean isShutdown() {
        return lifecycle.isShutdown();
    }

    boolean isInsideTask() {
        return lifecycle.isInsideTask();
    }

    void onTaken() {
        if (bounds != null) {
            bounds.release();
        }
    }

    void onPutBack() {
        if (bounds != null) {
            bounds.takeAgain();
        }
    }

    Workers workers() {
        return workers;
    }

    FailurePolicy failurePolicy() {
        return settings.failurePolicy();
    }

    @Nullable
    TaskEvents events() {
        return events;
    }

    Timer timer() {
        return settings.timer();
    }

    boolean isStopping() {
        return lifecycle.isStopping();
    }

    void onTaskEnd(TaskEnd end) {
        LongAdder counter = switch (end) {
            case COMPLETED -> completed;
            case FAILED -> failed;
            case CANCELLED -> cancelled;
        };
        counter.increment();
    }

    void onRejected() {
        rejected.increment();
    }

    void onEnd(Stripe stripe) {
        if (table.segmentFor(stripe.hash).remove(stripe)) {
            lifecycle.onSegmentEmpty();
        }
        idleWatch.onEnd();
    }
}
