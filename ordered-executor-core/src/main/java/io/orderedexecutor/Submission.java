package io.orderedexecutor;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A task on its way into an executor that has bounds or a listener; one that has neither needs no such object. */
interface Submission {

    /** What the task is submitted to, or {@link Strand#NO_KEY}. */
    Object key();

    /** The hashes of its keys, as {@link KeyQueue#hash()} has them. */
    Set<Integer> keyHashes();

    Runnable task();

    /**
     * Places the task, if fewer than so many of its key wait, or throws.
     *
     * @return the queue that is full; null if the task is placed
     */
    @Nullable
    KeyQueue place(int keyCapacity);

    /**
     * When the executor is full: ends the task that has waited longest in a key of this one; false if none waits there.
     */
    boolean dropOldest();

    /** What becomes of it if there is no room. */
    default Overflow overflow(Overflow ofExecutor) {
        return ofExecutor;
    }
}
