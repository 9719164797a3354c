package io.orderedexecutor.engine.strand;

/** How far a task has come that a thread has taken from its link. */
enum Progress {
    TAKEN,
    /** It may have run. */
    STARTED,
    /** It is about to end. */
    ENDS
}
