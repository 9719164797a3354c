package io.orderedexecutor.engine.admit;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedTask;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedObject;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.engine.order.Barrier;
import io.orderedexecutor.engine.order.Many;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.permit.Room;
import io.orderedexecutor.engine.permit.Rooms;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.run.BatchItem;
import io.orderedexecutor.engine.run.Comparisons;
import io.orderedexecutor.engine.run.HeldPlace;
import io.orderedexecutor.engine.run.Served;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.engine.run.States;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.Reasons.Reason;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.stats.Explanation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The engine of executors whose tasks have keys: accepts, controls and explains tasks by their keys. */
public final class KeyedEngine extends Engine {

    /**
     * The target of a submission, and its keys.
     *
     * @param uncounted the {@linkplain Groups#groupsAround groups around} the named ones: shared keys, in which the
     *     task needs no room
     */
    private record Target(
            Object named,
            List<Object> exclusive,
            List<Object> shared,
            List<Object> uncounted,
            boolean isBarrier,
            boolean isSharedBarrier,
            @Nullable OrderedTask comparable) {

        private static final Target ALONE =
                new Target(TaskEvents.NO_KEY, List.of(), List.of(), List.of(), false, false, null);

        static Target of(Object stripe) {
            return new Target(stripe, List.of(stripe), List.of(), List.of(), false, false, null);
        }

        /**
         * The target of a task for groups: that of a stripe, if they are one exclusive group without a group around it.
         */
        static Target of(Groups groups) {
            Object key = groups.onlyKey();
            return key != null
                    ? of(key)
                    : new Target(
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

    /** What a key of this executor is for its callers. */
    public enum KeyType {
        STRIPE,
        GROUP
    }

    private final KeyType keyType;

    public KeyedEngine(KeyType keyType, Settings settings, Workers workers, Runnable onTerminated) {
        super(settings, keyType == KeyType.STRIPE ? "striped" : "grouped", workers, onTerminated);
        this.keyType = keyType;
    }

    /** The key of the place, unless it has a target of its own. */
    @Override
    Object targetOf(Place place) {
        Object target = place.targetOrNull();
        if (target != null) {
            return target;
        }
        Object key = place.order().key();
        return Orders.isKeyless(key) ? TaskEvents.NO_KEY : key;
    }

    @Override
    @Nullable
    Order orderOf(Object key) {
        return orders.find(key);
    }

    @Override
    boolean hasTasks(Object key) {
        return orders.hasPlaces(key);
    }

    /** Paused stripes count, too, and the tasks without a stripe. */
    @Override
    boolean isCounted(Order order) {
        return keyType == KeyType.STRIPE
                ? order.isPaused() || !order.isEmpty()
                : !Orders.isKeyless(order.key()) && !order.isEmpty();
    }

    /** Names a key in messages. */
    public String describe(Object key) {
        return "key " + Reports.toString(key) + " of " + service.description();
    }

    @Override
    Explanation.Place where() {
        return new Explanation.Place(service.name(), "key", null);
    }

    private Explanation.Place whereOf(Object key) {
        return new Explanation.Place(service.name(), "key", key);
    }

    @Override
    public Object requireKey(Object key) {
        if (keyType == KeyType.GROUP && key instanceof Groups) {
            throw new IllegalArgumentException("Groups [" + key + "] are not a key; pass one of the groups");
        }
        return super.requireKey(key);
    }

    /** The index of the bin of a key, for tests that need keys in the same bin. */
    public static int binOf(Object key) {
        return Orders.binOf(Orders.spread(key.hashCode()));
    }

    // acceptance

    /**
     * Accepts a task with groups, or throws.
     *
     * @param ownOverflow the overflow of this submission; null for that of the executor
     */
    public void submit(Groups groups, Runnable task, @Nullable Overflow ownOverflow) {
        Object key = groups.onlyKey();
        if (key == null) {
            accept(Target.of(groups), task, ownOverflow);
        } else {
            accept(key, task, ownOverflow);
        }
    }

    /**
     * Accepts a task with a stripe, or throws.
     *
     * @param ownOverflow the overflow of this submission; null for that of the executor
     */
    public void submit(Object stripe, Runnable task, @Nullable Overflow ownOverflow) {
        accept(requireKey(stripe), task, ownOverflow);
    }

    /** Accepts a task of one exclusive key, as most tasks are. Without listeners, nothing but its place is made. */
    private void accept(Object key, Runnable task, @Nullable Overflow ownOverflow) {
        if (reports.events() == null) {
            service.platform().beforeSubmission(task);
            requireRunning();
            admit(key, task, ownOverflow);
        } else {
            acceptAndTell(key, task, () -> admit(key, task, ownOverflow));
        }
    }

    /**
     * Takes room and a place. If there is no room, the submission continues as one with several keys does: it may then
     * wait, or drop another task.
     */
    private boolean admit(Object key, Runnable task, @Nullable Overflow ownOverflow) {
        Place place = exclusivePlace(key, task, reports.now(service.platform()));
        TaskFuture<?> future = task instanceof TaskFuture<?> ofTask ? ofTask : null;
        if (future != null) {
            future.setPlace(Served.of(place));
        }
        Orders.EntryOutcome outcome = Orders.EntryOutcome.CLOSED;
        try {
            outcome = enterIfRoom(place, key);
        } finally {
            if (outcome != Orders.EntryOutcome.ENTERED && future != null) {
                future.setPlace(null);
            }
        }
        return switch (outcome) {
            case ENTERED -> true;
            case NO_ROOM -> admit(Target.of(key), task, future, ownOverflow, null);
            case CLOSED -> throw rejectedByShutdown();
        };
    }

    /**
     * Enters the order of a key if there is room. If keys have a capacity, this takes all room under the bin: otherwise
     * a submission to a full key could hold the last room of the executor for a moment, and another submission would be
     * refused. If only the executor has a capacity, this takes the room before, and so can still post a request to a
     * taken bin.
     */
    private Orders.EntryOutcome enterIfRoom(Place place, Object key) {
        Rooms rooms = service.rooms();
        if (rooms.countsKeys()) {
            return orders.enter(place, key, rooms::tryTake);
        }
        Room inExecutor = rooms.inExecutor();
        if (inExecutor != null && inExecutor.tryTake() == Room.NONE) {
            return Orders.EntryOutcome.NO_ROOM;
        }
        boolean entered = false;
        try {
            entered = orders.enter(place, key);
        } finally {
            // a place that has entered its order gives back its room itself
            if (!entered && inExecutor != null && !place.hasEntered()) {
                inExecutor.giveBackUnused();
            }
        }
        return entered ? Orders.EntryOutcome.ENTERED : Orders.EntryOutcome.CLOSED;
    }

    private Place exclusivePlace(Object key, Object state, long now) {
        return reports.events() == null
                ? new Served.Exclusive(state, orders)
                : new Served.ExclusiveTimed(state, orders, key, now);
    }

    /**
     * Accepts a task that may name its own stripe, or throws. A task without a stripe is unordered.
     *
     * @param submitted the object of the application
     * @param task the object to run: the same one, or its future
     */
    public void submitStriped(Object submitted, Runnable task) {
        Object stripe = submitted instanceof StripedObject striped ? striped.getStripe() : null;
        if (stripe == null) {
            accept(Target.ALONE, task, null);
        } else {
            submit(stripe, task, null);
        }
    }

    /** As above, for a task that may be an {@link OrderedTask}; any other task is compatible with all. */
    public void submitOrdered(Object submitted, Runnable task) {
        accept(
                submitted instanceof OrderedTask ordered
                        ? new Target(TaskEvents.NO_KEY, List.of(), List.of(), List.of(), false, false, ordered)
                        : Target.ALONE,
                task,
                null);
    }

    // submissions whose fate depends on the places of their stripe

    /**
     * Accepts a task with a stripe, in the given mode if the stripe is busy, or throws.
     *
     * @return false if the task was not accepted, since the stripe is busy
     */
    public boolean submit(Object stripe, Runnable task, WhenBusy whenBusy, @Nullable Overflow ownOverflow) {
        if (whenBusy instanceof WhenBusy.Queue) {
            submit(stripe, task, ownOverflow);
            return true;
        }
        Target target = Target.of(requireKey(stripe));
        boolean isAccepted = accept(target, task, ownOverflow, () -> {
            long now = reports.now(service.platform());
            return whenBusy instanceof WhenBusy.Refuse
                    ? new Arrival.IfIdle(placeFor(target, task))
                    : new Arrival.ForSlot(service, (TaskFuture<?>) task, stripe, whenBusy, now);
        });
        if (!isAccepted) {
            reports.count(Count.REFUSED);
            TaskEvents events = reports.events();
            if (events != null) {
                events.refused(stripe, Reports.submitted(task));
            }
        }
        return isAccepted;
    }

    /** Whether tasks of a mode have to be {@link TaskFuture}s, since a later task may cancel them. */
    public static boolean hasSlot(WhenBusy whenBusy) {
        return whenBusy instanceof WhenBusy.Latest || whenBusy instanceof WhenBusy.Interrupt;
    }

    /**
     * Accepts an item, or throws.
     *
     * @param batchKey the key that all items of a batch have in common; null for none
     */
    public void submit(BatchItem item, @Nullable Object batchKey, @Nullable Overflow ownOverflow) {
        accept(Target.of(requireKey(item.stripe())), item, ownOverflow, () -> {
            if (reports.events() != null || item.batching().lingers()) {
                item.setQueuedAt(service.platform().nanoTime());
            }
            return new Arrival.OfItem(orders, item, batchKey);
        });
    }

    private void accept(Target target, Runnable task, @Nullable Overflow ownOverflow) {
        accept(target, task, ownOverflow, null);
    }

    /** Like {@link #admit}, with the events of listeners. */
    private boolean accept(
            Target target, Runnable task, @Nullable Overflow ownOverflow, @Nullable Supplier<Arrival> arrival) {
        TaskFuture<?> future = task instanceof TaskFuture<?> ofTask ? ofTask : null;
        return acceptAndTell(target.named, task, () -> admit(target, task, future, ownOverflow, arrival));
    }

    /**
     * Reserves a place for a later task, or throws.
     *
     * @param ownOverflow the overflow of this submission; null for that of the executor
     */
    public Reservation reserve(Groups groups, @Nullable Overflow ownOverflow) {
        return reserve(Target.of(groups), ownOverflow);
    }

    /** As above, for a stripe. */
    public Reservation reserve(Object stripe, @Nullable Overflow ownOverflow) {
        return reserve(Target.of(requireKey(stripe)), ownOverflow);
    }

    private Reservation reserve(Target target, @Nullable Overflow ownOverflow) {
        HeldPlace reservation = new HeldPlace(
                service,
                target.named,
                settings.reservationLease(),
                service.platform().nanoTime());
        boolean taken = false;
        try {
            taken = admitOrTell(
                    target.named, () -> {}, reservation, () -> admit(target, reservation, null, ownOverflow, null));
        } finally {
            if (!taken) {
                reservation.abandon();
            }
        }
        return reservation;
    }

    /**
     * Takes room, then a place.
     *
     * @param filling the task, or the reservation
     * @param arriving decides whether the task takes a place of its own; null if it does in any case
     * @return false if the task is not accepted, since its key is busy
     */
    private boolean admit(
            Target target,
            Object filling,
            @Nullable TaskFuture<?> future,
            @Nullable Overflow ownOverflow,
            @Nullable Supplier<Arrival> arriving) {
        boolean isLimited =
                service.rooms().inExecutor() != null || service.rooms().countsKeys();
        if (isLimited && arriving != null && !(filling instanceof BatchItem)) {
            // to replace a task or to be refused needs no room
            Arrival.Answer answer = arriving.get().arriveAt(orders, target.named, null, false);
            if (answer != Arrival.Answer.ENTERS) {
                return isAccepted(answer);
            }
        }
        KeyedAdmission room = isLimited ? new KeyedAdmission(target, filling instanceof BatchItem) : null;
        Place place = null;
        Arrival arrival = null;
        Arrival.Answer answer = Arrival.Answer.CLOSED;
        boolean hasRoom = false;
        try {
            if (room != null) {
                room.take(ownOverflow);
                hasRoom = true;
            }
            if (arriving == null) {
                Place own = placeFor(target, filling);
                place = own;
                if (future != null) {
                    future.setPlace(Served.of(own));
                }
                answer = enter(own, target, room) ? Arrival.Answer.ENTERS : Arrival.Answer.CLOSED;
            } else {
                arrival = arriving.get();
                place = arrival.placeOrNull();
                if (future != null && place != null) {
                    future.setPlace(Served.of(place));
                }
                answer = arrival.arriveAt(orders, target.named, room == null ? null : room.guests, true);
            }
        } finally {
            boolean entered = answer == Arrival.Answer.ENTERS;
            place = arrival == null ? place : arrival.placeOrNull();
            if (!entered && future != null && answer != Arrival.Answer.JOINED) {
                future.setPlace(null);
            }
            // a place that has entered its orders gives back its room itself
            if (room != null && !entered && (place == null || !place.hasEntered())) {
                if (hasRoom && !(answer == Arrival.Answer.JOINED && filling instanceof BatchItem)) {
                    room.giveBack();
                }
                room.guests.leave();
            }
        }
        return isAccepted(answer);
    }

    private boolean isAccepted(Arrival.Answer answer) {
        if (answer == Arrival.Answer.CLOSED) {
            throw rejectedByShutdown();
        }
        return answer != Arrival.Answer.REFUSED;
    }

    private Place placeFor(Target target, Object filling) {
        long now = reports.now(service.platform());
        Object state = filling instanceof HeldPlace held ? new States.Vacancy(held, false) : filling;
        Place place;
        if (target.isBarrier || target.isSharedBarrier) {
            List<Object> besides = target.isBarrier ? List.of() : target.exclusive;
            place = new Served.All(state, orders, target.named, now, !target.isBarrier, besides.size());
        } else if (target.comparable != null) {
            place = new Comparisons.Compared(
                    state, orders, target.named, now, service.comparisons(), target.comparable);
        } else if (target.exclusive.size() + target.shared.size() + target.uncounted.size() > 1) {
            place = new Served.Several(
                    state,
                    orders,
                    target.named,
                    now,
                    target.exclusive.size(),
                    target.shared.size(),
                    target.uncounted.size());
        } else if (target.exclusive.isEmpty()) {
            // also for a task without keys: it conflicts only with tasks that have all keys exclusively
            place = new Served.OneShared(state, orders, target.named, now);
        } else {
            place = exclusivePlace(target.named, state, now);
        }
        if (filling instanceof HeldPlace held) {
            held.setPlace(place);
            service.reserved().add(held);
        }
        return place;
    }

    private boolean enter(Place place, Target target, @Nullable KeyedAdmission room) {
        if (place instanceof Barrier barrier) {
            return orders.enter(barrier, target.isBarrier ? List.of() : target.exclusive);
        }
        if (place instanceof Comparisons.Compared compared) {
            boolean entered = orders.enterAlone(compared, compared::list);
            if (entered) {
                // if an Error strikes here, nobody knows what the task conflicts with, so the task never starts
                orders.orBreak(compared::compare);
                orders.finishEntry(compared);
            }
            return entered;
        }
        if (target.isAlone()) {
            return orders.enterAlone(place);
        }
        if (room != null && service.rooms().countsKeys()) {
            return orders.enter(place, room.guests);
        }
        if (place instanceof Many many) {
            return orders.enter(many, target.exclusive, target.shared, target.uncounted);
        }
        return orders.enter(place, target.exclusive.isEmpty() ? target.shared.get(0) : target.exclusive.get(0));
    }

    /** The room that a submission needs, in its keys and in the executor. */
    private final class KeyedAdmission extends Admission {
        private final Target target;
        private final Orders.Guests guests;

        /** Whether this is room for an item: if there is no room, a batch should not wait for more items. */
        private final boolean isForItem;

        KeyedAdmission(Target target, boolean isForItem) {
            this(
                    target,
                    isForItem,
                    service.rooms().countsKeys() && !target.isBarrier && !target.isSharedBarrier
                            ? keep(target.exclusive, target.shared, target.uncounted)
                            : keep(List.of(), List.of(), List.of()));
        }

        private KeyedAdmission(Target target, boolean isForItem, Orders.Guests guests) {
            super(KeyedEngine.this, roomsOf(guests));
            this.target = target;
            this.guests = guests;
            this.isForItem = isForItem;
        }

        @Override
        void requireOpen() {
            requireRunning();
        }

        @Override
        void onFull(Room room) {
            if (isForItem && room instanceof Room.OfKey inKey) {
                service.hurry(inKey.order());
            }
        }

        /**
         * Starts batches that linger with items in this room. A batch that begins to linger checks whether a submission
         * waits for this room.
         */
        @Override
        boolean prepareToWait(Room room) {
            if (room instanceof Room.OfKey inKey) {
                service.hurry(inKey.order());
            } else {
                service.hurry();
            }
            return true;
        }

        /** Drops a task of the full key; if the executor is full, a task of one of the keys of the submission. */
        @Override
        boolean dropOldest(Room room) {
            if (room instanceof Room.OfKey inKey) {
                return service.takingBack().dropOldest(inKey.order(), hasRoomIn(inKey));
            }
            return dropOldest(target.exclusive) || dropOldest(target.shared);
        }

        private boolean dropOldest(List<Object> keys) {
            for (int i = 0; i < keys.size(); i++) {
                Order order = orders.find(keys.get(i));
                if (order != null && service.takingBack().dropOldest(order, place -> true)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        boolean hasToDrop(Room room, long count) {
            if (room instanceof Room.OfKey inKey) {
                return count <= service.takingBack().countDroppable(List.of(inKey.order()), hasRoomIn(inKey), count);
            }
            List<Order> found = Stream.concat(target.exclusive.stream(), target.shared.stream())
                    .map(orders::find)
                    .filter(Objects::nonNull)
                    .toList();
            return count <= service.takingBack().countDroppable(found, place -> true, count);
        }

        /**
         * False if the executor is full, or the key has reserved places, or a submission with room in the key waits for
         * more room: these may take long.
         */
        @Override
        boolean isFreeSoon(Room room) {
            return room instanceof Room.OfKey inKey
                    && !room.isKept()
                    && service.survey()
                                    .first(
                                            inKey.order(),
                                            hasRoomIn(inKey).and(place -> place.state() instanceof States.Vacancy))
                            == null;
        }

        @Override
        String setting() {
            return "keyCapacity";
        }

        @Override
        String others() {
            return "Overflow.block or discardOldest";
        }

        @Override
        String describe(Room room) {
            return KeyedEngine.this.describe(((Room.OfKey) room).order().key()) + " has no room: its key capacity is "
                    + room.size() + " queued tasks";
        }

        @Override
        public Explanation.Place where() {
            return KeyedEngine.this.where();
        }

        @Override
        Reason heldUpBy(Room room) {
            Order order = ((Room.OfKey) room).order();
            Place oldest =
                    service.survey().first(order, hasRoomIn((Room.OfKey) room).and(Place::isQueued));
            // without a task, another submission has the room, and waits for more room elsewhere
            return new Reason(new Explanation.NoRoom(whereOf(order.key()), room.size()), oldest);
        }
    }

    /** Places may stand in the order of a key without having room there: those within it, and barriers. */
    private static Predicate<Place> hasRoomIn(Room.OfKey inKey) {
        Order order = inKey.order();
        return place -> place.isCountedIn(order);
    }

    private Orders.Guests keep(List<Object> exclusive, List<Object> shared, List<Object> uncounted) {
        return orders.visit(exclusive, shared, uncounted, service.rooms()::newInKey);
    }

    private List<Room> roomsOf(Orders.Guests guests) {
        List<Room> rooms = new ArrayList<>(guests.counted().size() + 1);
        for (Order order : guests.counted()) {
            rooms.add(Objects.requireNonNull(Room.OfKey.of(order)));
        }
        Room inExecutor = service.rooms().inExecutor();
        if (inExecutor != null) {
            rooms.add(inExecutor);
        }
        return rooms;
    }

    private @Nullable Place oldestWaiting(Order order) {
        return service.survey().first(order, Place::isQueued);
    }

    @Override
    public Explanation explain(Object key, boolean stacks) {
        Order order = orders.find(key);
        Explanation.Place where = whereOf(key);
        if (order == null) {
            return Reasons.idle(where);
        }
        Place waiting = oldestWaiting(order);
        return explainOr(
                waiting == null ? service.survey().first(order, KeyedEngine::isWorkedOn) : waiting,
                stacks,
                order.isPaused() ? Reasons.only(new Explanation.Paused(where)) : Reasons.idle(where));
    }

    private static boolean isWorkedOn(Place place) {
        return place.isActive() || place.state() instanceof States.Completes;
    }
}
