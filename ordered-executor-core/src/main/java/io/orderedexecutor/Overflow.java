package io.orderedexecutor;

import java.time.Duration;
import java.util.Objects;

/**
 * Determines what happens to a submission for which there is no room: the executor has as many queued tasks as its
 * {@linkplain StripedExecutorBuilder#capacity capacity} allows, the stripe as many as
 * {@linkplain StripedExecutorBuilder#keyCapacity its own capacity} allows, or the ordered output as many open pieces as
 * its {@linkplain OrderedOutputBuilder#window window} allows. Immutable.
 */
public sealed interface Overflow {

    /**
     * The default, except for ordered output: rejects the submission with a
     * {@link java.util.concurrent.RejectedExecutionException}.
     *
     * @return a policy that rejects
     */
    static Overflow reject() {
        return Reject.INSTANCE;
    }

    /**
     * Lets submitters wait for room, and rejects the submission when the time has elapsed. Submitters that wait for the
     * same stripe or group are in FIFO order, and so are submitters that wait for the executor. A submitter that waits
     * for its stripe holds up no submitter of another stripe. A submission takes room in its stripe, or in one of its
     * {@link Groups} after the other, and then in the executor; it keeps the room that it has while it waits for more.
     *
     * <p>A submitter that is interrupted while it waits is rejected and stays interrupted. A shutdown ends the wait,
     * and rejects the submission. If there is no room, a task that submits to its own executor is rejected at once: it
     * might wait for room that only its own end can make. So is a dependent action, or a listener, on a thread that is
     * just ending a task of that executor; to wait there, submit on another thread ({@code thenAcceptAsync}).
     *
     * @param limit how long to wait at most, for the stripe and the executor together; zero does not wait, and
     *     {@code ChronoUnit.FOREVER.getDuration()} waits without a limit
     * @return a policy that blocks
     * @throws IllegalArgumentException if {@code limit} is negative
     * @throws NullPointerException if {@code limit} is null
     */
    static Overflow block(Duration limit) {
        return new Block(limit);
    }

    /**
     * Drops the oldest queued task of the same stripe and cancels its future. That may be a parked task, or one that
     * waits for a retry: its failure is forgotten, and the stripe proceeds. If the stripe has no queued task but
     * {@linkplain Reservation reservations}, which are never dropped, or if other submissions wait for the same room,
     * nothing is dropped and the new task is rejected. With a stripe capacity of 1, this policy keeps the latest task
     * of each stripe; to replace only tasks of the same kind, see {@link WhenBusy#latest}.
     *
     * <p>More tasks may be queued than there is room for: after a capacity was lowered, or since failed tasks are
     * queued again. Then this policy drops the oldest tasks of the stripe until there is room. If the stripe has not as
     * many, it drops nothing and the new task is rejected.
     *
     * <p>For a task with several {@link Groups}, this policy drops the oldest queued task of each full group, one group
     * after the other, or of one of its groups if the executor is full. To make room in a group, it drops no tasks that
     * need no room there: those {@linkplain Groups#within within} the group, and those with all groups. If one of the
     * full groups has too few tasks to drop, the new task is rejected and nothing is dropped; if other threads change
     * these groups meanwhile, a task that was already dropped in another group is lost. A task without a key, or with
     * all groups and no other, drops nothing: if the executor is full, it is rejected.
     *
     * @return a policy that drops
     */
    static Overflow discardOldest() {
        return DiscardOldest.INSTANCE;
    }

    /** See {@link Overflow#reject()}. */
    enum Reject implements Overflow {
        /** The only instance. */
        INSTANCE;

        @Override
        public String toString() {
            return "reject";
        }
    }

    /**
     * See {@link Overflow#block}.
     *
     * @param limit how long to wait at most
     */
    record Block(Duration limit) implements Overflow {
        /**
         * Checks the limit.
         *
         * @param limit how long to wait at most; not null
         * @throws IllegalArgumentException if {@code limit} is negative
         * @throws NullPointerException if {@code limit} is null
         */
        public Block {
            if (Objects.requireNonNull(limit, "limit").isNegative()) {
                throw new IllegalArgumentException(
                        "the limit of a blocking overflow is " + limit + ", but cannot be negative");
            }
        }

        /** Returns the policy in the terms of its factory, for messages and logs. */
        @Override
        public String toString() {
            return "block(" + limit + ")";
        }
    }

    /** See {@link Overflow#discardOldest()}. */
    enum DiscardOldest implements Overflow {
        /** The only instance. */
        INSTANCE;

        @Override
        public String toString() {
            return "discardOldest";
        }
    }
}
