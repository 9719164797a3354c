package io.orderedexecutor.soak;

import java.util.SplittableRandom;

/** One executor, or sequencer, under load. */
interface Load extends AutoCloseable {

    /**
     * Does one operation; called by several threads.
     *
     * @param submitter the number of the thread
     * @param watches whether keys and tasks may be watched: others will follow them
     */
    void act(int submitter, boolean watches, SplittableRandom random);

    /** Changes a setting; called by one thread. */
    void change(SplittableRandom random);

    /** Takes back what no load can go on with, such as a pause; called by the thread that changes settings. */
    void calm();

    /** Waits until everything has ended that was accepted, and fails if something was lost, doubled or out of order. */
    void settle() throws InterruptedException;

    /** Fails if something is held that should not be; called when all loads are settled. */
    void assertNothingIsHeld();

    /** How many keys, sequences or outputs were used that are never used again. */
    long passingKeys();

    /** Ends. */
    @Override
    void close();
}
