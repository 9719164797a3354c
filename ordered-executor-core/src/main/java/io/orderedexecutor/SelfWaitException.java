package io.orderedexecutor;

/**
 * Thrown when a task is about to wait for itself: for the future of a task that is queued behind it, or behind tasks
 * that in turn wait for it. The message names the threads, stripes and tasks of the cycle. Without this exception the
 * task would hang, and its stripe with it.
 *
 * <p>{@code get} and {@code join} of the futures that executors return throw this exception at once, and so does
 * {@code get} with a time limit. They throw it even if {@code orTimeout} or another thread might complete the future
 * and so end the wait: until then, the task would hold its stripe for a result that cannot come. A wait is checked when
 * it begins, without a cost if the future is done. An asynchronous task fails with this exception, too, if it returns
 * such a future as its stage. Waits for stages derived from these futures (by {@code thenApply} and the like, or
 * {@code allOf}) are not detected, nor are longer cycles through asynchronous tasks, locks or queues.
 */
public final class SelfWaitException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception for a wait that would not end.
     *
     * @param message names the waiting task and the task that it waits for
     */
    public SelfWaitException(String message) {
        super(message);
    }
}
