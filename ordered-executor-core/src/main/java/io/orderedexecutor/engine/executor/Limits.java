package io.orderedexecutor.engine.executor;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.strand.LinkQueue;
import io.orderedexecutor.engine.strand.ReservedPlace;
import io.orderedexecutor.engine.task.HeldUp;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.engine.task.RejectionCounts;
import io.orderedexecutor.engine.task.WaitForRoom;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Place;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Admits tasks: how many may be queued in an executor and in each of its keys, and what happens when there is no room.
 *
 * @param <T> what a task is submitted to
 */
public final class Limits<T> {
    public static final int UNLIMITED = LinkQueue.UNLIMITED;

    private final Engine<T> engine;
    private final Overflow overflow;
    private final Permits permits;
    private final WaitingRoom waitingRoom;

    /** Read at each submission; a change concerns later ones. */
    private volatile int keyCapacity;

    Limits(Engine<T> engine, Settings settings, Permits permits) {
        this.engine = engine;
        this.permits = permits;
        this.waitingRoom = permits.waitingRoom();
        this.overflow = settings.overflow();
        this.keyCapacity = settings.keyCapacity();
    }

    int capacity() {
        return permits.capacity();
    }

    public int keyCapacity() {
        return keyCapacity;
    }

    public void setCapacity(int newCapacity) {
        if (!permits.countsAll()) {
            throw new IllegalStateException(engine.describe()
                    + " was built without a capacity, so its queued tasks are not counted; set capacity "
                    + "in the builder");
        }
        permits.setCapacity(newCapacity);
    }

    public void setKeyCapacity(int newCapacity) {
        keyCapacity = newCapacity;
        waitingRoom.call();
    }

    /**
     * Places a task when there is room, or throws; the executor is known to run.
     *
     * @param ownOverflow what happens if there is no room; null for what the executor was built with
     */
    void admit(T target, int hash, Runnable task, @Nullable Overflow ownOverflow) {
        Overflow overflow = ownOverflow == null ? this.overflow : ownOverflow;
        Duration limit = overflow instanceof Overflow.Block block ? block.limit() : null;
        if (limit != null
                && !waitingRoom.isEmpty()
                && waitingRoom.isWaitedFor(engine.keyHashes().of(target, hash), true)) {
            // earlier waiters may have a better claim
            await(new Attempt(target, hash, task), limit);
        } else if (!permits.tryAcquire()) {
            makeOrAwaitRoom(new Attempt(target, hash, task), overflow);
        } else {
            LimitedKey full = placeOrGiveBack(target, hash, task);
            if (full != null) {
                Attempt failed = new Attempt(target, hash, task);
                failed.fullKey = full;
                makeOrAwaitRoom(failed, overflow);
            }
        }
    }

    /** Places a task that has a permit, which it gives back if it is not placed. Returns a key that is full. */
    private @Nullable LimitedKey placeOrGiveBack(T target, int hash, Runnable task) {
        LimitedKey full;
        try {
            full = engine.place(target, hash, task, keyCapacity);
        } catch (Throwable failure) {
            permits.giveBackUnused();
            throw failure;
        }
        if (full != null) {
            permits.giveBackUnused();
            if (task instanceof ReservedPlace place) {
                place.waitNowhere();
            }
        }
        return full;
    }

    private void makeOrAwaitRoom(Attempt failed, Overflow overflow) {
        if (overflow instanceof Overflow.Block block) {
            await(failed, block.limit());
            return;
        }
        NoRoom noRoom;
        do {
            if (!(overflow instanceof Overflow.DiscardOldest) || !failed.makesRoom()) {
                throw engine.rejected(failed.reason(), failed.describe(), null);
            }
            noRoom = failed.get();
        } while (noRoom != null);
    }

    private void await(Attempt attempt, Duration limit) {
        if (engine.isInsideTask()) {
            if (attempt.get() != null) {
                throw engine.rejected(
                        attempt.reason(),
                        attempt.describe()
                                + "; a task of this executor cannot wait for room that only its own end may make",
                        null);
            }
            return;
        }
        HeldUp before = WaitForRoom.begin(attempt);
        try {
            if (waitingRoom.await(attempt.keyHashes(), Turn.nanos(limit), attempt)) {
                return;
            }
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw engine.rejected(
                    attempt.reason(),
                    attempt.describe() + ", and the submitter was interrupted while it waited",
                    interrupt);
        } finally {
            WaitForRoom.end(before);
        }
        throw engine.rejected(attempt.reason(), attempt.describe() + ", and none was made within " + limit, null);
    }

    /**
     * A submission that has found no room, or may not, and tries again; it knows where there was none the last time.
     */
    private final class Attempt implements Supplier<@Nullable NoRoom>, HeldUp {
        private final T target;
        private final int hash;
        private final Runnable task;

        /** Null if it was the executor that was full. Written by the submitter, and read by those who explain it. */
        private volatile @Nullable LimitedKey fullKey;

        Attempt(T target, int hash, Runnable task) {
            this.target = target;
            this.hash = hash;
            this.task = task;
        }

        Set<Integer> keyHashes() {
            return engine.keyHashes().of(target, hash);
        }

        @Override
        public @Nullable NoRoom get() {
            engine.requireRunning();
            fullKey = null;
            if (!permits.tryAcquire()) {
                return NoRoom.IN_EXECUTOR;
            }
            LimitedKey full = placeOrGiveBack(target, hash, task);
            fullKey = full;
            return full == null ? null : NoRoom.inKey(full.hash());
        }

        /** Drops what has waited longest, of the very key that is full: the task may have others that have room. */
        boolean makesRoom() {
            LimitedKey full = fullKey;
            if (full == null) {
                return engine.dropOldest(target, hash);
            }
            // if it has no task to drop, or is gone, it has room by now, unless all that waits there is reserved
            return full.dropOldest() || !full.hasReserved();
        }

        RejectionCounts.Reason reason() {
            return fullKey == null ? RejectionCounts.Reason.CAPACITY : RejectionCounts.Reason.KEY_CAPACITY;
        }

        @Override
        public Place where() {
            return new Place(engine.name(), engine.keyType(), null);
        }

        @Override
        public Reason heldUpBy() {
            LimitedKey full = fullKey;
            return full == null
                    ? new Reason(new Explanation.NoRoom(where(), capacity()), new Busy(engine, where()))
                    : full.fullBecause(keyCapacity);
        }

        String describe() {
            LimitedKey full = fullKey;
            return full == null
                    ? engine.describe() + " has no room: its capacity is " + capacity() + " queued tasks"
                    : full.describeFull(keyCapacity);
        }
    }

    // room that is not made by taking a task

    /** Gives back the permit of a task that turned out to need none. */
    public void giveBackUnused() {
        permits.giveBackUnused();
    }

    /** A task was taken that keeps its place in its key. */
    public void onTaken() {
        permits.onTaken();
    }

    /** Such a task waits again. */
    public void onPutBack() {
        permits.onPutBack();
    }

    /**
     * Called when there is room for one more in a key, although no task was taken.
     *
     * @return false if nobody waits for room
     */
    public boolean onRoom(int keyHash) {
        return permits.onRoom(keyHash);
    }

    /** Called when a key that was full may have room for any number. */
    public void onRoom() {
        waitingRoom.call();
    }

    /** Lets all waiters see that the executor is shut down. */
    void onShutdown() {
        waitingRoom.call();
    }
}
