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
     * @param stats its statistics
     */
    record ExecutorSummary(String type, String state, OrderedExecutorStats stats) {}

    /**
     * One striped or grouped executor.
     *
     * @param name the name of the bean; {@code ordered-executor} for the one whose beans are {@code groupedExecutor}
     *     and {@code stripedExecutor}
     * @param type {@code striped} or {@code grouped}
     * @param state {@code running}, {@code paused}, {@code shut-down} or {@code terminated}
     * @param settings the settings in force
     * @param methods the annotated methods that it keeps in order, as class, name and parameters; left out if there are
     *     none
     * @param stats its statistics
     * @param reserved how many of the queued tasks are reserved places, for tasks that are still to come
     * @param oldestReservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is
     *     none
     * @param rejections how many submissions were rejected, by reason
     * @param whenBusy statistics of submissions whose key was busy
     * @param oldestQueuedAge how long the oldest queued task has been queued, in milliseconds; null if the executor
     *     does not time its tasks
     * @param deepestKeys the keys with the most queued tasks, deepest first
     * @param runningTasks the running tasks, the oldest first
     * @param parkedTasks the tasks that have failed and hold their keys
     * @param queuedTasks the tasks that were submitted first, with the tasks that they wait for
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
     * @param stats its statistics
     * @param rejections how many submissions were rejected, by reason
     * @param oldestQueuedAge how long the oldest queued task has been queued, in milliseconds; null if the executor
     *     does not time its tasks
     * @param oldestOutputs the outputs that have waited longest for their next piece
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
     * The settings of an executor. Settings that the endpoint can change have the names of its parameters.
     *
     * @param threads the maximum number of its own threads; null if it runs on another executor
     * @param turnTasks the maximum number of tasks of one key that a thread runs before it serves another key
     * @param turnTime the maximum time for which a thread serves one key before it serves another key
     * @param capacity how many tasks may be queued in all; null if there is no limit
     * @param keyCapacity how many tasks may be queued in each key; null if there is no limit
     * @param overflow {@code reject}, {@code block} or {@code discard-oldest}
     * @param overflowTimeout how long a submission waits for room at most; null if submissions do not wait, or have no
     *     limit
     * @param failurePolicy {@code proceed} or {@code park}
     * @param retry how failed tasks are retried; null if they are not retried
     * @param reservationLease how long a reserved place may hold up the tasks behind it; null if there is no limit
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
     * How failed tasks are retried.
     *
     * @param maxRetries the maximum number of times that a failed task is run again
     * @param delay the time before the first retry, in milliseconds
     * @param multiplier how much longer each delay is than the one before
     * @param maxDelay the longest delay, in milliseconds; null if there is no limit
     * @param jitter the maximum by which a delay is made shorter or longer, in milliseconds
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
     * A key. A key that is shown alone also has its tasks and an explanation. Its tasks are those with the key, a key
     * below it or a key above it, and barriers.
     *
     * @param key the key as text, a path with slashes between its elements
     * @param queued how many tasks with the key, or with a key below it, have not started
     * @param reserved how many of them are reserved places, for tasks that are still to come
     * @param oldestReservedAge how long the oldest of these places has been reserved, in milliseconds; null if there is
     *     none
     * @param active how many tasks with the key run, or have a stage that is not complete; more than one only if they
     *     share the key
     * @param paused whether this key, and not only its executor, is paused
     * @param parked whether a task with the key is parked: has failed and holds its keys
     * @param runningTasks the running tasks, the oldest first
     * @param parkedTasks the tasks that have failed and hold the key
     * @param queuedTasks the tasks that were submitted first, with the tasks that they wait for
     * @param explanation why it waits
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record KeyDescriptor(
            String key,
            long queued,
            long reserved,
            @Nullable Duration oldestReservedAge,
            long active,
            boolean paused,
            boolean parked,
            @Nullable List<RunningTaskDescriptor> runningTasks,
            @Nullable List<ParkedTaskDescriptor> parkedTasks,
            @Nullable List<QueuedTaskDescriptor> queuedTasks,
            @Nullable ExplanationDescriptor explanation)
            implements AnyKeyDescriptor {}

    /**
     * An ordered output. An output that is shown alone also has its running pieces and an explanation.
     *
     * @param output its name
     * @param window how many of its pieces may be open at once
     * @param open how many of its pieces are open: accepted, and neither written nor left out
     * @param done how many of its pieces were written or left out
     * @param oldestAge how long ago the oldest open piece was accepted, in milliseconds
     * @param runningTasks its pieces that are worked on, wait for their turn, or are being written, the oldest first
     * @param explanation why its next piece is not written; null if all of its pieces wait for a thread
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OutputDescriptor(
            String output,
            int window,
            long open,
            long done,
            Duration oldestAge,
            @Nullable List<RunningTaskDescriptor> runningTasks,
            @Nullable ExplanationDescriptor explanation)
            implements AnyKeyDescriptor {}

    /**
     * A task that runs, or whose stage is not complete.
     *
     * @param key its key, or its keys as one text; null if it has none
     * @param output its output, if its executor is an ordered output executor; otherwise null
     * @param thread the name of the thread; null if only its stage is not complete, which occupies no thread
     * @param age how long it has been running, in milliseconds; null if the executor does not time its tasks
     * @param task the task as text; null if the executor does not time its tasks
     * @param stack the stack of the thread, the innermost call first; null unless the request asks for it
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
     * @param queued how many tasks of its key wait, itself included; if it has several keys, the number for the key
     *     with the most
     * @param age time since it was parked
     * @param task what was submitted
     * @param attempts how often it has failed since it was submitted, or resumed for the last time
     * @param failure its exception
     */
    record ParkedTaskDescriptor(
            String key, long queued, Duration age, String task, int attempts, FailureDescriptor failure) {}

    /**
     * A task that has not started.
     *
     * @param key its key, or its keys as one text
     * @param waitsFor the key or keys of each task directly before this one that has to end first
     */
    record QueuedTaskDescriptor(String key, List<String> waitsFor) {}

    /**
     * A failure.
     *
     * @param type the class of the exception
     * @param message its message; null if it has none
     * @param stack its stack and those of its causes; null unless the request asks for it
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record FailureDescriptor(
            String type, @Nullable String message, @Nullable List<String> stack) {}

    /**
     * Why a key waits; see {@link io.orderedexecutor.stats.Explanation}.
     *
     * @param text a sentence
     * @param causes the chain of causes: the first cause shows why the first waiting task of the key waits, and each
     *     further cause is the reason for the one before
     */
    record ExplanationDescriptor(String text, List<CauseDescriptor> causes) {}

    /**
     * One cause of a wait, or what runs there. Components that do not apply to its verdict are null.
     *
     * @param verdict {@code running}, {@code incomplete}, {@code queued}, {@code no-thread}, {@code paused},
     *     {@code parked}, {@code retry-delay}, {@code reserved}, {@code awaiting-future}, {@code awaiting-lock},
     *     {@code no-room}, {@code window-full}, {@code concurrency-reached}, {@code lingering} or {@code idle}
     * @param executor the name of the executor
     * @param key the key, keys or output as text; null for the executor as a whole
     * @param task the task as text; null if it is not known
     * @param age how long it has been running or queued, in milliseconds; null if tasks are not timed
     * @param remaining how long until the next attempt, or until a batch runs, in milliseconds
     * @param thread the name of the thread that runs the task, has reserved the place, or holds the lock
     * @param at the line of code that this thread is at; null unless the request asks for stacks
     * @param lock the lock that is waited for; null unless the request asks for stacks
     * @param capacity the capacity of the full executor or key, or the size of the full window
     * @param failure the exception of the task
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
