package io.orderedexecutor.stats;

import io.orderedexecutor.StripedExecutor;

/**
 * One stripe of a {@link StripedExecutor} at one moment.
 *
 * @param stripe the stripe, as the submission that opened it gave it
 * @param queued how many of its tasks are accepted and not started
 * @param active whether one of its tasks is running, or is asynchronous and not complete
 */
public record StripeSnapshot(Object stripe, long queued, boolean active) {}
