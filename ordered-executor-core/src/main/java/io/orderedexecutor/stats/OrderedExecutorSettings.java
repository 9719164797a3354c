package io.orderedexecutor.stats;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an ordered executor that are in force at one moment.
 *
 * @param threads how many threads of its own it has at most; null if it runs on another executor
 * @param turnTasks after how many tasks of a stripe a thread serves another one
 * @param turnTime after how much time it does
 * @param capacity how many tasks may be queued in all; null if there is no limit
 * @param keyCapacity how many tasks may be queued in each stripe or group; null if there is no limit
 * @param overflow what becomes of a submission for which there is no room
 * @param failurePolicy what becomes of a stripe, or of the groups of a task, when a task fails
 * @param listening whether it has a {@link TaskListener}, without which the ages of running tasks are not known
 */
public record OrderedExecutorSettings(
        @Nullable Integer threads,
        int turnTasks,
        Duration turnTime,
        @Nullable Integer capacity,
        @Nullable Integer keyCapacity,
        Overflow overflow,
        FailurePolicy failurePolicy,
        boolean listening) {}
