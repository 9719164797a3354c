package io.orderedexecutor;

import org.jspecify.annotations.Nullable;

/**
 * A task that knows its stripe, for {@link StripedExecutor#asExecutorService()}.
 *
 * <p>The idea, and the names of this type and its two companions, are those of Heinz Kabutz's striped executor service
 * (The Java Specialists' Newsletter 206), so that code written for it moves over.
 */
public interface StripedObject {

    /**
     * Returns the stripe of this task. Called once for each submission, on the submitting thread, before the task is
     * accepted; what it throws reaches the submitter.
     *
     * @return the stripe, or null for a task that is in no order with any other
     */
    @Nullable
    Object getStripe();
}
