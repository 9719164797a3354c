package io.orderedexecutor.stats;

import io.orderedexecutor.StripedExecutor;
import java.time.Duration;

/**
 * One stripe of a {@link StripedExecutor} at one moment.
 *
 * @param stripe the stripe, as the submission that opened it gave it
 * @param queued how many of its tasks are accepted and not started, including those that are still to come
 * @param reserved how many of the queued ones are places that are {@linkplain StripedExecutor#reserve reserved} for a
 *     task that is still to come
 * @param reservedAge time since the oldest of these places was reserved; zero if there is none
 * @param active whether one of its tasks is running, or is asynchronous and not complete
 */
public record StripeSnapshot(Object stripe, long queued, long reserved, Duration reservedAge, boolean active) {}
