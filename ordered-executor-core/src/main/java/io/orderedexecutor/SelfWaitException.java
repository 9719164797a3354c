package io.orderedexecutor;

/**
 * Thrown when a thread is about to wait for itself. Usually a task waits for the future of a task that is queued behind
 * it, or behind tasks that in turn wait for it. The message names the threads, stripes and tasks of the cycle. Without
 * this exception the task would hang, and its stripe with it. A thread with an open {@link Reservation} gets this
 * exception if it waits for a task behind that place, even if another thread would use the place.
 * {@link OrderedOutputExecutor#forEach}, {@link OrderedOutputExecutor#map}, {@link TicketSequencer#next()} and
 * {@link NumberedSequencer#at(long)} throw it where they would wait for the end of the task or output that calls them.
 *
 * <p>{@code get} and {@code join} of the futures that executors return throw this exception at once, and so do
 * {@code get} with a time limit and {@code invokeAny}. They throw it even if {@code orTimeout} or another thread might
 * complete the future and so end the wait: until then, the task would hold its stripe for a result that cannot come. A
 * wait is checked when it begins, without a cost if the future is done. An asynchronous task fails with this exception,
 * too, if it returns such a future as its stage. Waits for stages derived from these futures (by {@code thenApply} and
 * the like, or {@code allOf}) are not detected, nor are longer cycles through asynchronous tasks, locks or queues.
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
