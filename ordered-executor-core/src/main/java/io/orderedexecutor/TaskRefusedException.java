package io.orderedexecutor;

import java.io.Serial;
import java.util.concurrent.CancellationException;

/**
 * What the future of a task fails with that was not accepted, because its stripe was busy and it was submitted with
 * {@link WhenBusy#refuse()}. Such a future is cancelled.
 */
public final class TaskRefusedException extends CancellationException {
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param message names the stripe
     */
    public TaskRefusedException(String message) {
        super(message);
    }
}
