package io.orderedexecutor;

import java.io.Serial;
import java.util.concurrent.CancellationException;

/**
 * The exception in the future of a task that was not accepted, because its stripe was busy and the task was submitted
 * with {@link WhenBusy#refuse()}. Such a future counts as cancelled.
 */
public final class TaskRefusedException extends CancellationException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message names the stripe
     */
    public TaskRefusedException(String message) {
        super(message);
    }
}
