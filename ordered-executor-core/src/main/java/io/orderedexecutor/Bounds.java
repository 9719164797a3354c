package io.orderedexecutor;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How many tasks may be queued in an executor and in each of its stripes, and what happens when there is no room. A
 * task has a permit from before it is placed until somebody takes it: to run it, cancel it or drop it.
 */
final class Bounds {
    static final int UNLIMITED = LinkQueue.UNLIMITED;

    private final Engine engine;
    private final Overflow overflow;
    private final boolean countsAll;
    private final WaitingRoom waitingRoom;

    // submitters write the ones, servers the other: on cache lines of their own, neither has to wait for the other's
    private static final int TAKEN = 16;
    private static final int GIVEN_BACK_BEFORE = 17;
    private static final int GIVEN_BACK = 32;
    private static final int CELLS = 48;

    /**
     * How many permits were ever taken and given back; a task that is put back may bring the difference above the
     * capacity. Changed atomically. And what a submitter has last seen of those given back, or a former value: as long
     * as that shows that there is room, no other looks.
     */
    private final AtomicLongArray permits = new AtomicLongArray(CELLS);

    /** Read at each submission; a change concerns later ones. */
    private volatile int capacity;

    private volatile int keyCapacity;

    Bounds(Engine engine, Settings settings) {
        this.engine = engine;
        this.waitingRoom = new WaitingRoom(settings.platform());
        this.overflow = settings.overflow();
        this.capacity = settings.capacity();
        this.keyCapacity = settings.keyCapacity();
        this.countsAll = capacity != UNLIMITED;
    }

    int capacity() {
        return capacity;
    }

    int keyCapacity() {
        return keyCapacity;
    }

    /** Whether nobody waits for room, and there are no permits to wait for. */
    boolean isOpen() {
        return !countsAll && waitingRoom.isEmpty();
    }

    void setCapacity(int newCapacity) {
        if (!countsAll) {
            throw new IllegalStateException(engine.describe()
                    + " was built without a capacity, so its queued tasks are not counted; set capacity "
                    + "in the builder");
        }
        capacity = newCapacity;
        waitingRoom.call();
    }

    void setKeyCapacity(int newCapacity) {
        keyCapacity = newCapacity;
        waitingRoom.call();
    }

    /** Places a task when there is room, or throws. */
    void admit(Submission submission) {
        Attempt attempt = new Attempt(submission);
        Overflow overflow = submission.overflow(this.overflow);
        Duration limit = overflow instanceof Overflow.Block block ? block.limit() : null;
        if (limit != null && !waitingRoom.isEmpty()) {
            await(submission, attempt, limit);
            return;
        }
        WaitingRoom.Full full = attempt.get();
        if (full != null && limit != null) {
            await(submission, attempt, limit);
            return;
        }
        while (full != null) {
            if (!(overflow instanceof Overflow.DiscardOldest) || !attempt.makesRoom()) {
                throw engine.rejected(attempt.describe(), null);
            }
            full = attempt.get();
        }
    }

    private void await(Submission submission, Attempt attempt, Duration limit) {
        if (engine.isInsideTask()) {
            if (attempt.get() != null) {
                throw engine.rejected(
                        attempt.describe()
                                + "; a task of this executor cannot wait for room that only its own end may make",
                        null);
            }
            return;
        }
        try {
            if (waitingRoom.await(submission.keyHashes(), Turn.nanos(limit), attempt)) {
                return;
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw engine.rejected(
                    attempt.describe() + ", and the submitter was interrupted while it waited", interrupt);
        }
        throw engine.rejected(attempt.describe() + ", and none was made within " + limit, null);
    }

    /** A submission that tries until there is room, and knows where there was none the last time. */
    private final class Attempt implements Supplier<WaitingRoom.@Nullable Full> {
        private final Submission submission;
        private @Nullable KeyQueue fullQueue;

        Attempt(Submission submission) {
            this.submission = submission;
        }

        @Override
        public WaitingRoom.@Nullable Full get() {
            engine.requireRunning();
            fullQueue = null;
            if (!tryAcquire()) {
                return WaitingRoom.Full.EXECUTOR;
            }
            boolean placed = false;
            try {
                fullQueue = submission.place(keyCapacity);
                placed = fullQueue == null;
            } finally {
                if (!placed) {
                    giveBackUnused();
                }
            }
            return fullQueue == null ? null : WaitingRoom.Full.ofKey(fullQueue.hash());
        }

        /** Drops what has waited longest, of the very key that is full: the task may have others that have room. */
        boolean makesRoom() {
            KeyQueue full = fullQueue;
            if (full == null) {
                return submission.dropOldest();
            }
            // if it has no task to drop, or is gone, it has room by now
            full.dropOldest();
            return true;
        }

        String describe() {
            return fullQueue == null
                    ? engine.describe() + " has no room: its capacity is " + capacity + " queued tasks"
                    : fullQueue.describeFull(keyCapacity);
        }
    }

    // permits

    private boolean tryAcquire() {
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
        long givenBack = permits.get(GIVEN_BACK);
        permits.set(GIVEN_BACK_BEFORE, givenBack);
        return givenBack;
    }

    private void giveBackUnused() {
        if (countsAll) {
            permits.getAndIncrement(GIVEN_BACK);
            waitingRoom.callForPermit();
        }
    }

    /** Gives back the permit of a task that was taken, which also makes room in its stripe. */
    void release(Strand takenFrom) {
        if (countsAll) {
            permits.getAndIncrement(GIVEN_BACK);
        }
        if (!waitingRoom.isEmpty()) {
            waitingRoom.callFor(engine.keyHashes(takenFrom), countsAll);
        }
    }

    /** Called when there is room for one more in a key, although no task was taken. */
    void onRoom(int keyHash) {
        if (!waitingRoom.isEmpty()) {
            waitingRoom.callFor(Set.of(keyHash), false);
        }
    }

    /** Called when a key that was full may have room for any number. */
    void onRoom() {
        waitingRoom.call();
    }

    /** Takes a permit for a task that is put back, whether there is one or not. */
    void takeAgain() {
        if (countsAll) {
            permits.getAndIncrement(TAKEN);
        }
    }

    /** Lets all who wait see that the executor is shut down. */
    void onShutdown() {
        waitingRoom.call();
    }
}
