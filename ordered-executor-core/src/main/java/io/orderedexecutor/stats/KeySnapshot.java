package io.orderedexecutor.stats;

import io.orderedexecutor.ExecutorInspection;
import io.orderedexecutor.StripedSubmitter;
import java.time.Duration;

/**
 * One key of an ordered executor at one moment: a stripe, a group or an output.
 *
 * @param key the key, as the submission that opened it gave it
 * @param queued how many {@linkplain io.orderedexecutor.stats queued} tasks have it, in whatever mode
 * @param reserved how many of the queued ones are places that are {@linkplain StripedSubmitter#reserve reserved}
 * @param oldestReservedAge time since the oldest of these places was reserved; zero if there is none
 * @param active how many tasks that have it are running, or are asynchronous and not complete; more than one only if
 *     they share it, or if it is an output
 * @param paused whether it is paused
 * @param parked whether a task that has it is parked: see {@link ExecutorInspection#parkedTasks()}
 */
public record KeySnapshot(
        Object key,
        long queued,
        long reserved,
        Duration oldestReservedAge,
        long active,
        boolean paused,
        boolean parked) {}
