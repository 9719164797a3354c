package io.orderedexecutor;

/** What tasks of one key wait in, as far as its bounds are concerned. */
interface KeyQueue {

    /** The spread hash of the key. */
    int hash();

    /** Takes out the task that has waited longest, and ends it; false if no task waits. */
    boolean dropOldest();

    /** Names this key, for people. */
    String describe();
}
