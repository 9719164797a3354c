package io.orderedexecutor;

/**
 * Thrown when a task is about to wait for itself: for the future of a task that is queued behind it, or behind tasks
 * that in turn wait for it. The message names the threads, stripes and tasks of the cycle. Without this exception the
 * task would hang, and its stripe with it.
 *
 * <p>{@code get} and {@code join} of the futures that executors return throw it at once, {@code get} with a time limit
 * too, and even if {@code orTimeout} or another thread might end the wait by completing the future: the task would hold
 * its stripe for a result that cannot come. A wait is checked when it begins, at no cost for a future that is done. An
 * asynchronous task that returns such a future as its stage fails with it, too. Waits for stages derived from these
 * futures (by {@code thenApply} and the like, or {@code allOf}) are not seen, nor are longer cycles through
 * asynchronous tasks, locks or queues.
 */
public final class SelfWaitException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception for a wait that would not end.
     *
     * @param message names what waits, and what it waits for
     */
    public SelfWaitException(String message) {
        super(message);
    }
}
