package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.strand.Strand;
import java.util.Set;

/**
 * The hashes of the keys that tasks want, as {@link LimitedKey#hash()} has them: asked when submitters wait for room.
 *
 * @param <T> what a task is submitted to
 */
public interface KeyHashes<T> {

    /**
     * The keys of a task that is submitted.
     *
     * @param hash of the target, if its place is found by it
     */
    Set<Integer> of(T target, int hash);

    /** The keys in which there is room for one more when a task is taken. */
    Set<Integer> ofTakenFrom(Strand strand);
}
