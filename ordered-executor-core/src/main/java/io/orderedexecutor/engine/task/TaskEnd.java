package io.orderedexecutor.engine.task;

/** How an accepted task came to its end. */
public enum TaskEnd {
    /** It returned; if asynchronous, its stage completed. */
    COMPLETED,
    /** It threw; if asynchronous, its stage failed. */
    FAILED,
    /** Its future was cancelled, or a shutdown took it back before it had started. */
    CANCELLED
}
