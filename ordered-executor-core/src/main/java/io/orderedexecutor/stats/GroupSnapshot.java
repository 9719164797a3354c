package io.orderedexecutor.stats;

import io.orderedexecutor.GroupedExecutor;
import java.time.Duration;

/**
 * One group of a {@link GroupedExecutor} at one moment.
 *
 * @param group the group, as the submission that opened it gave it
 * @param queued how many tasks that have it, in whatever mode, are accepted and not started, including those that are
 *     still to come
 * @param reserved how many of the queued ones are places that are {@linkplain GroupedExecutor#reserve reserved} for a
 *     task that is still to come
 * @param reservedAge time since the oldest of these places was reserved; zero if there is none
 * @param active how many of them are running, or are asynchronous and not complete
 * @param paused whether it is paused
 */
public record GroupSnapshot(
        Object group, long queued, long reserved, Duration reservedAge, long active, boolean paused) {}
