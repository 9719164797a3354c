package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/** A host whose strands may wait for others before their first task. */
public interface Followers {

    /** One of the strands that have to end before a strand can start; null if there is none any more. */
    @Nullable
    Strand directlyAhead(Strand waiting);
}
