package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.task.Reason;

/** A key that limits how many of its tasks may be queued. */
public interface LimitedKey {

    /** The spread hash of the key. */
    int hash();

    /** Drops the task that has waited longest; false if no task waits, but for places that are reserved. */
    boolean dropOldest();

    /** Whether places are reserved here, which no task drops. */
    default boolean hasReserved() {
        return false;
    }

    /** Why there is no room here, given how many tasks of a key may be queued. */
    Reason fullBecause(int capacity);

    /** The name of this key in messages. */
    String describe();

    /**
     * The message of a submission that has found no room.
     *
     * @param capacity how many tasks of a key may be queued
     */
    default String describeFull(int capacity) {
        return describe() + " has no room: its capacity is " + capacity + " queued tasks";
    }
}
