package io.orderedexecutor.engine.admit;

import io.orderedexecutor.engine.order.Barrier;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Survey;
import io.orderedexecutor.engine.order.Survey.Depth;
import io.orderedexecutor.engine.permit.Room;
import io.orderedexecutor.engine.permit.Rooms;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.run.Attempt;
import io.orderedexecutor.engine.run.Explainer;
import io.orderedexecutor.engine.run.HeldPlace;
import io.orderedexecutor.engine.run.Output;
import io.orderedexecutor.engine.run.Piece;
import io.orderedexecutor.engine.run.Service;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.engine.run.States;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.ReservedPlaces;
import io.orderedexecutor.stats.RunningTask;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The engine of an executor: accepts, controls and explains tasks by their keys, which are stripes, groups or outputs.
 */
public abstract sealed class Engine permits KeyedEngine, OutputEngine {
    final Settings settings;
    final Service service;
    final Reports reports;
    final Orders orders;

    Engine(Settings settings, String kind, Workers workers, Runnable onTerminated) {
        this.settings = settings;
        this.service = new Service(
                settings, kind + " executor '" + settings.name() + "'", workers, this::targetOf, onTerminated);
        this.reports = service.reports();
        this.orders = service.orders();
        settings.platform().built(service::shutdown);
    }

    public final Service service() {
        return service;
    }

    /** The target of a place as the application named it; {@link TaskEvents#NO_KEY} if it has no name. */
    abstract Object targetOf(Place place);

    /** The order of a key; null if none is open: the key has no tasks, and is not paused. */
    abstract @Nullable Order orderOf(Object key);

    /** Under the bin: whether statistics count an order. */
    abstract boolean isCounted(Order order);

    /** This executor in an explanation, without a key. */
    abstract Explanation.Place where();

    // acceptance

    /**
     * Accepts a task or throws, and notifies the listeners.
     *
     * @param admission takes a place for the task; returns false if the task is not accepted, since its key is busy
     */
    final boolean acceptAndTell(Object target, Runnable task, BooleanSupplier admission) {
        TaskEvents events = reports.events();
        // read it before admission: the task may run and drop its work before admission returns
        Object submitted = events == null ? task : Reports.submitted(task);
        boolean accepted = admitOrTell(target, task, submitted, admission);
        if (accepted && events != null) {
            events.queued(target, submitted);
        }
        return accepted;
    }

    /** Like {@link #acceptAndTell}, but notifies the listeners only of a rejection. */
    final boolean admitOrTell(Object target, Runnable task, Object submitted, BooleanSupplier admission) {
        try {
            service.platform().beforeSubmission(task);
            requireRunning();
            return admission.getAsBoolean();
        } catch (Throwable refusal) {
            TaskEvents events = reports.events();
            if (events != null) {
                events.rejected(target, submitted, refusal);
            }
            throw refusal;
        }
    }

    public final void requireRunning() {
        service.lifecycle().requireSound();
        if (service.lifecycle().isShutdown()) {
            throw rejectedByShutdown();
        }
    }

    final RejectedExecutionException rejectedByShutdown() {
        return reports.rejected(
                Count.SHUTDOWN, service.description() + " is shut down and accepts no more tasks", null);
    }

    // control

    public final void pause() {
        service.dispatcher().pause();
    }

    public final void resume() {
        service.dispatcher().resume();
    }

    public final boolean isPaused() {
        return service.dispatcher().isPaused();
    }

    public final void setCapacity(int capacity) {
        service.rooms().setCapacity(capacity);
    }

    public void setKeyCapacity(int capacity) {
        service.rooms().setKeyCapacity(capacity);
    }

    /** Returns the key; throws if it cannot be one. */
    public Object requireKey(Object key) {
        return Objects.requireNonNull(key, "key");
    }

    public void pause(Object key) {
        if (!service.lifecycle().isShutdown()) {
            orders.pause(key);
        }
    }

    /** Resumes a key; false if it was neither paused nor held up by parked tasks. */
    public final boolean resume(Object key) {
        boolean wasPaused = service.dispatcher().resume(key);
        return unpark(key, true) || wasPaused;
    }

    public final boolean isPaused(Object key) {
        Order order = orderOf(key);
        return order != null && order.isPaused();
    }

    /**
     * Unparks all tasks that hold up a key.
     *
     * @param again true to run them again, false to fail them
     * @return whether there were any
     */
    public final boolean unpark(Object key, boolean again) {
        Order order = orderOf(key);
        Set<Place> places =
                new LinkedHashSet<>(order == null ? List.of() : service.survey().holders(order));
        places.addAll(service.survey().barriers());
        // select the parked places first: an unparked task may let others start, which may be parked during the loop
        places.removeIf(place -> !place.isParked());
        boolean any = false;
        for (Place place : places) {
            any |= again ? service.resumeParked(place) : service.skipParked(place);
        }
        return any;
    }

    /**
     * Waits until a key has no tasks; false if it still has some when the limit elapses, or, inside a task of this
     * executor, at once. Meanwhile no batch of the key lingers, and a batch that is the last place of the key when this
     * looks does not linger afterwards, either.
     */
    public final boolean awaitIdle(Object key, Duration limit) throws InterruptedException {
        return service.drain(() -> orderOf(key), () -> !hasTasks(key), limit);
    }

    /** Whether a key has tasks that wait or run; barriers are tasks of all keys. */
    abstract boolean hasTasks(Object key);

    // observation

    public final OrderedExecutorStats stats() {
        Survey.Counts counts = service.survey().count(this::isCounted);
        return new OrderedExecutorStats(
                counts.orders(),
                counts.queued(),
                counts.deepest(),
                counts.parked(),
                counts.active(),
                reports.counted(Count.COMPLETED),
                reports.counted(Count.FAILED),
                reports.counted(Count.CANCELLED),
                reports.rejections().total());
    }

    /** The settings as they are now. */
    public final OrderedExecutorSettings currentSettings() {
        int threads = service.workers().threads();
        Turn turn = service.workers().turn();
        Rooms rooms = service.rooms();
        Room inExecutor = rooms.inExecutor();
        return new OrderedExecutorSettings(
                threads == Workers.UNKNOWN ? null : threads,
                turn.tasks(),
                Duration.ofNanos(turn.nanos()),
                inExecutor == null ? null : inExecutor.size(),
                rooms.countsKeys() ? rooms.keyCapacity() : null,
                settings.overflow(),
                service.failurePolicy(),
                orders.isByIdentity(),
                settings.reservationLease(),
                reports.events() != null);
    }

    public final Rejections rejections() {
        return reports.rejections();
    }

    public final WhenBusyStats whenBusyStats() {
        return reports.whenBusy();
    }

    public final ReservedPlaces reserved() {
        long count = 0;
        long oldest = 0;
        long now = service.platform().nanoTime();
        for (HeldPlace held : service.reserved()) {
            count++;
            oldest = Math.max(oldest, now - held.reservedAt());
        }
        return new ReservedPlaces(count, Duration.ofNanos(oldest));
    }

    /** The snapshot of a key; null if the key has no tasks and is not paused. */
    public final @Nullable KeySnapshot snapshot(Object key) {
        Order order = orderOf(key);
        Depth depth = order == null ? null : service.survey().depth(order);
        return depth == null || !isShown(depth) ? null : snapshot(depth, openReservations());
    }

    private static boolean isShown(Depth depth) {
        return depth.queued() > 0 || depth.active() > 0 || depth.order().isPaused();
    }

    public final List<KeySnapshot> deepestKeys(int limit) {
        Map<Order, List<HeldPlace>> reservations = openReservations();
        Predicate<Depth> isCounted = depth -> isShown(depth)
                && isCounted(depth.order())
                && !Orders.isKeyless(depth.order().key());
        return service.survey().deepest(limit, isCounted).stream()
                .map(depth -> snapshot(depth, reservations))
                .toList();
    }

    private KeySnapshot snapshot(Depth depth, Map<Order, List<HeldPlace>> reservations) {
        Order order = depth.order();
        long oldest = 0;
        long now = service.platform().nanoTime();
        List<HeldPlace> reserved = reservations.getOrDefault(order, List.of());
        for (HeldPlace held : reserved) {
            oldest = Math.max(oldest, now - held.reservedAt());
        }
        Object key = order.key() instanceof Output<?> output ? output.key() : order.key();
        return new KeySnapshot(
                key,
                depth.queued(),
                reserved.size(),
                Duration.ofNanos(oldest),
                depth.active(),
                order.isPaused(),
                depth.isParked());
    }

    /** The reservations that are neither used nor closed, by the orders in which they stand. */
    private Map<Order, List<HeldPlace>> openReservations() {
        Map<Order, List<HeldPlace>> byOrder = new HashMap<>();
        for (HeldPlace held : service.reserved()) {
            held.forEachOrder(order ->
                    byOrder.computeIfAbsent(order, any -> new ArrayList<>()).add(held));
        }
        return byOrder;
    }

    public final List<ParkedTask> parkedTasks() {
        Set<Place> found = new LinkedHashSet<>();
        service.survey().forEachStarted(place -> {
            if (place.isParked()) {
                found.add(place);
            }
        });
        List<ParkedTask> parked = new ArrayList<>();
        long now = service.platform().nanoTime();
        // sorted by age only: to sort all tasks by their orders may take long, and callers ask when something is wrong
        for (Place place : byAge(List.copyOf(found))) {
            if (place.state() instanceof States.Suspended suspended && suspended.isParked()) {
                parked.add(new ParkedTask(
                        targetOf(place),
                        Objects.requireNonNull(suspended.shownTask(), "task"),
                        suspended.shownFailure(),
                        suspended.failures(),
                        Duration.ofNanos(Math.max(0, now - suspended.until()))));
            }
        }
        return List.copyOf(parked);
    }

    public final List<QueuedTask> queuedTasks(int limit) {
        return queuedTasks(limit, Survey.Nearest::of);
    }

    /** The queued tasks of a key; barriers are tasks of all keys. */
    public final List<QueuedTask> queuedTasks(Object key, int limit) {
        if (!hasTasks(key)) {
            return List.of();
        }
        Order order = orderOf(key);
        return queuedTasks(limit, (nearest, place) -> standsIn(place, order) ? nearest.ofCopied(place) : null);
    }

    private static boolean standsIn(Place place, @Nullable Order order) {
        for (int i = 0; i < place.steps(); i++) {
            if (place.step(i).order() == order) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns queued tasks. Looks at {@code limit} waiting ones of each order.
     *
     * @param placesBefore the places that a place other than a barrier waits for; null if its task is not wanted
     */
    List<QueuedTask> queuedTasks(int limit, BiFunction<Survey.Nearest, Place, @Nullable Set<Place>> placesBefore) {
        List<QueuedTask> queued = new ArrayList<>();
        Survey.Lines lines = service.survey().lines(limit);
        Survey.Nearest nearest = lines.nearest();
        for (Place place : byAge(lines.inOrder(service.comparisons().all()))) {
            if (queued.size() == limit) {
                break;
            }
            if (!place.isQueued() || targetOf(place) == TaskEvents.NO_KEY) {
                continue;
            }
            Set<Place> before =
                    place instanceof Barrier barrier ? nearest.before(barrier) : placesBefore.apply(nearest, place);
            if (before != null) {
                List<Object> waitsFor = before.stream()
                        .map(this::targetOf)
                        .filter(target -> target != TaskEvents.NO_KEY)
                        .toList();
                queued.add(new QueuedTask(targetOf(place), waitsFor));
            }
        }
        return List.copyOf(queued);
    }

    /** Sorts places by the time of their submission, if tasks are timed. */
    static List<Place> byAge(List<Place> places) {
        record Aged(Place place, long queuedAt) {}
        return places.stream()
                // read the time once: that of a slot or a batch may change during the sort
                .map(place -> new Aged(place, place.queuedAt()))
                .sorted(Comparator.comparingLong(Aged::queuedAt))
                .map(Aged::place)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    public final List<RunningTask> runningTasks() {
        return new Explainer(service).runningTasks();
    }

    /** The age of the oldest queued task; empty if tasks are not timed. */
    public final Optional<Duration> oldestQueuedAge() {
        if (reports.events() == null) {
            return Optional.empty();
        }
        long now = service.platform().nanoTime();
        long[] oldest = {0};
        service.survey().forEachOldest(place -> {
            long queuedAt = place.queuedAt();
            // 0 for a batch whose items were claimed or taken out just now
            if (queuedAt != 0 && place.isQueued()) {
                oldest[0] = Math.max(oldest[0], now - queuedAt);
            }
        });
        return Optional.of(Duration.ofNanos(oldest[0]));
    }

    /**
     * Whether tasks are left that all wait for the application to end a pause, or to resume or skip a parked task: each
     * is parked or paused, or waits for such a task. False if a task ends meanwhile.
     */
    public final boolean isHeldUp() {
        long ended = ended();
        // a task may submit another to an order that was visited already, and end before its own is visited
        return service.survey().areHeldUp(this::goesOn) && ended() == ended;
    }

    private long ended() {
        return reports.counted(Count.COMPLETED) + reports.counted(Count.FAILED) + reports.counted(Count.CANCELLED);
    }

    /**
     * Whether a place proceeds without the application; the place is granted, about to be granted or to leave, or a
     * piece.
     */
    private boolean goesOn(Place place) {
        Object state = place.state();
        if (state instanceof Attempt attempt) {
            return !attempt.isWorked() || (place instanceof Piece piece && piece.isReady());
        }
        if (state instanceof Place.Out || state instanceof States.Completes) {
            return true;
        }
        return !place.isParked() && !isPaused() && !place.isPaused();
    }

    public final List<Explanation> explainStuck(Duration atLeast, boolean stacks) {
        if (Objects.requireNonNull(atLeast, "atLeast").isNegative()) {
            throw new IllegalArgumentException("atLeast is " + atLeast + ", but must not be negative");
        }
        return new Explainer(service).stuck(atLeast, stacks);
    }

    public abstract Explanation explain(Object key, boolean stacks);

    /** The explanation that nothing waits. */
    public final Explanation idle() {
        return Reasons.idle(where());
    }

    final Explanation explainOr(@Nullable Place waiting, boolean stacks, Explanation otherwise) {
        return waiting == null ? otherwise : new Explainer(service).explain(waiting, stacks);
    }
}
