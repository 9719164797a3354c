package io.orderedexecutor.stats;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.WhenBusy;

/**
 * How a {@link StripedExecutor} has handled submissions to busy stripes: how many tasks were replaced, interrupted or
 * refused, and how items were collected, see {@link Batcher}.
 *
 * @param replaced how many queued tasks a later one has replaced; they are among the cancelled ones
 * @param interrupted how many tasks were cancelled because of a later one while they ran or waited for a retry
 * @param refused how many submissions were not accepted because of {@link WhenBusy#refuse()}
 * @param batches how many batches have started; one that is retried counts once
 * @param batchedItems how many items were in these batches
 */
public record WhenBusyStats(long replaced, long interrupted, long refused, long batches, long batchedItems) {}
