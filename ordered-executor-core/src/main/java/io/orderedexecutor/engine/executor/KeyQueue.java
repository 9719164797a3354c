package io.orderedexecutor.engine.executor;

/** What tasks of one key wait in, as far as its bounds are concerned. */
public interface KeyQueue {

    /** The spread hash of the key. */
    int hash();

    /** Takes out the task that has waited longest, and ends it; false if no task waits. */
    boolean dropOldest();

    /** Names this key, for people. */
    String describe();

    /**
     * Says that there is no room, for people.
     *
     * @param capacity how many tasks of a key may be queued
     */
    default String describeFull(int capacity) {
        return describe() + " has no room: its capacity is " + capacity + " queued tasks";
    }
}
