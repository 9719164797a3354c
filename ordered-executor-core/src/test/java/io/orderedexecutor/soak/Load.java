package io.orderedexecutor.soak;

import java.util.SplittableRandom;

/** One executor or sequencer under load. */
interface Load extends AutoCloseable {

    /**
     * Does one operation; called by several threads.
     *
     * @param submitter the number of the thread
     */
    void act(int submitter, SplittableRandom random) throws InterruptedException;

    /** Changes a setting; called by one thread. */
    void change(SplittableRandom random);

    /** Waits until everything has ended that was accepted, and fails if something was lost, doubled or out of order. */
    void settle() throws InterruptedException;

    /** Tells how much was done. */
    String figures();

    /** Ends. */
    @Override
    void close();
}
