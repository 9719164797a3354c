package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * A task that knows its stripe, for {@link StripedExecutor#asExecutorService()}.
 *
 * <p>The idea, and the names of this type and its two companions, are those of Heinz Kabutz's
 * {@code StripedExecutorService} (The Java Specialists' Newsletter 206), so that code for that service can be reused.
 */
public interface StripedObject {

    /**
     * Returns the stripe of this task. Called once for each submission, on the submitting thread, before the task is
     * accepted; the submitter gets its exceptions.
     *
     * @return the stripe, or null for a task without an order
     */
    @Nullable
    Object getStripe();
}
