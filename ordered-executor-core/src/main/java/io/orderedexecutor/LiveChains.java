package io.orderedexecutor;

import java.util.function.Consumer;

/**
 * The chains of an executor that have tasks now, in segments each of which is closed and emptied by itself.
 *
 * @param <C> the kind of chain
 */
interface LiveChains<C extends Chain> {

    int segments();

    boolean isEmpty();

    /**
     * Accepts no more tasks that would open a chain.
     *
     * @return how many segments are empty, and so for good
     */
    int close();

    /**
     * Visits the chains, in an order in which each comes after those that it has to wait for. No lock is held during a visit; a
     * chain that opens or ends in the meantime may be missed.
     */
    void forEach(Consumer<? super C> visitor);

    /** As {@link #forEach}, but only those that wait for no other chain; whatever runs is among them. */
    default void forEachStartable(Consumer<? super C> visitor) {
        forEach(visitor);
    }
}
