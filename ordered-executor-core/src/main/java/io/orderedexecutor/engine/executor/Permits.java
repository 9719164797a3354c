package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.pool.StripedCount;
import io.orderedexecutor.engine.strand.QueuedCount;
import io.orderedexecutor.engine.strand.Strand;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The permits of an executor whose queued tasks have a limit, and the submitters that wait for room. A task has a
 * permit from before it is placed until a thread takes it: to run it, cancel it or drop it.
 */
public final class Permits implements QueuedCount {
    private final KeyHashes<?> keyHashes;
    private final boolean countsAll;
    private final WaitingRoom waitingRoom;

    // submitters write these: on a cache line of their own
    private static final int TAKEN = 16;
    private static final int GIVEN_BACK_BEFORE = 17;
    private static final int CELLS = 32;

    /**
     * How many permits were ever taken; a task that is put back may bring the difference to those given back above the
     * capacity. Changed atomically. And what a submitter has last seen of those given back, or a former value: as long
     * as that shows that there is room, no other looks.
     */
    private final AtomicLongArray permits = new AtomicLongArray(CELLS);

    /**
     * How many permits were ever given back. Each server counts by itself. A submitter that sees too few of them finds
     * too little room, and never too much; one that was given back before it looked is always seen.
     */
    private final StripedCount givenBack = new StripedCount();

    /** Read at each submission; a change concerns later ones. */
    private volatile int capacity;

    Permits(Settings settings, KeyHashes<?> keyHashes) {
        this.keyHashes = keyHashes;
        this.waitingRoom = new WaitingRoom(settings.platform());
        this.capacity = settings.capacity();
        this.countsAll = capacity != Limits.UNLIMITED;
    }

    /** Whether the executor as a whole has a capacity. */
    boolean countsAll() {
        return countsAll;
    }

    int capacity() {
        return capacity;
    }

    void setCapacity(int newCapacity) {
        capacity = newCapacity;
        waitingRoom.call();
    }

    WaitingRoom waitingRoom() {
        return waitingRoom;
    }

    boolean tryAcquire() {
        if (!countsAll) {
            return true;
        }
        long taken = permits.get(TAKEN);
        while (taken - permits.get(GIVEN_BACK_BEFORE) < capacity || taken - lookGivenBack() < capacity) {
            if (permits.compareAndSet(TAKEN, taken, taken + 1)) {
                return true;
            }
            taken = permits.get(TAKEN);
        }
        return false;
    }

    private long lookGivenBack() {
        long sum = givenBack.sum();
        permits.set(GIVEN_BACK_BEFORE, sum);
        return sum;
    }

    void giveBackUnused() {
        if (countsAll) {
            givenBack.increment();
            waitingRoom.callForPermit();
        }
    }

    /** Gives back the permit of a task that was taken, which also makes room in its keys. */
    @Override
    public void onTaken(Strand from) {
        if (countsAll) {
            givenBack.increment();
        }
        if (!waitingRoom.isEmpty()) {
            waitingRoom.callFor(keyHashes.ofTakenFrom(from), countsAll);
        }
    }

    /** Gives back the permit of a task that was taken and keeps its place in its key. */
    void onTaken() {
        if (countsAll) {
            givenBack.increment();
            if (!waitingRoom.isEmpty()) {
                waitingRoom.callFor(Set.of(), true);
            }
        }
    }

    @Override
    public void onPutBack() {
        if (countsAll) {
            permits.getAndIncrement(TAKEN);
        }
    }

    /**
     * Called when there is room for one more in a key, although no task was taken.
     *
     * @return false if nobody waits for room
     */
    boolean onRoom(int keyHash) {
        if (waitingRoom.isEmpty()) {
            return false;
        }
        waitingRoom.callFor(Set.of(keyHash), false);
        return true;
    }
}
