package io.orderedexecutor.stats;

import io.orderedexecutor.StripedExecutor;

/**
 * A stripe of a {@link StripedExecutor} that stopped after a failure and waits for
 * {@link StripedExecutor#resume(Object) resume} or {@link StripedExecutor#skip skip}.
 *
 * @param stripe the stripe
 * @param queued how many of its tasks wait, including the failed one
 * @param failure what the failed task threw
 */
public record ParkedStripe(Object stripe, long queued, Throwable failure) {}
