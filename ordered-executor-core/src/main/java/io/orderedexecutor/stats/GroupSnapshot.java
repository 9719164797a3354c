package io.orderedexecutor.stats;

import io.orderedexecutor.GroupedExecutor;

/**
 * One group of a {@link GroupedExecutor} at one moment.
 *
 * @param group the group, as the submission that opened it gave it; a {@link io.orderedexecutor.GroupPath} if it is in
 *     another one
 * @param queued how many tasks of it, or of a group within it, are accepted and not started
 * @param active how many of them are running, or are asynchronous and not complete
 * @param paused whether it is paused
 */
public record GroupSnapshot(Object group, long queued, long active, boolean paused) {}
