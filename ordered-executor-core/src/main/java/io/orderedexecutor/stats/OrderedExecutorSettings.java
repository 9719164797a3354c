package io.orderedexecutor.stats;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an ordered executor at one moment.
 *
 * @param threads maximum number of its own threads; null if it runs on another executor
 * @param turnTasks number of tasks after which a thread serves another waiting stripe; {@link Integer#MAX_VALUE} after
 *     {@link io.orderedexecutor.StripedExecutorBuilder#turnUntilEmpty()}
 * @param turnTime time after which a thread serves another waiting stripe; 292 years after {@code turnUntilEmpty}
 * @param capacity how many tasks may be queued in all; null if there is no limit
 * @param keyCapacity how many tasks may be queued in each stripe or group; for an {@link OrderedOutputExecutor}, the
 *     default window of its outputs; null if there is no limit
 * @param overflow what happens to a submission for which there is no room
 * @param failurePolicy what happens to a stripe, or to the groups of a task, when a task fails
 * @param identityStripes whether stripes are compared by identity instead of {@code equals}; false for a
 *     {@link GroupedExecutor} and its stripes, true for an {@link OrderedOutputExecutor}, whose keys are its outputs
 * @param reservationLease how long a reserved place may hold up the places behind it; null if there is no limit
 * @param listening whether it has a {@link TaskListener}; without one, the ages of running tasks are not known
 */
public record OrderedExecutorSettings(
        @Nullable Integer threads,
        int turnTasks,
        Duration turnTime,
        @Nullable Integer capacity,
        @Nullable Integer keyCapacity,
        Overflow overflow,
        FailurePolicy failurePolicy,
        boolean identityStripes,
        @Nullable Duration reservationLease,
        boolean listening) {}
