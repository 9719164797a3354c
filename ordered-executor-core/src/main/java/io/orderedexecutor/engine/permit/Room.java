package io.orderedexecutor.engine.permit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.order.Order;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Room for a number of tasks, in an executor, in one of its keys, or in the window of an output. Waiting submissions
 * get room first come, first served, and no submission that comes later overtakes them.
 */
public abstract class Room {
    /** There was no room. Not -1, since a count may be below zero while another thread changes it. */
    public static final long NONE = Long.MIN_VALUE;

    private final Rooms rooms;

    /** The waiting submissions; null before the first one. */
    @GuardedBy("this")
    private @Nullable ArrayDeque<Claim> claims;

    /** How many submissions wait. Written under the monitor; read without it by threads that take or free room. */
    private volatile int waiting;

    /** How many submissions have room here and wait for more elsewhere. Written under the monitor. */
    private volatile int kept;

    /** A waiting submission. */
    private static final class Claim {
        private final Thread thread = Thread.currentThread();
        private volatile boolean isAdmitted;
    }

    Room(Rooms rooms) {
        this.rooms = rooms;
    }

    final Rooms rooms() {
        return rooms;
    }

    /** Whether submissions wait here: they get room before any other. */
    public final boolean isAwaited() {
        return waiting > 0;
    }

    /** Whether a submission has room here and waits for more elsewhere. */
    public final boolean isKept() {
        return kept > 0;
    }

    /** Called with 1 or -1 when a submission that has room here begins to wait for more elsewhere, or stops. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the monitor only
    public final synchronized void keep(int more) {
        kept += more;
    }

    /**
     * Takes room for one task; returns how many tasks had room before, or {@link #NONE}. Where several cells count the
     * room, the number may be too high.
     */
    abstract long tryTakeBelow();

    /** Takes room for a task that was accepted before, even if there is none. */
    abstract void takeAgain();

    /** Gives back the room of a submission that was not accepted. */
    abstract void undo();

    /** Frees the room of one task; called by any thread. */
    abstract void free();

    public abstract int size();

    /** How many tasks have to give back their room before one more task has room; 0 if there is room. */
    public abstract long missing();

    /** Like {@link #tryTakeBelow}; also {@link #NONE} if other submissions wait. */
    public final long tryTake() {
        return waiting > 0 ? NONE : tryTakeBelow();
    }

    /**
     * Waits for room for one task, and takes it.
     *
     * @param deadline on the clock of the platform
     * @param beforePark called each time before the thread blocks; by then, this submission has registered its claim.
     *     This function may make room, and may itself block the thread; it returns false if the submission would be
     *     refused even if it had room
     * @return false if the time ran out, or the submission would be refused
     */
    public final boolean take(long deadline, BooleanSupplier beforePark) throws InterruptedException {
        if (tryTake() != NONE) {
            return true;
        }
        Claim claim = new Claim();
        synchronized (this) {
            claims = claims == null ? new ArrayDeque<>() : claims;
            claims.add(claim);
            waiting = claims.size();
        }
        boolean interrupted = false;
        boolean hasReturned = false;
        try {
            // thread A registers the claim, then looks for room; thread B gives room back, then looks for claims: at
            // least one of them admits the claim
            admit();
            interrupted = await(claim, deadline, beforePark);
            hasReturned = true;
        } finally {
            withdraw(claim);
            if (!hasReturned && claim.isAdmitted) {
                giveBackUnused();
            }
        }
        if (interrupted && !claim.isAdmitted) {
            throw new InterruptedException();
        }
        if (interrupted) {
            // interrupted, but admitted: keep the room, and restore the interrupt for the caller
            claim.thread.interrupt();
        }
        return claim.isAdmitted;
    }

    private synchronized void withdraw(Claim claim) {
        if (claims != null) {
            claims.remove(claim);
            waiting = claims.size();
        }
    }

    /** Returns whether an interrupt has ended the wait. */
    private boolean await(Claim claim, long deadline, BooleanSupplier beforePark) {
        while (!isOver(claim) && beforePark.getAsBoolean()) {
            // checked again: a park in beforePark may have used up the wake-up of this wait
            if (isOver(claim)) {
                return false;
            }
            if (Thread.interrupted()) {
                return true;
            }
            long left = deadline - rooms.platform().nanoTime();
            if (left <= 0) {
                return false;
            }
            rooms.platform().parkNanos(claim, Math.min(left, rooms.platform().patienceNanos()));
        }
        return false;
    }

    private boolean isOver(Claim claim) {
        return claim.isAdmitted || rooms.isClosed();
    }

    public final void giveBack() {
        free();
        admit();
    }

    public final void giveBackUnused() {
        undo();
        admit();
    }

    /**
     * Admits waiting submissions as long as there is room. Called by each thread that has made room, and by a thread
     * that has begun to wait. A submission that stops waiting makes no room: each one needs room for one task only.
     */
    final void admit() {
        while (waiting > 0) {
            Claim first;
            synchronized (this) {
                Queue<Claim> all = claims;
                first = all == null ? null : all.peek();
                if (all == null || first == null || tryTakeBelow() == NONE) {
                    return;
                }
                all.remove();
                waiting = all.size();
                first.isAdmitted = true;
            }
            rooms.platform().unpark(first.thread);
        }
    }

    /** Wakes the waiting submissions, so that they see whether they would be refused. */
    public final void wakeAll() {
        List<Claim> all;
        synchronized (this) {
            all = claims == null ? List.of() : List.copyOf(claims);
        }
        all.forEach(claim -> rooms.platform().unpark(claim.thread));
    }

    /** The room in one key. Small, since each key with tasks has one. */
    public static final class OfKey extends Room implements Order.Attachment {
        private static final VarHandle QUEUED;

        static {
            try {
                QUEUED = MethodHandles.lookup().findVarHandle(OfKey.class, "queued", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private final Order order;

        /** How many tasks have room here. Changed atomically. */
        private volatile int queued;

        /** How many submissions without a step keep the order in the table. Guarded by its bin. */
        private int guests;

        public OfKey(Rooms rooms, Order order) {
            super(rooms);
            this.order = order;
        }

        public Order order() {
            return order;
        }

        /** The room of a key; null if no submission has needed any there or kept the order. */
        public static @Nullable OfKey of(Order order) {
            return (OfKey) order.attachment();
        }

        @Override
        public void addGuests(int more) {
            guests += more;
        }

        @Override
        public boolean hasGuests() {
            return guests > 0;
        }

        @Override
        long tryTakeBelow() {
            int before = queued;
            while (before < size()) {
                if (QUEUED.compareAndSet(this, before, before + 1)) {
                    return before;
                }
                before = queued;
            }
            return NONE;
        }

        @Override
        void takeAgain() {
            QUEUED.getAndAdd(this, 1);
        }

        @Override
        void undo() {
            free();
        }

        @Override
        void free() {
            QUEUED.getAndAdd(this, -1);
        }

        @Override
        public int size() {
            return rooms().keyCapacity();
        }

        @Override
        public long missing() {
            return Math.max(0, queued - (long) size() + 1);
        }
    }

    /** Room that many threads take and free at the same time. */
    public static class Shared extends Room {
        private static final int LINE = 8;

        // mostly submitters write the counts at these two indices; threads that free room write those from the third on
        private static final int TAKEN = LINE;
        private static final int SEEN = TAKEN + 1;
        private static final int GIVEN_BACK = 2 * LINE;

        /**
         * At {@link #TAKEN}, how often room was taken and not undone; tasks that are put back may take more than there
         * is. At {@link #SEEN}, a former sum of the cells; while it shows that there is room, submitters do not sum
         * them up. From {@link #GIVEN_BACK} on, how often room was freed, in cells that few threads share: a submitter
         * that misses an addition finds too little room, never too much. It misses none from before its look, which a
         * {@link java.util.concurrent.atomic.LongAdder} does not promise. Changed atomically.
         */
        private final AtomicLongArray counts;

        /** How many cells count the freed room: a power of two. */
        private final int cells;

        private volatile int size;

        public Shared(Rooms rooms, int size, int cells) {
            super(rooms);
            this.size = size;
            this.cells = cells;
            this.counts = new AtomicLongArray(GIVEN_BACK + cells * LINE);
        }

        @Override
        final long tryTakeBelow() {
            while (true) {
                long taken = counts.get(TAKEN);
                // a single cell is as cheap to read as the copy, and exact
                long seen = cells == 1 ? givenBack() : counts.get(SEEN);
                if (taken - seen >= size && cells > 1) {
                    seen = givenBack();
                    counts.set(SEEN, seen);
                }
                if (taken - seen >= size) {
                    return NONE;
                }
                if (counts.compareAndSet(TAKEN, taken, taken + 1)) {
                    return taken - seen;
                }
            }
        }

        @Override
        final void takeAgain() {
            counts.getAndIncrement(TAKEN);
        }

        @Override
        final void undo() {
            counts.getAndDecrement(TAKEN);
        }

        @Override
        final void free() {
            int cell = System.identityHashCode(Thread.currentThread()) & (cells - 1);
            counts.getAndIncrement(GIVEN_BACK + cell * LINE);
        }

        public final long taken() {
            return counts.get(TAKEN);
        }

        public final long givenBack() {
            long sum = 0;
            for (int cell = 0; cell < cells; cell++) {
                sum += counts.get(GIVEN_BACK + cell * LINE);
            }
            return sum;
        }

        @Override
        public final int size() {
            return size;
        }

        @Override
        public final long missing() {
            return Math.max(0, counts.get(TAKEN) - givenBack() - size + 1);
        }

        final void setSize(int newSize) {
            size = newSize;
            admit();
        }
    }
}
