package io.orderedexecutor.engine.place;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.task.HeldUp;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.RejectionCounts;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.TaskEnd;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.WaitForRoom;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.GroupSnapshot;
import io.orderedexecutor.stats.GroupedExecutorStats;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The engine of executors whose tasks have keys: takes places, and steers and explains them by their keys. */
public final class KeyedEngine {

    /** What a task is submitted to, and the keys that this means. */
    private record Target(
            Object named,
            List<Object> exclusive,
            List<Object> shared,
            List<Object> around,
            boolean isBarrier,
            boolean isSharedBarrier,
            @Nullable OrderedTask comparable) {

        private static final Target ALONE =
                new Target(TaskEvents.NO_KEY, List.of(), List.of(), List.of(), false, false, null);

        static Target of(Groups groups) {
            return new Target(
                    groups,
                    groups.exclusiveGroups(),
                    groups.sharedGroups(),
                    groups.groupsAround(),
                    groups.areAll(),
                    groups.areAllShared(),
                    null);
        }

        boolean isAlone() {
            return !isBarrier && !isSharedBarrier && exclusive.isEmpty() && shared.isEmpty();
        }
    }

    private final String name;
    private final Reports reports;
    private final Overflow overflow;
    private final @Nullable Duration reservationLease;
    private final Service service;
    private final Orders orders;
    private final Comparisons comparisons = new Comparisons();

    public KeyedEngine(
            String name,
            String description,
            Workers workers,
            Reports reports,
            io.orderedexecutor.FailurePolicy failurePolicy,
            int capacity,
            int keyCapacity,
            Overflow overflow,
            @Nullable Duration reservationLease,
            Runnable onTerminated) {
        this.name = name;
        this.reports = reports;
        this.overflow = overflow;
        this.reservationLease = reservationLease;
        this.service = new Service(
                name,
                description,
                workers,
                reports,
                failurePolicy,
                capacity,
                keyCapacity,
                false,
                KeyedEngine::targetOf,
                comparisons,
                onTerminated);
        this.orders = service.orders();
    }

    /** What a place was submitted to: where it has one key, that says it all. */
    private static Object targetOf(Place place) {
        Object target = place.targetOrNull();
        if (target != null) {
            return target;
        }
        Object key = place.order.key;
        return Orders.isKeyless(key) ? TaskEvents.NO_KEY : Groups.exclusive(key);
    }

    public Service service() {
        return service;
    }

    // acceptance

    /** Accepts a task with groups, or throws; null for the overflow of this executor. */
    public void submit(Groups groups, Runnable task, @Nullable Overflow ownOverflow) {
        Object key = service.limits() == null && reports.events() == null ? groups.onlyKey() : null;
        if (key == null) {
            accept(Target.of(groups), task, ownOverflow);
        } else {
            acceptAlone(key, task);
        }
    }

    /** Accepts a task of one exclusive key, as most are, where nothing has to be counted or told. */
    private void acceptAlone(Object key, Runnable task) {
        service.platform().beforeSubmission(task);
        requireRunning();
        Place place = new Place(task, orders);
        TaskFuture<?> future = task instanceof TaskFuture<?> ofTask ? ofTask : null;
        if (future != null) {
            future.setPlace(place);
        }
        boolean entered = false;
        try {
            entered = orders.enter(place, key);
        } finally {
            if (!entered && future != null) {
                future.setPlace(null);
            }
        }
        if (!entered) {
            throw rejectedByShutdown();
        }
    }

    /**
     * Accepts a task that may say itself what it is compatible with, or throws.
     *
     * @param submitted the application's own object
     * @param task what is run: the same, or its future
     */
    public void submitObject(Object submitted, Runnable task) {
        if (submitted instanceof OrderedTask ordered) {
            accept(new Target(TaskEvents.NO_KEY, List.of(), List.of(), List.of(), false, false, ordered), task, null);
        } else {
            accept(Target.ALONE, task, null);
        }
    }

    private void accept(Target target, Runnable task, @Nullable Overflow ownOverflow) {
        TaskEvents events = reports.events();
        // before it is placed: a task that has ended has no work
        Object submitted = events == null ? task : Reports.submitted(task);
        TaskFuture<?> future = task instanceof TaskFuture<?> ofTask ? ofTask : null;
        try {
            service.platform().beforeSubmission(task);
            Place place = admit(target, task, future, ownOverflow);
            if (place == null) {
                throw rejectedByShutdown();
            }
        } catch (Throwable refusal) {
            if (events != null) {
                events.rejected(target.named, submitted, refusal);
            }
            throw refusal;
        }
        if (events != null) {
            events.queued(target.named, submitted);
        }
    }

    /** Accepts a task that comes later, or throws; null for the overflow of this executor. */
    public Reservation reserve(Groups groups, @Nullable Overflow ownOverflow) {
        Target target = Target.of(groups);
        HeldPlace reservation = new HeldPlace(
                service, groups, reservationLease, service.platform().nanoTime());
        try {
            service.platform().beforeSubmission(() -> {});
            if (admit(target, reservation, null, ownOverflow) == null) {
                throw rejectedByShutdown();
            }
        } catch (Throwable refusal) {
            reservation.abandon();
            TaskEvents events = reports.events();
            if (events != null) {
                events.rejected(groups, reservation, refusal);
            }
            throw refusal;
        }
        return reservation;
    }

    /**
     * Takes a place when there is room.
     *
     * @param filling the task, or the reservation
     * @return null if the executor is shut down
     */
    private @Nullable Place admit(
            Target target, Object filling, @Nullable TaskFuture<?> future, @Nullable Overflow ownOverflow) {
        requireRunning();
        Limits limits = service.limits();
        Admission room = limits == null ? null : new Admission(limits, target);
        if (room != null) {
            room.take(ownOverflow == null ? overflow : ownOverflow);
        }
        Place place = null;
        boolean entered = false;
        try {
            place = placeFor(target, filling);
            if (future != null) {
                future.setPlace(place);
            }
            entered = enter(place, target, room);
        } finally {
            if (!entered && future != null) {
                future.setPlace(null);
            }
            // what was taken back has given its room back
            if (room != null && !entered && (place == null || !place.isTakenBack())) {
                room.giveBack();
            }
        }
        return entered ? place : null;
    }

    private Place placeFor(Target target, Object filling) {
        long now = reports.now(service.platform());
        Object state = filling instanceof HeldPlace held ? new Place.Vacancy(held, false) : filling;
        Place place;
        if (target.isBarrier || target.isSharedBarrier) {
            List<Object> besides = target.isBarrier ? List.of() : target.exclusive;
            place = new Barrier(state, orders, target.named, now, !target.isBarrier, besides.size());
        } else if (target.comparable != null) {
            place = new Comparisons.Compared(state, orders, target.named, now, comparisons, target.comparable);
        } else if (target.exclusive.size() + target.shared.size() + target.around.size() > 1) {
            place = new Many(
                    state,
                    orders,
                    target.named,
                    now,
                    target.exclusive.size(),
                    target.shared.size(),
                    target.around.size());
        } else if (target.exclusive.isEmpty()) {
            // without a key, too: it conflicts with those only that have all keys exclusively
            place = new Place.Shared(state, orders, target.named, now);
        } else {
            place = reports.events() == null
                    ? new Place(state, orders)
                    : new Place.Timed(state, orders, target.named, now);
        }
        if (filling instanceof HeldPlace held) {
            held.setPlace(place);
            service.reserved().add(held);
        }
        return place;
    }

    private boolean enter(Place place, Target target, @Nullable Admission room) {
        if (place instanceof Barrier barrier) {
            return orders.enter(barrier, target.isBarrier ? List.of() : target.exclusive);
        }
        if (place instanceof Comparisons.Compared compared) {
            boolean entered = orders.enterAlone(place);
            if (entered) {
                try {
                    compared.compare();
                } finally {
                    orders.finishEntry(compared);
                }
            }
            return entered;
        }
        if (target.isAlone()) {
            return orders.enterAlone(place);
        }
        if (room != null && room.keepsOrders()) {
            return orders.enter(place, room.guests());
        }
        if (place instanceof Many many) {
            return orders.enter(many, target.exclusive, target.shared, target.around);
        }
        return orders.enter(place, target.exclusive.isEmpty() ? target.shared.get(0) : target.exclusive.get(0));
    }

    private void requireRunning() {
        if (service.isShutdown()) {
            throw rejectedByShutdown();
        }
    }

    private RejectedExecutionException rejectedByShutdown() {
        return rejected(
                RejectionCounts.Reason.SHUTDOWN,
                service.description() + " is shut down and accepts no more tasks",
                null);
    }

    private RejectedExecutionException rejected(
            RejectionCounts.Reason reason, String message, @Nullable Throwable cause) {
        reports.rejections().count(reason);
        return new RejectedExecutionException(message, cause);
    }

    /** The room that a submission needs, in its keys and in the executor: takes all of it, or none. */
    private final class Admission implements HeldUp {
        private final Limits limits;
        private final Target target;
        private final Orders.Guests guests;

        /** Where there is no room, as far as is known; null for the executor. */
        private volatile @Nullable Order full;

        Admission(Limits limits, Target target) {
            this.limits = limits;
            this.target = target;
            this.guests = limits.countsKeys() && !target.isBarrier && !target.isSharedBarrier
                    ? orders.visit(target.exclusive, target.shared, target.around)
                    : orders.visit(List.of(), List.of(), List.of());
        }

        boolean keepsOrders() {
            return limits.countsKeys();
        }

        Orders.Guests guests() {
            return guests;
        }

        void take(Overflow policy) {
            boolean taken = false;
            try {
                if (policy instanceof Overflow.Block block && hasNoRoom()) {
                    await(block.limit());
                } else if (!(policy instanceof Overflow.Block)) {
                    makeRoom(policy);
                }
                taken = true;
            } finally {
                if (!taken) {
                    guests.leave();
                }
            }
        }

        void giveBack() {
            guests.orders().forEach(limits::giveBack);
            limits.giveBack();
            guests.leave();
        }

        private void makeRoom(Overflow policy) {
            while (hasNoRoom()) {
                if (!(policy instanceof Overflow.DiscardOldest) || !dropsOldest()) {
                    throw rejected(reason(), describe(), null);
                }
                requireRunning();
            }
        }

        /** Takes all room, unless some is missing. */
        private boolean hasNoRoom() {
            List<Order> taken = new ArrayList<>();
            full = null;
            for (Order order : guests.orders()) {
                if (!limits.tryTake(order)) {
                    full = order;
                    taken.forEach(limits::giveBack);
                    return true;
                }
                taken.add(order);
            }
            boolean hasRoom = limits.tryTake();
            if (!hasRoom) {
                taken.forEach(limits::giveBack);
            }
            return !hasRoom;
        }

        /**
         * Drops what has waited longest, of the very key that is full; or of one of the keys, if it is the executor.
         */
        private boolean dropsOldest() {
            Order inKey = full;
            if (inKey != null) {
                // if it has no task to drop, it has room by now, unless all that waits there is reserved
                return service.dropOldest(inKey) || !hasReserved(inKey);
            }
            for (Object key : keys(target)) {
                Order order = orders.find(key);
                if (order != null && service.dropOldest(order)) {
                    return true;
                }
            }
            return false;
        }

        private void await(Duration limit) {
            if (service.isInsideTask()) {
                throw rejected(
                        reason(),
                        describe() + "; a task of this executor cannot wait for room that only its own end may make",
                        null);
            }
            HeldUp before = WaitForRoom.begin(this);
            List<Order> taken = new ArrayList<>();
            boolean all = false;
            try {
                long now = service.platform().nanoTime();
                long nanos = Math.min(Turn.nanos(limit), Long.MAX_VALUE / 2);
                for (Order order : guests.orders()) {
                    full = order;
                    if (!limits.take(order, now + nanos)) {
                        throw new TimeoutException();
                    }
                    taken.add(order);
                }
                full = null;
                if (!limits.take(now + nanos)) {
                    throw new TimeoutException();
                }
                all = true;
            } catch (TimeoutException noRoom) {
                requireRunning();
                throw rejected(reason(), describe() + ", and none was made within " + limit, null);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw rejected(reason(), describe() + ", and the submitter was interrupted while it waited", interrupt);
            } finally {
                WaitForRoom.end(before);
                if (!all) {
                    taken.forEach(limits::giveBack);
                }
            }
        }

        private RejectionCounts.Reason reason() {
            return full == null ? RejectionCounts.Reason.CAPACITY : RejectionCounts.Reason.KEY_CAPACITY;
        }

        private String describe() {
            Order inKey = full;
            return inKey == null
                    ? service.description() + " has no room: its capacity is " + limits.capacity() + " queued tasks"
                    : "group " + Reports.toString(inKey.key) + " of " + service.description()
                            + " has no room: its capacity is " + limits.keyCapacity() + " queued tasks";
        }

        @Override
        public Explanation.Place where() {
            return new Explanation.Place(name, "groups", null);
        }

        @Override
        public Reason heldUpBy() {
            Order inKey = full;
            if (inKey == null) {
                HeldUp busy = new HeldUp() {
                    @Override
                    public Explanation.Place where() {
                        return Admission.this.where();
                    }

                    @Override
                    public Reason heldUpBy() {
                        return new Explainer(service).ofBusy(where());
                    }
                };
                return new Reason(new Explanation.NoRoom(where(), limits.capacity()), busy);
            }
            Place oldest = oldestWaiting(inKey);
            return oldest == null
                    ? Reason.NONE
                    : new Reason(new Explanation.NoRoom(whereOf(inKey.key), limits.keyCapacity()), oldest);
        }
    }

    private static Set<Object> keys(Target target) {
        Set<Object> keys = new LinkedHashSet<>(target.exclusive);
        keys.addAll(target.shared);
        return keys;
    }

    private Explanation.Place whereOf(Object key) {
        return new Explanation.Place(name, "group", key);
    }

    private boolean hasReserved(Order order) {
        return orders.placesIn(order).stream().anyMatch(place -> place.state() instanceof Place.Vacancy);
    }

    private @Nullable Place oldestWaiting(Order order) {
        for (Place place : orders.placesIn(order)) {
            if (place.isQueued()) {
                return place;
            }
        }
        return null;
    }

    // limits

    public void setKeyCapacity(int capacity) {
        Limits limits = service.requireLimits("groupCapacity");
        if (!limits.countsKeys()) {
            throw new IllegalStateException(service.description()
                    + " was built without a groupCapacity, so its queued tasks are not counted; set groupCapacity "
                    + "in the builder");
        }
        limits.setKeyCapacity(capacity, orders);
    }

    // control

    public void pause(Object group) {
        if (!service.isShutdown()) {
            orders.pause(group);
        }
    }

    /** Lets a group go on; false if nothing was paused or parked. */
    public boolean resume(Object group) {
        boolean wasPaused = orders.resume(group);
        return unpark(group, true) || wasPaused;
    }

    /** Lets the parked tasks go on that hold up a group. */
    public boolean unpark(Object group, boolean again) {
        boolean any = false;
        Order order = orders.find(group);
        Set<Place> places = new LinkedHashSet<>();
        if (order != null) {
            places.addAll(orders.placesIn(order));
        }
        places.addAll(orders.barriers());
        for (Place place : places) {
            any |= again ? service.resumeParked(place) : service.skipParked(place);
        }
        return any;
    }

    public boolean hasTasks(Object group) {
        Order order = orders.find(group);
        return order != null && !orders.placesIn(order).isEmpty();
    }

    public boolean isEmpty() {
        return orders.isEmpty();
    }

    // observation

    public GroupedExecutorStats stats() {
        long queued = 0;
        long active = 0;
        for (Place place : orders.all(false)) {
            queued += place.isQueued() ? 1 : 0;
            active += place.isActive() ? 1 : 0;
        }
        long groups = orders.all().stream()
                .filter(order -> !Orders.isKeyless(order.key) && !order.isEmpty())
                .count();
        return new GroupedExecutorStats(
                Math.toIntExact(groups),
                queued,
                active,
                reports.counted(TaskEnd.COMPLETED),
                reports.counted(TaskEnd.FAILED),
                reports.counted(TaskEnd.CANCELLED),
                service.rejections().total());
    }

    private static boolean isNamedAndInUse(Order order) {
        return !Orders.isKeyless(order.key) && (order.isPaused() || !order.isEmpty());
    }

    public @Nullable GroupSnapshot snapshot(Object group) {
        Order order = orders.find(group);
        return order == null || !isNamedAndInUse(order) ? null : snapshot(order);
    }

    private GroupSnapshot snapshot(Order order) {
        long queued = 0;
        long active = 0;
        long reserved = 0;
        long oldest = 0;
        long now = service.platform().nanoTime();
        for (Place place : orders.placesIn(order)) {
            queued += place.isQueued() ? 1 : 0;
            active += place.isActive() ? 1 : 0;
            if (place.state() instanceof Place.Vacancy vacancy) {
                reserved++;
                oldest = Math.max(oldest, now - vacancy.reservation().reservedAt());
            }
        }
        return new GroupSnapshot(order.key, queued, reserved, Duration.ofNanos(oldest), active, order.isPaused());
    }

    public List<GroupSnapshot> deepestGroups(int limit) {
        return orders.all().stream()
                .filter(order -> !Orders.isKeyless(order.key) && !order.isEmpty())
                .map(this::snapshot)
                .sorted(Comparator.comparingLong(GroupSnapshot::queued).reversed())
                .limit(limit)
                .toList();
    }

    public List<ParkedTask> parkedTasks() {
        List<ParkedTask> parked = new ArrayList<>();
        for (Place place : byAge(orders.inOrder(comparisons.all()))) {
            if (place.state() instanceof Place.Suspended suspended
                    && suspended.isParked()
                    && targetOf(place) instanceof Groups groups) {
                parked.add(new ParkedTask(groups, suspended.failure()));
            }
        }
        return List.copyOf(parked);
    }

    public List<QueuedTask> queuedTasks(int limit) {
        List<QueuedTask> queued = new ArrayList<>();
        Ahead ahead = new Ahead(service);
        Map<Place, Set<Place>> nearest = orders.nearest();
        for (Place place : byAge(orders.inOrder(comparisons.all()))) {
            if (queued.size() == limit) {
                break;
            }
            if (place.isQueued() && targetOf(place) instanceof Groups groups) {
                List<Groups> waitsFor = new ArrayList<>();
                Set<Place> waitsForPlaces = place instanceof Barrier barrier
                        ? new LinkedHashSet<>(ahead.before(barrier))
                        : nearest.getOrDefault(place, Set.of());
                for (Place before : waitsForPlaces) {
                    if (targetOf(before) instanceof Groups named) {
                        waitsFor.add(named);
                    }
                }
                queued.add(new QueuedTask(groups, waitsFor));
            }
        }
        return List.copyOf(queued);
    }

    /** In the order of their submission, if tasks are timed. */
    private static List<Place> byAge(List<Place> places) {
        return places.stream().sorted(Comparator.comparingLong(Place::queuedAt)).toList();
    }

    public long reserved() {
        return service.reserved().size();
    }

    public Duration oldestReservedAge() {
        long now = service.platform().nanoTime();
        long oldest = 0;
        for (HeldPlace held : service.reserved()) {
            oldest = Math.max(oldest, now - held.reservedAt());
        }
        return Duration.ofNanos(oldest);
    }

    public Explanation explain(Object group, boolean stacks) {
        Order order = orders.find(group);
        Explanation.Place where = whereOf(group);
        if (order == null) {
            return Reasons.idle(where);
        }
        Place waiting = oldestWaiting(order);
        if (waiting == null) {
            waiting = orders.placesIn(order).stream()
                    .filter(Place::isActive)
                    .findFirst()
                    .orElse(null);
        }
        if (waiting != null) {
            return new Explainer(service).explain(waiting, stacks);
        }
        return order.isPaused() ? Reasons.only(new Explanation.Paused(where)) : Reasons.idle(where);
    }

    /** Nothing waits there. */
    public Explanation idle() {
        return Reasons.idle(new Explanation.Place(name, "groups", null));
    }

    public Platform platform() {
        return service.platform();
    }
}
