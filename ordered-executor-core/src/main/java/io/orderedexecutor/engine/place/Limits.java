package io.orderedexecutor.engine.place;

import io.orderedexecutor.engine.place.Claims.Claim;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.StripedCount;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many tasks may be queued in an executor and in each of its keys. A task takes room in its keys, in one order,
 * then in the executor, and only then its places: who waits for room stands in no order. It gives the room back when it
 * starts, or is taken back.
 *
 * <p>Who waits for room gets it first come, first served, for each key and for the executor: nobody overtakes those who
 * wait.
 */
public final class Limits {
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private final Platform platform;
    private final boolean countsAll;
    private final boolean countsKeys;

    // submitters write these: on a cache line of their own
    private static final int TAKEN = 16;
    private static final int GIVEN_BACK_BEFORE = 17;
    private static final int CELLS = 32;

    /**
     * How much room was ever taken; a task that is put back may bring the difference to what was given back above the
     * capacity. Changed atomically. And what a submitter has last seen of that, or a former value: as long as that
     * shows that there is room, no other looks.
     */
    private final AtomicLongArray counts = new AtomicLongArray(CELLS);

    /**
     * How much room was ever given back. A submitter that sees too little of it finds too little room, and never too
     * much; what was given back before it looked is always seen.
     */
    private final StripedCount givenBack = new StripedCount();

    /** Read at each submission; a change concerns later ones. */
    private volatile int capacity;

    private volatile int keyCapacity;

    /** Those who wait for room in the executor. */
    private final Claims claims;

    /** Whether nobody may wait any more. */
    private volatile boolean closed;

    Limits(Platform platform, int capacity, int keyCapacity) {
        this.platform = platform;
        this.claims = new Claims(platform, this::tryTakeBelow);
        this.countsAll = capacity != UNLIMITED;
        this.countsKeys = keyCapacity != UNLIMITED;
        this.capacity = capacity;
        this.keyCapacity = keyCapacity;
    }

    boolean countsAll() {
        return countsAll;
    }

    boolean countsKeys() {
        return countsKeys;
    }

    int capacity() {
        return capacity;
    }

    int keyCapacity() {
        return keyCapacity;
    }

    void setCapacity(int newCapacity) {
        capacity = newCapacity;
        claims.admit();
    }

    void setKeyCapacity(int newCapacity, Orders orders) {
        keyCapacity = newCapacity;
        for (Order order : orders.all()) {
            admitClaims(order);
        }
    }

    /** Lets all who wait see that the executor is shut down. */
    void close(Orders orders) {
        closed = true;
        claims.close();
        List<Claim> inKeys = new ArrayList<>();
        for (Order order : orders.all()) {
            order.bin.take();
            order.forEachClaim(inKeys::add);
            orders.service().seeTo(order.bin.release());
        }
        inKeys.forEach(claim -> claim.wake(platform));
    }

    // room in the executor

    /** Takes room for one more, unless there is none, or others wait for it. */
    boolean tryTake() {
        return !countsAll || (!claims.isAnyWaiting() && tryTakeBelow());
    }

    private boolean tryTakeBelow() {
        long taken = counts.get(TAKEN);
        while (taken - counts.get(GIVEN_BACK_BEFORE) < capacity || taken - lookGivenBack() < capacity) {
            if (counts.compareAndSet(TAKEN, taken, taken + 1)) {
                return true;
            }
            taken = counts.get(TAKEN);
        }
        return false;
    }

    private long lookGivenBack() {
        long sum = givenBack.sum();
        counts.set(GIVEN_BACK_BEFORE, sum);
        return sum;
    }

    /**
     * Takes room for one more, and waits for it.
     *
     * @param deadline as the platform has the time
     * @return false if the time was over, or the executor was shut down
     */
    boolean take(long deadline) throws InterruptedException {
        return tryTake() || claims.take(deadline);
    }

    void giveBack() {
        if (countsAll) {
            givenBack.increment();
            claims.admit();
        }
    }

    // room in keys

    /** Takes room in a key, unless there is none, or others wait for it. */
    boolean tryTake(Order order) {
        Orders orders = order.bin.orders;
        order.bin.take();
        boolean taken = order.tryTakeRoom(keyCapacity);
        orders.service().seeTo(order.bin.release());
        return taken;
    }

    /** Takes room in a key, and waits for it; see {@link #take(long)}. */
    boolean take(Order order, long deadline) throws InterruptedException {
        Orders orders = order.bin.orders;
        order.bin.take();
        boolean taken = order.tryTakeRoom(keyCapacity);
        Claim claim = new Claim();
        if (!taken) {
            order.addClaim(claim);
        }
        orders.service().seeTo(order.bin.release());
        if (taken) {
            return true;
        }
        // for room that was given back before this claim could be seen
        admitClaims(order);
        boolean interrupted = claim.await(platform, deadline, () -> closed);
        order.bin.take();
        order.removeClaim(claim);
        orders.service().seeTo(order.bin.release());
        admitClaims(order);
        return claim.outcome(interrupted);
    }

    private void admitClaims(Order order) {
        List<Claim> admitted = new ArrayList<>();
        order.bin.take();
        order.admitClaims(keyCapacity, claim -> {
            claim.admit();
            admitted.add(claim);
        });
        order.bin.orders.service().seeTo(order.bin.release());
        admitted.forEach(claim -> claim.wake(platform));
    }

    void giveBack(Order order) {
        if (order.giveBackRoom()) {
            admitClaims(order);
        }
    }

    // tasks

    /** A place is queued no longer: it starts, or was taken back. */
    void onTaken(Place place) {
        if (countsKeys) {
            for (int i = 0; i < place.countedSteps(); i++) {
                giveBack(place.step(i).order);
            }
        }
        giveBack();
    }

    /** A place is queued again, whether there is room or not. */
    void onPutBack(Place place) {
        if (countsKeys) {
            for (int i = 0; i < place.countedSteps(); i++) {
                place.step(i).order.countQueued();
            }
        }
        if (countsAll) {
            counts.getAndIncrement(TAKEN);
        }
    }
}
