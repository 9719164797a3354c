package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/** A task on its way into an executor that has bounds or a listener; one that has neither needs no such object. */
interface Submission {

    /** What the task is submitted to, or {@link Chain#NO_KEY}. */
    Object key();

    /** The same for submissions of the same key. */
    int keyHash();

    Runnable task();

    /**
     * Places the task, if fewer than so many of its key wait, or throws.
     *
     * @return the queue that is full; null if the task is placed
     */
    @Nullable
    KeyQueue place(int keyCapacity);

    /** What the task would wait in; null if there is nothing yet. */
    @Nullable
    KeyQueue queue();
}
