package io.orderedexecutor;

/**
 * Thrown to a task that is about to wait for a future which can only be done after the task itself: one that is queued
 * behind it, or is behind other tasks that wait in turn for this one. The message names the threads, stripes and tasks
 * of the cycle. Without this exception the task would hang, and its stripe with it.
 *
 * <p>{@code get} and {@code join} of the futures that executors return throw it at once, {@code get} with a time limit
 * too. A wait is checked when it begins, at no cost for a future that is done. An asynchronous task that returns such a
 * future as its stage fails with it, too. Waits for stages derived from these futures (by {@code thenApply} and the
 * like, or {@code allOf}) are not seen, nor are longer cycles through asynchronous tasks, locks or queues.
 */
public final class SelfWaitException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    SelfWaitException(String message) {
        super(message);
    }
}
