package io.orderedexecutor.stats;

import io.orderedexecutor.GroupedExecutor;

/**
 * Statistics of a {@link GroupedExecutor} at one moment.
 *
 * @param groups how many groups have tasks, including those around others
 * @param queued how many tasks are accepted and not started
 * @param active how many tasks are running, or are asynchronous and not complete
 * @param completed how many tasks have ended normally
 * @param failed how many tasks have ended with an exception or an error
 * @param cancelled how many accepted tasks were cancelled before they started, or while their stage was not complete
 * @param rejected how many submissions were rejected
 */
public record GroupedExecutorStats(
        long groups, long queued, long active, long completed, long failed, long cancelled, long rejected)
        implements OrderedExecutorStats {}
