package io.orderedexecutor.stats;

import io.orderedexecutor.OrderedOutputExecutor;

/**
 * Statistics of an {@link OrderedOutputExecutor}.
 *
 * @param outputs how many outputs have queued or active pieces
 * @param queued how many pieces are accepted and not started
 * @param active how many pieces are worked on, or wait for their turn, or are being written
 * @param completed how many pieces were written
 * @param failed how many pieces have failed, in their work or in their output
 * @param cancelled how many accepted pieces were cancelled before they were written
 * @param rejected how many submissions were rejected
 */
public record OrderedOutputExecutorStats(
        long outputs, long queued, long active, long completed, long failed, long cancelled, long rejected)
        implements OrderedExecutorStats {}
