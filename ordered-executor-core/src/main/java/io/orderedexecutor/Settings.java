package io.orderedexecutor;

/**
 * What an executor is built from, all of it checked.
 *
 * @param name not blank
 * @param capacity how many tasks may be queued, or {@link Bounds#UNLIMITED}
 * @param keyCapacity how many tasks of a key may be queued, or {@link Bounds#UNLIMITED}
 * @param overflow what happens when there is no room
 * @param failurePolicy what happens when a task fails
 * @param listener who hears of tasks
 * @param timer for pauses between attempts
 */
record Settings(
        String name,
        int capacity,
        int keyCapacity,
        Overflow overflow,
        FailurePolicy failurePolicy,
        TaskListener listener,
        Timer timer) {

    boolean isBounded() {
        return capacity != Bounds.UNLIMITED || keyCapacity != Bounds.UNLIMITED;
    }

    boolean isListening() {
        return listener != TaskListener.NO_OP;
    }
}
