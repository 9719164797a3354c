package io.orderedexecutor.engine.permit;

import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.Platform;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The room of an executor for queued tasks: in total, and in each of its keys. */
public final class Rooms {
    /** The key of an order whose places need room in a window, instead of room in the key. */
    public interface WithWindow {
        /** Never null. */
        Room window();
    }

    private final String description;
    private final Orders orders;

    /** Null if any number of tasks may be queued. */
    private final Room.@Nullable Shared inExecutor;

    /** Whether the queued tasks of each key are counted. */
    private final boolean countsKeys;

    /** Read at each submission; a change affects waiting and later submissions. */
    private volatile int keyCapacity;

    /** Written before the waiting submitters are woken. */
    private volatile boolean closed;

    /**
     * Makes the room of an executor.
     *
     * @param capacity {@link Integer#MAX_VALUE} if any number of tasks may be queued
     * @param keyCapacity the same for each key
     */
    public Rooms(String description, Orders orders, int capacity, int keyCapacity) {
        this.description = description;
        this.orders = orders;
        // several cells: several workers give room back at once
        this.inExecutor = capacity == Integer.MAX_VALUE ? null : new Room.Shared(this, capacity, 8);
        this.countsKeys = keyCapacity != Integer.MAX_VALUE;
        this.keyCapacity = keyCapacity;
    }

    Platform platform() {
        return orders.platform();
    }

    /** Null if any number of tasks may be queued. */
    public Room.@Nullable Shared inExecutor() {
        return inExecutor;
    }

    public boolean countsKeys() {
        return countsKeys;
    }

    public int keyCapacity() {
        return keyCapacity;
    }

    /**
     * Takes room for one task both in a key and in the executor, or in neither. Called under the bin of the key, by a
     * submission that enters there next.
     */
    public boolean tryTake(Order order) {
        Room inKey = (Room) order.attachment(this::newInKey);
        if (inKey.tryTake() == Room.NONE) {
            return false;
        }
        boolean hasRoom = inExecutor == null || inExecutor.tryTake() != Room.NONE;
        if (!hasRoom) {
            inKey.giveBackUnused();
        }
        return hasRoom;
    }

    /** The room of a key that has none yet. */
    public Room.OfKey newInKey(Order order) {
        return new Room.OfKey(this, order);
    }

    /** Called when a task of a place is no longer queued; also when a reservation ends without a task. */
    public void giveBack(Place place) {
        for (int i = 0; countsKeys && i < place.countedSteps(); i++) {
            Room inKey = Room.OfKey.of(place.step(i).order());
            if (inKey != null) {
                inKey.giveBack();
            }
        }
        if (inExecutor != null) {
            inExecutor.giveBack();
        }
    }

    /** Called when some tasks of a place are no longer queued. */
    public void giveBack(Place place, int tasks) {
        for (int i = 0; i < tasks; i++) {
            giveBack(place);
        }
    }

    /** Called when a task of a place is queued again, whether there is room or not. */
    public void takeAgain(Place place) {
        for (int i = 0; countsKeys && i < place.countedSteps(); i++) {
            Room inKey = Room.OfKey.of(place.step(i).order());
            if (inKey != null) {
                inKey.takeAgain();
            }
        }
        if (inExecutor != null) {
            inExecutor.takeAgain();
        }
    }

    public void setCapacity(int capacity) {
        if (inExecutor == null) {
            throw notCounted("capacity");
        }
        inExecutor.setSize(capacity);
    }

    public void setKeyCapacity(int capacity) {
        if (!countsKeys) {
            throw notCounted("keyCapacity");
        }
        keyCapacity = capacity;
        forEachInKey(Room::admit);
    }

    private IllegalStateException notCounted(String setting) {
        return new IllegalStateException(description + " was built without a " + setting
                + ", so its queued tasks are not counted; set " + setting + " in the builder");
    }

    /** Whether submitters have to stop waiting. One that gets room just then is refused when it enters. */
    boolean isClosed() {
        return closed || orders.broken() != null;
    }

    /** Wakes the submitters that wait for room, including room in the windows of outputs: they have to stop waiting. */
    public void close() {
        closed = true;
        if (inExecutor != null) {
            inExecutor.wakeAll();
        }
        forEachInKey(Room::wakeAll);
        for (Order order : orders.all(any -> any.key() instanceof WithWindow)) {
            ((WithWindow) order.key()).window().wakeAll();
        }
    }

    private void forEachInKey(Consumer<Room> action) {
        for (Order order : orders.all(any -> Room.OfKey.of(any) != null)) {
            action.accept(Objects.requireNonNull(Room.OfKey.of(order)));
        }
    }
}
