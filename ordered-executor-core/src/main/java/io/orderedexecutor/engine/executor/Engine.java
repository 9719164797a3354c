package io.orderedexecutor.engine.executor;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.pool.Signal;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.strand.Host;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.LinkQueue;
import io.orderedexecutor.engine.strand.OpenPlaces.Reserved;
import io.orderedexecutor.engine.strand.QueuedReservation;
import io.orderedexecutor.engine.strand.ShutdownState;
import io.orderedexecutor.engine.strand.TaskReporter;
import io.orderedexecutor.engine.task.RejectionCounts;
import io.orderedexecutor.engine.task.TaskEnd;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The implementation that all executors share, whatever makes their tasks conflict: it brings together threads, limits,
 * listeners, statistics and lifecycle. The public class is the contract, the engine fulfils it.
 *
 * <p>Every task enters by {@link #accept}, with and without limits and listeners.
 *
 * @param <T> what a task is submitted to, and by which the engine finds its place
 */
public abstract class Engine<T> extends Host {
    private final String description;
    private final Settings settings;
    private final LiveTasks live;
    private final KeyHashes<T> keyHashes;
    private final @Nullable Limits<T> limits;
    private final Signal strandEnds;
    private final Lifecycle lifecycle;

    /**
     * Makes an engine.
     *
     * @param kind of executor, for messages
     * @param keyHashes the keys that have a capacity of their own
     */
    public Engine(
            String kind,
            Settings settings,
            Workers workers,
            LiveTasks live,
            KeyHashes<T> keyHashes,
            Runnable onTerminated) {
        this(
                kind,
                settings,
                workers,
                live,
                keyHashes,
                settings.isLimited() ? new Permits(settings, keyHashes) : null,
                new ShutdownState(),
                onTerminated);
    }

    private Engine(
            String kind,
            Settings settings,
            Workers workers,
            LiveTasks live,
            KeyHashes<T> keyHashes,
            @Nullable Permits permits,
            ShutdownState shutdown,
            Runnable onTerminated) {
        super(
                workers,
                new TaskReporter(
                        settings.isListening() ? new TaskEvents(settings.listeners()) : null, settings.platform()),
                settings.failurePolicy(),
                shutdown,
                permits);
        this.description = kind + " executor '" + settings.name() + "'";
        this.settings = settings;
        this.live = live;
        this.keyHashes = keyHashes;
        this.limits = permits == null ? null : new Limits<>(this, settings, permits);
        this.strandEnds = new Signal(settings.platform());
        this.lifecycle = new Lifecycle(settings.platform(), live, shutdown, this::onShutdown, onTerminated);
    }

    /** The kind of executor and its name, for messages. */
    public final String describe() {
        return description;
    }

    @Override
    public final String name() {
        return settings.name();
    }

    public final Lifecycle lifecycle() {
        return lifecycle;
    }

    public final @Nullable Limits<T> limits() {
        return limits;
    }

    final KeyHashes<T> keyHashes() {
        return keyHashes;
    }

    public final Limits<T> requireLimits(String setting) {
        if (limits == null) {
            throw new IllegalStateException(describe() + " was built without limits, so its tasks are not counted; set "
                    + setting + " in the builder");
        }
        return limits;
    }

    // acceptance

    /** A link for a task that is accepted now. */
    public final Link newLink(Runnable task) {
        return events() == null ? new Link(task) : Link.timed(task, platform().nanoTime());
    }

    /**
     * Accepts a task within the limits, or throws, and tells the listener.
     *
     * @param key what the listener is told that the task was submitted to
     * @param target what the task is submitted to
     * @param hash of the target, if the engine finds the place by it
     * @param overflow what happens if there is no room; null for what the executor was built with
     */
    public final void accept(Object key, T target, int hash, Runnable task, @Nullable Overflow overflow) {
        TaskEvents events = events();
        if (events == null) {
            admit(target, hash, task, overflow);
        } else {
            acceptAndTell(events, key, target, hash, task, overflow);
        }
        // not inside: what is thrown there would be taken for a refusal
        adoptUnattended();
    }

    /**
     * Finds threads for strands that were left without one, for want of memory or stack. Called when a task has come or
     * a strand has ended, with no lock held: while there is any activity, nothing is left alone for long.
     */
    private void adoptUnattended() {
        if (hasUnattended) {
            // before the look: what is left alone from now on is seen by the next one
            hasUnattended = false;
            try {
                live.adoptUnattended();
            } catch (Throwable again) {
                hasUnattended = true;
                UncaughtFailures.report(again);
            }
        }
    }

    private void acceptAndTell(
            TaskEvents events, Object key, T target, int hash, Runnable task, @Nullable Overflow overflow) {
        // before it is placed: a task that has ended has no work
        Object submitted = TaskReporter.submitted(task);
        try {
            admit(target, hash, task, overflow);
        } catch (Skipped skipped) {
            throw skipped;
        } catch (Throwable refusal) {
            events.rejected(key, submitted, refusal);
            throw refusal;
        }
        events.queued(key, submitted);
    }

    /**
     * Accepts a task that comes later within the limits, or throws, and tells the listener.
     *
     * @see #accept
     */
    public final Reservation reserve(Object key, T target, int hash, @Nullable Overflow overflow) {
        QueuedReservation reservation = new QueuedReservation(this, key, description, settings.reservationLease());
        try {
            admit(target, hash, reservation.place(), overflow);
        } catch (Throwable refusal) {
            reservation.close();
            TaskEvents events = events();
            if (events != null) {
                events.rejected(key, reservation, refusal);
            }
            throw refusal;
        }
        if (isStopping() && reservation.discard()) {
            // the shutdown may have looked for what waits before this did
            throw rejectedByShutdown();
        }
        return reservation;
    }

    /** The places that are reserved, and neither used nor given back. */
    public final Reserved reserved() {
        return openPlaces().all(platform().nanoTime());
    }

    /** Those of each strand that has any. */
    protected final Map<LinkQueue, Reserved> reservedByQueue() {
        return openPlaces().byQueue(platform().nanoTime());
    }

    private void admit(T target, int hash, Runnable task, @Nullable Overflow overflow) {
        platform().beforeSubmission(task);
        requireRunning();
        if (limits == null) {
            place(target, hash, task, Limits.UNLIMITED);
        } else {
            limits.admit(target, hash, task, overflow);
        }
    }

    /**
     * Places a task, if fewer than {@code keyCapacity} wait in each of its keys, or throws.
     *
     * @return a key that is full; null if the task is placed
     */
    public abstract @Nullable LimitedKey place(T target, int hash, Runnable task, int keyCapacity);

    /** Ends the task that has waited longest in a key of this target; false if none waits there. */
    public abstract boolean dropOldest(T target, int hash);

    /** Throws if this executor is shut down. */
    public final void requireRunning() {
        if (lifecycle.isShutdown()) {
            throw rejectedByShutdown();
        }
    }

    public final RejectedExecutionException rejected(
            RejectionCounts.Reason reason, String message, @Nullable Throwable cause) {
        reporter().rejections().count(reason);
        return new RejectedExecutionException(message, cause);
    }

    public final RejectedExecutionException rejectedByShutdown() {
        return rejected(RejectionCounts.Reason.SHUTDOWN, describe() + " is shut down and accepts no more tasks", null);
    }

    // live control

    public final void pause() {
        if (!isShutdown()) {
            setPaused(true);
            if (isShutdown()) {
                resume();
            }
        }
    }

    public final void resume() {
        setPaused(false);
        live.unpause();
    }

    public final boolean drain(Duration limit) throws InterruptedException {
        hurry();
        try {
            live.endLingers();
            return awaitIdle(live::isEmpty, limit);
        } finally {
            endHurry();
        }
    }

    public final boolean awaitIdle(BooleanSupplier idle, Duration limit) throws InterruptedException {
        long nanos = Turn.nanos(Objects.requireNonNull(limit, "limit"));
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        // an executor that was idle once must not be asked again, with no time left: a task may have come since.
        // Whether this is a task is asked last: it is a look at all strands
        return idle.getAsBoolean() || strandEnds.await(idle, nanos > 0 && !isInsideTask() ? nanos : 0);
    }

    // observation

    public final OrderedExecutorSettings settings() {
        int threads = workers().threads();
        Turn turn = workers().turn();
        return new OrderedExecutorSettings(
                threads == Workers.UNKNOWN ? null : threads,
                turn.tasks(),
                Duration.ofNanos(turn.nanos()),
                limits == null ? null : limitOrNull(limits.capacity()),
                limits == null ? null : limitOrNull(limits.keyCapacity()),
                settings.overflow(),
                settings.failurePolicy(),
                settings.identityStripes(),
                settings.reservationLease(),
                settings.isListening());
    }

    private static @Nullable Integer limitOrNull(int capacity) {
        return capacity == Limits.UNLIMITED ? null : capacity;
    }

    @Override
    public final List<RunningTask> runningTasks() {
        List<RunningTask> running = new ArrayList<>();
        live.forEachRunning(running::add);
        return List.copyOf(running);
    }

    /** What a key is called in explanations. */
    public abstract String keyType();

    /** Explains what waits first in a key. */
    public abstract Explanation explain(Object key, boolean stacks);

    /** Explains the keys whose first task has run or waited for so long; none if tasks are not timed. */
    public final List<Explanation> explainStuck(Duration atLeast) {
        List<Explanation> stuck = new ArrayList<>();
        live.forEachStuck(Turn.nanos(atLeast), stuck::add);
        return List.copyOf(stuck);
    }

    public final long completed() {
        return reporter().counted(TaskEnd.COMPLETED);
    }

    public final long failed() {
        return reporter().counted(TaskEnd.FAILED);
    }

    public final long cancelled() {
        return reporter().counted(TaskEnd.CANCELLED);
    }

    public final long rejected() {
        return rejections().total();
    }

    public final Rejections rejections() {
        return reporter().rejections().counted();
    }

    /** Empty if tasks are not timed. */
    public final Optional<Duration> oldestQueuedAge() {
        if (events() == null) {
            return Optional.empty();
        }
        List<Long> ages = new ArrayList<>();
        live.forEachOldestQueuedAt(queuedAt -> ages.add(platform().nanoTime() - queuedAt));
        return Optional.of(Duration.ofNanos(ages.isEmpty() ? 0 : Collections.max(ages)));
    }

    // what strands ask and report

    public final @Nullable TaskEvents events() {
        return reporter().events();
    }

    public final boolean isInsideTask() {
        return lifecycle.isInsideTask();
    }

    /**
     * Called by the thread that has removed an ended strand; again, if it has had no memory or stack for all of it.
     *
     * @param hash of the strand's segment
     * @param segmentIsEmpty for good, as {@link SegmentedTable#close} means it
     */
    public final void onStrandEnd(int hash, boolean segmentIsEmpty) {
        if (segmentIsEmpty) {
            lifecycle.onSegmentEmpty(SegmentedTable.segmentOf(hash));
        }
        strandEnds.signal();
        adoptUnattended();
    }

    private void onShutdown() {
        setPaused(false);
        if (limits != null) {
            limits.onShutdown();
        }
        live.onShutdown();
    }
}
