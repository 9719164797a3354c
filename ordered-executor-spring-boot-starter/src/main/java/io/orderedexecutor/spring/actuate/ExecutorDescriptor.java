package io.orderedexecutor.spring.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.orderedexecutor.stats.GroupedExecutorStats;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.OrderedOutputExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.StripedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One executor, as the endpoint shows it, and what it consists of. The names of the components are those of the JSON;
 * what is null is left out there. Keys, tasks, messages and stacks are {@code ******} where the endpoint is not to show
 * values.
 */
public sealed interface ExecutorDescriptor {

    /**
     * One of all executors.
     *
     * @param type {@code striped}, {@code grouped} or {@code ordered-output}
     * @param state {@code running}, {@code paused}, {@code shut-down} or {@code terminated}
     * @param parked how many stripes, or tasks with groups, are parked
     * @param stats its figures
     */
    record ExecutorSummary(String type, String state, int parked, OrderedExecutorStats stats) {}

    /**
     * One striped executor.
     *
     * @param name the name of the bean
     * @param type {@code striped}
     * @param state {@code running}, {@code paused}, {@code shut-down} or {@code terminated}
     * @param settings the settings in force
     * @param stats its figures
     * @param reserved how many of the queued tasks are reserved places, for tasks that are still to come
     * @param oldestReservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is
     *     none
     * @param rejections how many submissions were rejected, by reason
     * @param whenBusy what submissions have done because their stripe was busy
     * @param oldestQueuedAge how long the oldest queued task has been queued, in milliseconds; null if the executor
     *     does not time its tasks
     * @param deepestStripes the stripes with the most queued tasks, deepest first
     * @param runningTasks what runs, the oldest first
     * @param parkedStripes the stripes that have stopped after a failure
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record StripedExecutorDescriptor(
            String name,
            String type,
            String state,
            SettingsDescriptor settings,
            StripedExecutorStats stats,
            long reserved,
            @Nullable Duration oldestReservedAge,
            Rejections rejections,
            WhenBusyStats whenBusy,
            @Nullable Duration oldestQueuedAge,
            List<StripeDescriptor> deepestStripes,
            List<RunningTaskDescriptor> runningTasks,
            List<ParkedStripeDescriptor> parkedStripes)
            implements ExecutorDescriptor {}

    /**
     * One grouped executor.
     *
     * @param name the name of the bean
     * @param type {@code grouped}
     * @param state {@code running}, {@code paused}, {@code shut-down} or {@code terminated}
     * @param settings the settings in force
     * @param stats its figures
     * @param reserved how many of the queued tasks are reserved places, for tasks that are still to come
     * @param oldestReservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is
     *     none
     * @param rejections how many submissions were rejected, by reason
     * @param oldestQueuedAge how long the oldest queued task has been queued, in milliseconds; null if the executor
     *     does not time its tasks
     * @param deepestGroups the groups with the most queued tasks, deepest first
     * @param runningTasks what runs, the oldest first
     * @param parkedTasks the tasks that have failed and hold their groups
     * @param queuedTasks the tasks that were submitted first, and what they wait for
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record GroupedExecutorDescriptor(
            String name,
            String type,
            String state,
            SettingsDescriptor settings,
            GroupedExecutorStats stats,
            long reserved,
            @Nullable Duration oldestReservedAge,
            Rejections rejections,
            @Nullable Duration oldestQueuedAge,
            List<GroupDescriptor> deepestGroups,
            List<RunningTaskDescriptor> runningTasks,
            List<ParkedTaskDescriptor> parkedTasks,
            List<QueuedTaskDescriptor> queuedTasks)
            implements ExecutorDescriptor {}

    /**
     * One ordered output executor.
     *
     * @param name the name of the bean
     * @param type {@code ordered-output}
     * @param state {@code running}, {@code paused}, {@code shut-down} or {@code terminated}
     * @param settings the settings in force; the capacity of a key is the window of outputs that do not set their own
     * @param stats its figures
     * @param rejections how many submissions were rejected, by reason
     * @param oldestQueuedAge how long the oldest queued task has been queued, in milliseconds; null if the executor
     *     does not time its tasks
     * @param oldestOutputs the outputs whose next piece has been waited for longest
     * @param runningTasks the pieces that are worked on, wait for their turn, or are being written, the oldest first
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OrderedOutputExecutorDescriptor(
            String name,
            String type,
            String state,
            SettingsDescriptor settings,
            OrderedOutputExecutorStats stats,
            Rejections rejections,
            @Nullable Duration oldestQueuedAge,
            List<OutputDescriptor> oldestOutputs,
            List<RunningTaskDescriptor> runningTasks)
            implements ExecutorDescriptor {}

    /**
     * What a change has made of an executor.
     *
     * @param state {@code running} or {@code paused}
     * @param settings the settings in force
     */
    record ChangedExecutorDescriptor(String state, SettingsDescriptor settings) {}

    /**
     * The settings of an executor. Those that can be changed by the endpoint have the names of its parameters.
     *
     * @param threads how many threads of its own it has at most; null if it runs on another executor
     * @param turnTasks after how many tasks of a stripe a thread serves another one
     * @param turnTime after how much time it does
     * @param capacity how many tasks may be queued in all; null if there is no limit
     * @param keyCapacity how many tasks may be queued in each stripe or group; null if there is no limit
     * @param overflow {@code reject}, {@code block} or {@code discard-oldest}
     * @param overflowTimeout how long a submission waits at most; null unless it does
     * @param failurePolicy {@code proceed} or {@code park}
     * @param retry how tasks that fail are retried; null if they are not
     * @param reservationLease how long a reserved place may hold up what is behind it; null if there is no limit
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record SettingsDescriptor(
            @Nullable Integer threads,
            int turnTasks,
            Duration turnTime,
            @Nullable Integer capacity,
            @Nullable Integer keyCapacity,
            String overflow,
            @Nullable Duration overflowTimeout,
            String failurePolicy,
            @Nullable RetryDescriptor retry,
            @Nullable Duration reservationLease) {}

    /**
     * How tasks that fail are retried.
     *
     * @param attempts how often a task is run at most, the first time included
     * @param backoff the pause before the first retry
     * @param ceiling the longest pause
     */
    record RetryDescriptor(int attempts, Duration backoff, Duration ceiling) {}

    /**
     * A stripe.
     *
     * @param stripe the key as text
     * @param queued how many of its tasks have not started
     * @param reserved how many of them are reserved places, for tasks that are still to come
     * @param reservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is none
     * @param active whether one of its tasks runs, or its stage is not complete
     * @param paused whether it is paused by itself
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record StripeDescriptor(
            String stripe,
            long queued,
            long reserved,
            @Nullable Duration reservedAge,
            boolean active,
            boolean paused) {}

    /**
     * A group.
     *
     * @param group the key as text, a path with slashes between its elements
     * @param queued how many tasks that have it, or a group below it, have not started
     * @param reserved how many of them are reserved places, for tasks that are still to come
     * @param reservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is none
     * @param active how many of them run, or their stage is not complete
     * @param paused whether it is paused by itself
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record GroupDescriptor(
            String group,
            long queued,
            long reserved,
            @Nullable Duration reservedAge,
            long active,
            boolean paused) {}

    /**
     * An ordered output.
     *
     * @param output its name
     * @param window how many of its pieces may be open at once
     * @param open how many are: accepted, and neither written nor left out
     * @param done how many were written or left out
     * @param ageOfHead how long ago the oldest open piece was accepted, in milliseconds
     */
    record OutputDescriptor(String output, int window, long open, long done, Duration ageOfHead) {}

    /**
     * A task that runs, or whose stage is not complete.
     *
     * @param stripe its stripe, of a striped executor; null if it has none
     * @param groups its groups, of a grouped executor; null if it has none
     * @param output its output, of an ordered output executor; null of others
     * @param thread the name of the thread; null if its stage is waited for, which needs none
     * @param age how long it has been running, in milliseconds; null if the executor does not time its tasks
     * @param task the task as text; null if the executor does not time its tasks
     * @param stack what the thread is at, the innermost call first; null unless it was asked for
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record RunningTaskDescriptor(
            @Nullable String stripe,
            @Nullable String groups,
            @Nullable String output,
            @Nullable String thread,
            @Nullable Duration age,
            @Nullable String task,
            @Nullable List<String> stack) {}

    /**
     * A stripe that has stopped after a failure.
     *
     * @param stripe the key as text
     * @param queued how many of its tasks wait, the failed one included
     * @param failure what the failed task has thrown
     */
    record ParkedStripeDescriptor(String stripe, long queued, FailureDescriptor failure) {}

    /**
     * A task that has failed and holds its groups.
     *
     * @param groups its groups as text
     * @param failure what it has thrown
     */
    record ParkedTaskDescriptor(String groups, FailureDescriptor failure) {}

    /**
     * A task that has not started.
     *
     * @param groups its groups as text
     * @param waitsFor the groups of each task that has to end first, of those that are directly before it
     */
    record QueuedTaskDescriptor(String groups, List<String> waitsFor) {}

    /**
     * A failure.
     *
     * @param type the class of what was thrown
     * @param message its message; null if it has none
     * @param stack its stack and those of its causes; null unless it was asked for
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record FailureDescriptor(
            String type, @Nullable String message, @Nullable List<String> stack) {}

    /**
     * Why a key waits; see {@link io.orderedexecutor.stats.Explanation}.
     *
     * @param text a sentence
     * @param causes the first is what the first waiting task of the key waits for, each other one the reason for the
     *     one before
     */
    record ExplanationDescriptor(String text, List<CauseDescriptor> causes) {}

    /**
     * One cause. What does not belong to its verdict is null.
     *
     * @param verdict {@code running}, {@code incomplete}, {@code queued}, {@code no-thread}, {@code paused},
     *     {@code parked}, {@code retry-pause}, {@code reserved}, {@code awaiting-future}, {@code awaiting-lock},
     *     {@code no-room}, {@code window-full}, {@code concurrency-reached}, {@code lingering} or {@code idle}
     * @param executor the name of the executor
     * @param key the stripe, groups or output as text; null for the executor as a whole
     * @param task the task as text; null if it is not known
     * @param age how long it has been running or queued, in milliseconds; null if tasks are not timed
     * @param remaining how long until the next attempt, or until a batch runs, in milliseconds
     * @param thread the name of the thread that runs, has reserved, or has the lock
     * @param at the line that it is at; null unless stacks were asked for
     * @param lock what is waited for; null unless stacks were asked for
     * @param capacity of the executor or key that is full, or the window
     * @param failure what the task has thrown
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record CauseDescriptor(
            String verdict,
            String executor,
            @Nullable String key,
            @Nullable String task,
            @Nullable Duration age,
            @Nullable Duration remaining,
            @Nullable String thread,
            @Nullable String at,
            @Nullable String lock,
            @Nullable Integer capacity,
            @Nullable FailureDescriptor failure) {}

    /** One stripe, group or output. */
    sealed interface KeyDescriptor {}

    /**
     * One stripe and what holds it up.
     *
     * @param stripe the key as text
     * @param queued how many of its tasks have not started
     * @param reserved how many of them are reserved places, for tasks that are still to come
     * @param reservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is none
     * @param active whether one of its tasks runs, or its stage is not complete
     * @param paused whether it is paused by itself
     * @param runningTask what runs; null if nothing does
     * @param failure what it is parked with; null if it is not
     * @param explanation why it waits
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OneStripeDescriptor(
            String stripe,
            long queued,
            long reserved,
            @Nullable Duration reservedAge,
            boolean active,
            boolean paused,
            @Nullable RunningTaskDescriptor runningTask,
            @Nullable FailureDescriptor failure,
            ExplanationDescriptor explanation)
            implements KeyDescriptor {}

    /**
     * One group and what holds it up. Tasks are those that have the group, one below it, one that it is within, or all.
     *
     * @param group the key as text, a path with slashes between its elements
     * @param queued how many tasks that have it, or a group below it, have not started
     * @param reserved how many of them are reserved places, for tasks that are still to come
     * @param reservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is none
     * @param active how many of them run, or their stage is not complete
     * @param paused whether it is paused by itself
     * @param runningTasks what runs, the oldest first
     * @param parkedTasks what has failed and holds it
     * @param queuedTasks what was submitted first, and what it waits for
     * @param explanation why it waits
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OneGroupDescriptor(
            String group,
            long queued,
            long reserved,
            @Nullable Duration reservedAge,
            long active,
            boolean paused,
            List<RunningTaskDescriptor> runningTasks,
            List<ParkedTaskDescriptor> parkedTasks,
            List<QueuedTaskDescriptor> queuedTasks,
            ExplanationDescriptor explanation)
            implements KeyDescriptor {}

    /**
     * One output and what holds it up.
     *
     * @param output the output
     * @param runningTasks its pieces that are worked on, wait for their turn, or are being written, the oldest first
     * @param explanation why its next piece is not written; null if all of its pieces wait for a thread
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OneOutputDescriptor(
            OutputDescriptor output,
            List<RunningTaskDescriptor> runningTasks,
            @Nullable ExplanationDescriptor explanation)
            implements KeyDescriptor {}
}
