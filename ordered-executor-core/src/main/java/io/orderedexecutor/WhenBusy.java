package io.orderedexecutor;

import java.util.Objects;

/**
 * Determines what a submission does if its stripe is busy: a task of the stripe (tasks of several groups and barriers
 * count) is queued or active, waits for a retry, or is parked; or the stripe or its executor is paused; or a place in
 * the stripe is reserved. If the stripe is not busy, the task is submitted as always. Immutable.
 *
 * <p>A task is active until its work has returned, or its stage is complete: a caller that has waited for its future
 * does not find the stripe busy with this task.
 *
 * <p><b>Slots.</b> {@link #latest} and {@link #interrupt} concern tasks of the same stripe whose slots are equal, and
 * no others. Tasks with equal slots replace each other. A slot names a kind of task, such as a method, a topic, or the
 * view that is refreshed: if the stripe is a product, {@code "price"} is the slot of its price updates. Slots are
 * compared by {@link Object#equals equals}, on submitting threads, with no lock held.
 *
 * <p><b>What is never lost.</b> A submission that is accepted while its stripe is busy always gets a run that starts
 * after it: its own, or that of the submission that has replaced it. So the last run sees everything that was done
 * before any of these submissions.
 */
public sealed interface WhenBusy {

    /**
     * Queues the task behind all others, as if no mode were given.
     *
     * @return the default mode
     */
    static WhenBusy queue() {
        return Queue.INSTANCE;
    }

    /**
     * Replaces the queued task of the same slot, if nothing else was submitted to the stripe in between. The new task
     * takes the place of the old one, even if the executor is full; the future of the old one is cancelled. If
     * something was submitted in between, the old task stays and the new one is queued, since order comes first. A task
     * that has started, or waits for a retry, is never replaced. This mode needs no capacity and leaves tasks of other
     * slots alone; {@link Overflow#discardOldest()} drops any task of a full stripe.
     *
     * @param slot the slot of the task
     * @return a mode that keeps the latest
     * @throws NullPointerException if {@code slot} is null
     */
    static WhenBusy latest(Object slot) {
        return new Latest(slot);
    }

    /**
     * Like {@link #latest}, but also cancels a running task of the same slot: its thread is interrupted, or its stage
     * cancelled by {@link java.util.concurrent.CompletableFuture#cancel}, and it is not retried. The new task does not
     * start before the old one has returned or its stage is complete, however long that takes. A task of the same slot
     * that waits for a retry is cancelled at once. A task whose future is complete already is not interrupted. A parked
     * task waits for a decision and stays.
     *
     * @param slot the slot of the task
     * @return a mode that interrupts
     * @throws NullPointerException if {@code slot} is null
     */
    static WhenBusy interrupt(Object slot) {
        return new Interrupt(slot);
    }

    /**
     * Does not run the task at all. The submission is not accepted: its future fails at once with a
     * {@link TaskRefusedException}. {@code execute} returns normally, so its caller does not see that the task never
     * runs: see {@link TaskListener#refused} or {@link ExecutorInspection#whenBusyStats()}.
     *
     * @return a mode that refuses
     */
    static WhenBusy refuse() {
        return Refuse.INSTANCE;
    }

    /** See {@link WhenBusy#queue()}. */
    enum Queue implements WhenBusy {
        /** The only instance. */
        INSTANCE;

        @Override
        public String toString() {
            return "queue";
        }
    }

    /**
     * See {@link WhenBusy#latest}.
     *
     * @param slot the slot of the task
     */
    record Latest(Object slot) implements WhenBusy {
        /**
         * Checks the slot.
         *
         * @param slot not null
         * @throws NullPointerException if {@code slot} is null
         */
        public Latest {
            Objects.requireNonNull(slot, "slot");
        }

        /** Returns the mode in the terms of its factory, for messages and logs. */
        @Override
        public String toString() {
            return "latest(" + slot + ")";
        }
    }

    /**
     * See {@link WhenBusy#interrupt}.
     *
     * @param slot the slot of the task
     */
    record Interrupt(Object slot) implements WhenBusy {
        /**
         * Checks the slot.
         *
         * @param slot not null
         * @throws NullPointerException if {@code slot} is null
         */
        public Interrupt {
            Objects.requireNonNull(slot, "slot");
        }

        /** Returns the mode in the terms of its factory, for messages and logs. */
        @Override
        public String toString() {
            return "interrupt(" + slot + ")";
        }
    }

    /** See {@link WhenBusy#refuse()}. */
    enum Refuse implements WhenBusy {
        /** The only instance. */
        INSTANCE;

        @Override
        public String toString() {
            return "refuse";
        }
    }
}
