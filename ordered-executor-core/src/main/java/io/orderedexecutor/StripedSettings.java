package io.orderedexecutor;

/**
 * What a {@link StripedExecutor} is built from, all of it checked.
 *
 * @param name not blank
 * @param identityStripes whether stripes are compared by identity
 * @param capacity how many tasks may be queued, or {@link Bounds#UNLIMITED}
 * @param stripeCapacity how many tasks of a stripe may be queued, or {@link Bounds#UNLIMITED}
 * @param overflow what happens when there is no room
 * @param failurePolicy what happens when a task fails
 * @param listener who hears of tasks
 * @param timer for pauses between attempts
 */
record StripedSettings(
        String name,
        boolean identityStripes,
        int capacity,
        int stripeCapacity,
        Overflow overflow,
        FailurePolicy failurePolicy,
        TaskListener listener,
        Timer timer) {

    boolean isBounded() {
        return capacity != Bounds.UNLIMITED || stripeCapacity != Bounds.UNLIMITED;
    }

    boolean isListening() {
        return listener != TaskListener.NO_OP;
    }
}
