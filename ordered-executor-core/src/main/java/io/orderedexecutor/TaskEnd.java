package io.orderedexecutor;

/** How an accepted task came to its end. */
enum TaskEnd {
    /** It ran and returned; if asynchronous, its stage completed. */
    COMPLETED,
    /** It threw; if asynchronous, its stage failed. */
    FAILED,
    /** It was taken back or cancelled before it ran; if asynchronous, before its stage was complete. */
    CANCELLED
}
