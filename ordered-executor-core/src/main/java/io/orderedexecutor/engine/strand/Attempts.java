package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/** What a strand remembers of a task that has failed and may be run again. Used by the holder. */
final class Attempts {
    /** Where that task is. */
    final Link link;

    /** How often it has failed in a row. */
    int failures;

    /** What was submitted, while an attempt of an asynchronous task holds the strand and may have to be repeated. */
    @Nullable
    Object heldWork;

    Attempts(Link link) {
        this.link = link;
    }
}
