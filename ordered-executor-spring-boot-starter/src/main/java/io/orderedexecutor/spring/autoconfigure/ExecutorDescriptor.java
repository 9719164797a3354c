package io.orderedexecutor.spring.autoconfigure;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One executor, as the endpoint shows it, and the parts of this description. The names of the components are those of
 * the JSON, in which null components are left out. Keys, tasks, messages and stacks are {@code ******} if the endpoint
 * does not show values. These types are not public: Java code uses the {@code inspect()} of an executor.
 */
sealed interface ExecutorDescriptor {

    /**
     * One of all executors.
     *
     * @param type {@code striped}, {@code grouped} or {@code ordered-output}
     * @param state {@code running}, {@code paused}, {@code shut-down} or {@code terminated}
     * @param parked how many tasks are parked
     * @param stats its figures
     */
    record ExecutorSummary(String type, String state, int parked, OrderedExecutorStats stats) {}

    /**
     * One striped or grouped executor.
     *
     * @param name the name of the bean; {@code ordered-executor} for the one whose beans are {@code groupedExecutor}
     *     and {@code stripedExecutor}
     * @param type {@code striped} or {@code grouped}
     * @param state {@code running}, {@code paused}, {@code shut-down} or {@code terminated}
     * @param settings the settings in force
     * @param methods the annotated methods that it keeps in order, as class, name and parameters; empty ones are left
     *     out
     * @param stats its figures
     * @param reserved how many of the queued tasks are reserved places, for tasks that are still to come
     * @param oldestReservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is
     *     none
     * @param rejections how many submissions were rejected, by reason
     * @param whenBusy what submissions have done because their key was busy
     * @param oldestQueuedAge how long the oldest queued task has been queued, in milliseconds; null if the executor
     *     does not time its tasks
     * @param deepestKeys the keys with the most queued tasks, deepest first
     * @param runningTasks what runs, the oldest first
     * @param parkedTasks the tasks that have failed and hold their keys
     * @param queuedTasks the tasks that were submitted first, and what they wait for
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record KeyedExecutorDescriptor(
            String name,
            String type,
            String state,
            SettingsDescriptor settings,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> methods,
            OrderedExecutorStats stats,
            long reserved,
            @Nullable Duration oldestReservedAge,
            Rejections rejections,
            WhenBusyStats whenBusy,
            @Nullable Duration oldestQueuedAge,
            List<KeyDescriptor> deepestKeys,
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
            OrderedExecutorStats stats,
            Rejections rejections,
            @Nullable Duration oldestQueuedAge,
            List<OutputDescriptor> oldestOutputs,
            List<RunningTaskDescriptor> runningTasks)
            implements ExecutorDescriptor {}

    /**
     * The state of an executor after a change.
     *
     * @param state {@code running} or {@code paused}
     * @param settings the settings in force
     */
    record ChangedExecutorDescriptor(String state, SettingsDescriptor settings) {}

    /**
     * The settings of an executor. Those that can be changed by the endpoint have the names of its parameters.
     *
     * @param threads how many threads of its own it has at most; null if it runs on another executor
     * @param turnTasks after how many tasks of a key a thread serves another one
     * @param turnTime after how much time it does
     * @param capacity how many tasks may be queued in all; null if there is no limit
     * @param keyCapacity how many tasks may be queued in each key; null if there is no limit
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
     * @param maxRetries how often a failed task is run again at most
     * @param delay the time before the first retry, in milliseconds
     * @param multiplier how much longer each delay is than the one before
     * @param maxDelay the longest delay, in milliseconds; null if there is no limit
     * @param jitter by how much a delay is made shorter or longer at most, in milliseconds
     */
    record RetryDescriptor(
            long maxRetries,
            Duration delay,
            double multiplier,
            @Nullable Duration maxDelay,
            Duration jitter) {
        static RetryDescriptor of(FailurePolicy.Retry retry) {
            boolean isLimited = retry.maxDelay().compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0;
            return new RetryDescriptor(
                    retry.maxRetries(),
                    retry.delay(),
                    retry.multiplier(),
                    isLimited ? retry.maxDelay() : null,
                    retry.jitter());
        }
    }

    /** One key or output. */
    sealed interface AnyKeyDescriptor {}

    /**
     * A key; and what holds it up, unless it is one of many. Its tasks are those that have the key, one below it, one
     * that it is within, or all.
     *
     * @param key the key as text, a path with slashes between its elements
     * @param queued how many tasks that have it, or a key below it, have not started
     * @param reserved how many of them are reserved places, for tasks that are still to come
     * @param reservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is none
     * @param active how many of them run, or their stage is not complete; more than one only if they share it
     * @param paused whether it is paused by itself
     * @param runningTasks what runs, the oldest first
     * @param parkedTasks what has failed and holds it
     * @param queuedTasks what was submitted first, and what it waits for
     * @param explanation why it waits
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record KeyDescriptor(
            String key,
            long queued,
            long reserved,
            @Nullable Duration reservedAge,
            long active,
            boolean paused,
            @Nullable List<RunningTaskDescriptor> runningTasks,
            @Nullable List<ParkedTaskDescriptor> parkedTasks,
            @Nullable List<QueuedTaskDescriptor> queuedTasks,
            @Nullable ExplanationDescriptor explanation)
            implements AnyKeyDescriptor {}

    /**
     * An ordered output; and what holds it up, unless it is one of many.
     *
     * @param output its name
     * @param window how many of its pieces may be open at once
     * @param open how many are: accepted, and neither written nor left out
     * @param done how many were written or left out
     * @param ageOfHead how long ago the oldest open piece was accepted, in milliseconds
     * @param runningTasks its pieces that are worked on, wait for their turn, or are being written, the oldest first
     * @param explanation why its next piece is not written; null if all of its pieces wait for a thread
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OutputDescriptor(
            String output,
            int window,
            long open,
            long done,
            Duration ageOfHead,
            @Nullable List<RunningTaskDescriptor> runningTasks,
            @Nullable ExplanationDescriptor explanation)
            implements AnyKeyDescriptor {}

    /**
     * A task that runs, or whose stage is not complete.
     *
     * @param key its key, or its keys as one text; null if it has none
     * @param output its output, of an ordered output executor; null of others
     * @param thread the name of the thread; null if its stage is waited for, which needs none
     * @param age how long it has been running, in milliseconds; null if the executor does not time its tasks
     * @param task the task as text; null if the executor does not time its tasks
     * @param stack what the thread is at, the innermost call first; null unless it was asked for
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record RunningTaskDescriptor(
            @Nullable String key,
            @Nullable String output,
            @Nullable String thread,
            @Nullable Duration age,
            @Nullable String task,
            @Nullable List<String> stack) {}

    /**
     * A task that has failed and holds its keys.
     *
     * @param key its key, or its keys as one text
     * @param queued how many tasks wait, itself included; of several keys, in the one where most do
     * @param failure what it has thrown
     */
    record ParkedTaskDescriptor(String key, long queued, FailureDescriptor failure) {}

    /**
     * A task that has not started.
     *
     * @param key its key, or its keys as one text
     * @param waitsFor the same of each task that has to end first, of those that are directly before it
     */
    record QueuedTaskDescriptor(String key, List<String> waitsFor) {}

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
     *     {@code parked}, {@code retry-delay}, {@code reserved}, {@code awaiting-future}, {@code awaiting-lock},
     *     {@code no-room}, {@code window-full}, {@code concurrency-reached}, {@code lingering} or {@code idle}
     * @param executor the name of the executor
     * @param key the key, keys or output as text; null for the executor as a whole
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
}
