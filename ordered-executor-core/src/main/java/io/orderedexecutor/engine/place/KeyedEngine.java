package io.orderedexecutor.engine.place;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedObject;
import io.orderedexecutor.WhenBusy;
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
import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
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

        static Target of(Object stripe) {
            return new Target(stripe, List.of(stripe), List.of(), List.of(), false, false, null);
        }

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

    /** What users call a key of this executor. */
    public enum KeyType {
        STRIPE,
        GROUP;

        final String word = name().toLowerCase(Locale.ROOT);
    }

    private final KeyType keyType;
    private final Settings settings;
    private final Reports reports;
    private final Service service;
    private final Orders orders;
    private final Comparisons comparisons = new Comparisons();

    public KeyedEngine(KeyType keyType, Settings settings, Workers workers, Runnable onTerminated) {
        this.keyType = keyType;
        this.settings = settings;
        this.reports = new Reports(settings.listeners());
        this.service = new Service(
                settings.name(),
                (keyType == KeyType.STRIPE ? "striped" : "grouped") + " executor '" + settings.name() + "'",
                workers,
                reports,
                settings.failurePolicy(),
                settings.capacity(),
                settings.keyCapacity(),
                settings.identityStripes(),
                this::targetOf,
                comparisons,
                onTerminated);
        this.orders = service.orders();
        settings.platform().built(service::shutdown);
    }

    /** What a place was submitted to: where it has one key, that says it all. */
    private Object targetOf(Place place) {
        Object target = place.targetOrNull();
        if (target != null) {
            return target;
        }
        Object key = place.order.key;
        if (Orders.isKeyless(key)) {
            return TaskEvents.NO_KEY;
        }
        return keyType == KeyType.STRIPE ? key : Groups.exclusive(key);
    }

    public Service service() {
        return service;
    }

    /** In which part of the table a key is, for tests of keys that are in one. */
    public static int binOf(Object key) {
        return Orders.binOf(Orders.spread(key.hashCode()));
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

    /** Accepts a task with a stripe, or throws; null for the overflow of this executor. */
    public void submit(Object stripe, Runnable task, @Nullable Overflow ownOverflow) {
        if (service.limits() == null && reports.events() == null) {
            acceptAlone(stripe, task);
        } else {
            accept(Target.of(stripe), task, ownOverflow);
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
        Object stripe = submitted instanceof StripedObject striped ? striped.getStripe() : null;
        if (keyType == KeyType.STRIPE && stripe != null) {
            submit(stripe, task, null);
        } else if (keyType == KeyType.GROUP && submitted instanceof OrderedTask ordered) {
            accept(new Target(TaskEvents.NO_KEY, List.of(), List.of(), List.of(), false, false, ordered), task, null);
        } else {
            accept(Target.ALONE, task, null);
        }
    }

    // submissions that depend on what waits

    /**
     * Accepts a task with a stripe, does with it what it says for a stripe that is busy, or throws.
     *
     * @return false if it was not accepted since the stripe is busy
     */
    public boolean submit(Object stripe, Runnable task, WhenBusy whenBusy, @Nullable Overflow ownOverflow) {
        if (whenBusy instanceof WhenBusy.Queue) {
            submit(stripe, task, ownOverflow);
            return true;
        }
        Target target = Target.of(stripe);
        boolean isAccepted = accept(target, task, ownOverflow, () -> {
            long now = reports.now(service.platform());
            return whenBusy instanceof WhenBusy.Skip
                    ? new Arrival.IfIdle(placeFor(target, task))
                    : new Arrival.ForSlot(service, (TaskFuture<?>) task, stripe, whenBusy, now);
        });
        if (!isAccepted) {
            reports.countSkipped();
            TaskEvents events = reports.events();
            if (events != null) {
                events.skipped(stripe, Reports.submitted(task));
            }
        }
        return isAccepted;
    }

    /** Whether tasks of this mode have to be a {@link TaskFuture}, since a later one may cancel them. */
    public static boolean hasSlot(WhenBusy whenBusy) {
        return whenBusy instanceof WhenBusy.Latest || whenBusy instanceof WhenBusy.Interrupt;
    }

    /**
     * Accepts an item, or throws.
     *
     * @param batchKey what the item must have in common with those that it runs together with; null for nothing
     */
    public void submit(BatchItem item, @Nullable Object batchKey, @Nullable Overflow ownOverflow) {
        accept(Target.of(item.stripe()), item, ownOverflow, () -> {
            if (reports.events() != null || item.batching().lingers()) {
                item.setQueuedAt(service.platform().nanoTime());
            }
            return new Arrival.OfItem(orders, item, batchKey);
        });
    }

    private void accept(Target target, Runnable task, @Nullable Overflow ownOverflow) {
        accept(target, task, ownOverflow, null);
    }

    /** Returns false if it is not accepted since its key is busy. */
    private boolean accept(
            Target target, Runnable task, @Nullable Overflow ownOverflow, @Nullable Supplier<Arrival> arrival) {
        TaskEvents events = reports.events();
        // before it is placed: a task that has ended has no work
        Object submitted = events == null ? task : Reports.submitted(task);
        TaskFuture<?> future = task instanceof TaskFuture<?> ofTask ? ofTask : null;
        try {
            service.platform().beforeSubmission(task);
            switch (admit(target, task, future, ownOverflow, arrival)) {
                case CLOSED -> throw rejectedByShutdown();
                case REFUSED -> {
                    return false;
                }
                default -> {}
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
        return true;
    }

    /** Accepts a task that comes later, or throws; null for the overflow of this executor. */
    public Reservation reserve(Groups groups, @Nullable Overflow ownOverflow) {
        return reserve(Target.of(groups), ownOverflow);
    }

    /** As the other. */
    public Reservation reserve(Object stripe, @Nullable Overflow ownOverflow) {
        return reserve(Target.of(stripe), ownOverflow);
    }

    private Reservation reserve(Target target, @Nullable Overflow ownOverflow) {
        HeldPlace reservation = new HeldPlace(
                service,
                target.named,
                settings.reservationLease(),
                service.platform().nanoTime());
        try {
            service.platform().beforeSubmission(() -> {});
            if (admit(target, reservation, null, ownOverflow, null) == Arrival.Answer.CLOSED) {
                throw rejectedByShutdown();
            }
        } catch (Throwable refusal) {
            reservation.abandon();
            TaskEvents events = reports.events();
            if (events != null) {
                events.rejected(target.named, reservation, refusal);
            }
            throw refusal;
        }
        return reservation;
    }

    /**
     * Takes a place when there is room.
     *
     * @param filling the task, or the reservation
     * @param arriving decides where it arrives; null if it takes a place in any case
     */
    private Arrival.Answer admit(
            Target target,
            Object filling,
            @Nullable TaskFuture<?> future,
            @Nullable Overflow ownOverflow,
            @Nullable Supplier<Arrival> arriving) {
        requireRunning();
        Limits limits = service.limits();
        if (limits != null && arriving != null && !(filling instanceof BatchItem)) {
            // to replace a task or to be refused needs no room
            Arrival.Answer answer = orders.arrive(arriving.get(), target.named, null, false);
            if (answer != Arrival.Answer.ENTERS) {
                return answer;
            }
        }
        Admission room = limits == null ? null : new Admission(limits, target, filling instanceof BatchItem);
        if (room != null) {
            room.take(ownOverflow == null ? settings.overflow() : ownOverflow);
        }
        Arrival arrival = arriving == null ? null : arriving.get();
        Place place = null;
        Arrival.Answer answer = Arrival.Answer.CLOSED;
        try {
            if (arrival == null) {
                place = placeFor(target, filling);
                if (future != null) {
                    future.setPlace(place);
                }
                answer = enter(place, target, room) ? Arrival.Answer.ENTERS : Arrival.Answer.CLOSED;
            } else {
                place = arrival.placeOrNull();
                if (future != null && place != null) {
                    future.setPlace(place);
                }
                answer = orders.arrive(arrival, target.named, room == null ? null : room.guests(), true);
            }
        } finally {
            boolean entered = answer == Arrival.Answer.ENTERS;
            place = arrival == null ? place : arrival.placeOrNull();
            if (!entered && future != null && answer != Arrival.Answer.JOINED) {
                future.setPlace(null);
            }
            // what has entered gives its room back itself
            if (room != null && !entered && (place == null || !place.hasEntered())) {
                if (answer == Arrival.Answer.JOINED && filling instanceof BatchItem) {
                    room.guests().leave();
                } else {
                    room.giveBack();
                }
            }
        }
        return answer;
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

        /** Whether it is for an item: then the batch that it cannot join need not wait for more. */
        private final boolean isForItem;

        Admission(Limits limits, Target target, boolean isForItem) {
            this.limits = limits;
            this.target = target;
            this.isForItem = isForItem;
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
                    if (isForItem) {
                        hurry(order);
                    }
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
                    : keyType.word + " " + Reports.toString(inKey.key) + " of " + service.description()
                            + " has no room: its capacity is " + limits.keyCapacity() + " queued tasks";
        }

        @Override
        public Explanation.Place where() {
            return new Explanation.Place(service.name(), keyType == KeyType.STRIPE ? "stripe" : "groups", null);
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
        return new Explanation.Place(service.name(), keyType.word, key);
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
        String setting = keyType.word + "Capacity";
        Limits limits = service.requireLimits(setting);
        if (!limits.countsKeys()) {
            throw new IllegalStateException(service.description() + " was built without a " + setting
                    + ", so its queued tasks are not counted; set " + setting + " in the builder");
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
        // what goes on may let others be parked before this comes to them: that is not meant
        places.removeIf(place -> !(place.state() instanceof Place.Suspended suspended && suspended.isParked()));
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
            queued += place.queuedTasks();
            active += place.isActive() ? 1 : 0;
        }
        long groups = orders.all().stream().filter(this::isCounted).count();
        return new GroupedExecutorStats(
                Math.toIntExact(groups),
                queued,
                active,
                reports.counted(TaskEnd.COMPLETED),
                reports.counted(TaskEnd.FAILED),
                reports.counted(TaskEnd.CANCELLED),
                service.rejections().total());
    }

    /** Stripes that are paused count, too, and tasks that have none. */
    private boolean isCounted(Order order) {
        return keyType == KeyType.STRIPE
                ? order.isPaused() || !order.isEmpty()
                : !Orders.isKeyless(order.key) && !order.isEmpty();
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
            queued += place.queuedTasks();
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
                .filter(order -> isCounted(order) && !Orders.isKeyless(order.key))
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

    // stripes

    public StripedExecutorStats stripedStats() {
        GroupedExecutorStats stats = stats();
        return new StripedExecutorStats(
                stats.groups(),
                stats.queued(),
                stats.active(),
                stats.completed(),
                stats.failed(),
                stats.cancelled(),
                stats.rejected());
    }

    private static StripeSnapshot asStripe(GroupSnapshot group) {
        return new StripeSnapshot(
                group.group(), group.queued(), group.reserved(), group.reservedAge(), group.active() > 0);
    }

    public @Nullable StripeSnapshot stripe(Object stripe) {
        GroupSnapshot group = snapshot(stripe);
        return group == null ? null : asStripe(group);
    }

    public List<StripeSnapshot> deepestStripes(int limit) {
        return deepestGroups(limit).stream().map(KeyedEngine::asStripe).toList();
    }

    public List<ParkedStripe> parkedStripes() {
        List<ParkedStripe> parked = new ArrayList<>();
        for (Place place : orders.all(true)) {
            if (place.state() instanceof Place.Suspended suspended && suspended.isParked()) {
                GroupSnapshot group = snapshot(place.order);
                parked.add(new ParkedStripe(group.group(), group.queued(), suspended.failure()));
            }
        }
        return List.copyOf(parked);
    }

    public boolean isPaused(Object stripe) {
        Order order = orders.find(stripe);
        return order != null && order.isPaused();
    }

    /** Waits until a key has no tasks; its last batch does not wait for more. */
    public boolean awaitIdle(Object key, Duration limit) throws InterruptedException {
        Order order = orders.find(key);
        if (order != null) {
            hurry(order);
        }
        return service.awaitIdle(() -> !hasTasks(key), limit);
    }

    private void hurry(Order order) {
        for (Place place : orders.placesIn(order)) {
            if (place instanceof Batch batch) {
                batch.hurry();
            }
        }
    }

    public WhenBusyStats whenBusyStats() {
        return reports.whenBusy();
    }

    public Settings settings() {
        return settings;
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
        return Reasons.idle(
                new Explanation.Place(service.name(), keyType == KeyType.STRIPE ? "stripe" : "groups", null));
    }

    public Platform platform() {
        return service.platform();
    }
}
