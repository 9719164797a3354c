package io.orderedexecutor;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How many tasks may be queued in an executor and in each of its stripes, and what happens when there is no room. A task has a
 * permit from before it is placed until somebody takes it: to run it, cancel it or drop it.
 *
 * <p>Thread-safe. No lock is held while a submitter waits that a worker would need: workers only give permits back.
 */
final class Bounds {
    static final int UNLIMITED = Integer.MAX_VALUE;

    private final StripedExecutor executor;
    private final Overflow overflow;

    /** The permits of the whole executor; null if only stripes are bounded. */
    private final @Nullable Room room;

    /** Written by those who change it; a change concerns later submissions. */
    private volatile int capacity;

    private volatile int stripeCapacity;

    Bounds(StripedExecutor executor, StripedSettings settings) {
        this.executor = executor;
        this.capacity = settings.capacity();
        this.stripeCapacity = settings.stripeCapacity();
        this.overflow = settings.overflow();
        this.room = capacity == UNLIMITED ? null : new Room(capacity);
    }

    int stripeCapacity() {
        return stripeCapacity;
    }

    synchronized void setCapacity(int newCapacity) {
        if (room == null) {
            throw new IllegalStateException(
                    executor.name()
                            + " was built without a capacity, so its queued tasks are not counted; set capacity in the builder");
        }
        room.change(newCapacity - capacity);
        capacity = newCapacity;
    }

    void setStripeCapacity(int newCapacity) {
        stripeCapacity = newCapacity;
    }

    // permits of the executor

    /**
     * Takes a permit for a submission.
     *
     * @param ofStripe finds the submission's stripe; null if it is not open or there is none
     */
    void acquire(Submission submission, Supplier<? extends @Nullable Stripe> ofStripe) {
        if (room == null || room.tryAcquire()) {
            return;
        }
        String full = "executor " + executor.name() + " has no room: its capacity of " + capacity
                + " queued tasks is used up";
        if (overflow instanceof Overflow.Block) {
            submission.await(room, full);
        } else {
            do {
                Stripe stripe = overflow instanceof Overflow.DiscardOldest ? ofStripe.get() : null;
                if (stripe == null || !stripe.dropOldest()) {
                    throw executor.rejected(full, null);
                }
            } while (!room.tryAcquire());
        }
    }

    /** Gives back the permit of a task that was taken, or not placed after all. */
    void release() {
        if (room != null) {
            room.release();
        }
    }

    /** Takes a permit for a task that is put back, whether there is one or not. */
    void takeAgain() {
        if (room != null) {
            room.take();
        }
    }

    // room in a stripe

    /** Returns when there may be room in a full stripe. */
    void makeRoom(Stripe stripe, Submission submission) {
        if (overflow instanceof Overflow.DiscardOldest) {
            stripe.dropOldest();
            return;
        }
        String full =
                stripe.describe() + " has no room: its capacity of " + stripeCapacity + " queued tasks is used up";
        if (!(overflow instanceof Overflow.Block)) {
            throw executor.rejected(full, null);
        }
        Room stripeRoom = stripe.room();
        if (!stripeRoom.hasQueuedThreads()) {
            // what was given back while nobody waited; what is given back from here on ends the wait
            stripeRoom.drainPermits();
        }
        if (stripe.isFull(stripeCapacity)) {
            submission.await(stripeRoom, full);
        }
    }

    /** Lets all who wait for a permit of the executor see that it is shut down. */
    void onShutdown() {
        if (room != null) {
            room.open();
        }
    }

    /** A submission that may have to wait, more than once, but not longer than its limit in all. */
    final class Submission {
        private final long start = System.nanoTime();

        private void await(Room scarce, String full) {
            long limit = Turn.nanos(((Overflow.Block) overflow).limit());
            if (executor.isInsideTask()) {
                throw executor.rejected(
                        full + ", and a task of this executor cannot wait for room that it may hold up itself", null);
            }
            try {
                if (!scarce.tryAcquire(limit - (System.nanoTime() - start), TimeUnit.NANOSECONDS)) {
                    throw executor.rejected(
                            full + ", and none was made within " + ((Overflow.Block) overflow).limit(), null);
                }
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
                throw executor.rejected(full + ", and the submitter was interrupted while it waited", interrupt);
            }
            executor.requireRunning();
        }
    }
}
