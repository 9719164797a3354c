package io.orderedexecutor.stats;

import io.orderedexecutor.StripedExecutor;

/**
 * Statistics of a {@link StripedExecutor}.
 *
 * @param stripes how many stripes have queued or active tasks, or are paused; a task without a stripe counts as one
 * @param queued how many tasks are accepted and not started
 * @param active how many tasks are running, or are asynchronous and not complete
 * @param completed how many tasks have ended normally
 * @param failed how many tasks have ended with an exception or an error
 * @param cancelled how many accepted tasks were cancelled before they started, or while their stage was not complete
 * @param rejected how many submissions were rejected
 */
public record StripedExecutorStats(
        long stripes, long queued, long active, long completed, long failed, long cancelled, long rejected)
        implements OrderedExecutorStats {}
