package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/** What a strand remembers of a task that has failed and may be run again. Used by the holder. */
final class Attempts {
    /** Where that task is. */
    final Link link;

    /** How often it has failed in a row. */
    int failures;

    /** What it is made of while it holds the strand, if it is asynchronous and may have to be run again. */
    @Nullable
    Object heldWork;

    private Attempts(Link link) {
        this.link = link;
    }

    /** The attempts at the task of a link; what was known of another one is forgotten. */
    static Attempts at(Strand strand, Link link) {
        Attempts known = strand.attempts;
        if (known == null || known.link != link) {
            known = new Attempts(link);
            strand.attempts = known;
        }
        return known;
    }
}
