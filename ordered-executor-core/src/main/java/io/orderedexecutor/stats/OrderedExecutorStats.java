package io.orderedexecutor.stats;

import io.orderedexecutor.ExecutorInspection;
import io.orderedexecutor.Reservation;

/**
 * Statistics of an ordered executor. A task of an ordered output executor is a piece: queued until its work starts,
 * active until its result is written, and then completed.
 *
 * @param keys how many stripes, groups or outputs have queued or active tasks; in a striped executor, paused stripes
 *     count, too, and a task without a stripe counts as one
 * @param queued how many tasks are {@linkplain io.orderedexecutor.stats queued}
 * @param deepest the largest number of them in one stripe, group or output; a task counts in each of its groups, and in
 *     the groups around them
 * @param parked how many of them have failed and wait to be resumed or skipped: as many as
 *     {@link ExecutorInspection#parkedTasks} returns, where a batch is one
 * @param active how many tasks are running, or are asynchronous and not complete
 * @param completed how many tasks have ended normally since the executor was built. A task whose future the application
 *     completes counts as what that future says, whether or not it has started
 * @param failed how many tasks have ended with an exception or an error since then
 * @param cancelled how many accepted tasks have ended cancelled since then: their future was cancelled, even while they
 *     ran; they were dropped, replaced or returned by {@code shutdownNow}; or a shutdown cancelled them behind a parked
 *     task. A refused task was not accepted, and a {@link Reservation} is not a task: neither counts
 * @param rejected how many submissions were rejected since then: because there was no room, the executor was shut down
 *     or broken, the output was closed, or no thread was available
 */
public record OrderedExecutorStats(
        long keys,
        long queued,
        long deepest,
        long parked,
        long active,
        long completed,
        long failed,
        long cancelled,
        long rejected) {}
