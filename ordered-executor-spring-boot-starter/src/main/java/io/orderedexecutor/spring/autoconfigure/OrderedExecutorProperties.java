package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.Settings.FailureChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.OverflowChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.Retry;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties. The settings of executors of all kinds are read as {@link Settings}; the types here define which
 * settings each kind has.
 *
 * @param enabled Whether to configure executors, @OrderedAsync, their meters and their endpoint. Otherwise, annotated
 *     methods run on the calling thread, unordered, and a warning at start-up says how many there are.
 * @param threads Maximum number of threads. Defaults to the number of processors; with virtual threads enabled, no
 *     maximum: one for each busy key.
 * @param executor Name of the java.util.concurrent.Executor bean whose threads to use instead of its own.
 * @param capacity Maximum number of queued tasks, from 1 to 1000000000. Unlimited by default.
 * @param keyCapacity Maximum number of queued tasks of each key, from 1 to 1000000000. Unlimited by default.
 * @param overflow What to do with a call when the executor, or the key of the call, is full.
 * @param overflowTimeout Maximum time for which a call waits for room, in milliseconds unless it has a unit. Required
 *     by 'block'.
 * @param failurePolicy What to do with the keys of a task after its last attempt has failed.
 * @param retry Retries of tasks that fail.
 * @param warnAfter Warns once about a task that runs longer than this, or that is next and has waited longer, in
 *     milliseconds unless it has a unit. The warning says what the task waits for. Costs throughput. 0 disables it.
 * @param striped Further executors for tasks with one key, by bean name.
 * @param grouped Further executors for tasks with several keys, by bean name.
 * @param orderedOutput Ordered output executors by bean name. 'orderedOutputExecutor' needs no settings.
 * @param metrics Meters.
 * @param observations Observations.
 */
@ConfigurationProperties(OrderedExecutorProperties.PREFIX)
record OrderedExecutorProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable Integer threads,
        @Nullable String executor,
        @Nullable Integer capacity,
        @Nullable Integer keyCapacity,
        @Nullable OverflowChoice overflow,
        @Nullable Duration overflowTimeout,
        @Nullable FailureChoice failurePolicy,
        @DefaultValue @NestedConfigurationProperty Retry retry,
        @Nullable Duration warnAfter,
        @DefaultValue Map<String, KeyedSettings> striped,
        @DefaultValue Map<String, KeyedSettings> grouped,
        @DefaultValue Map<String, OrderedOutputSettings> orderedOutput,
        @DefaultValue Metrics metrics,
        @DefaultValue Observations observations) {
    static final String PREFIX = "ordered-executor";
    static final String TASK_TIMERS = PREFIX + ".metrics.task-timers";

    /**
     * Meters.
     *
     * @param taskTimers Whether to time each task of the auto-configured executors. Costs throughput.
     */
    record Metrics(@DefaultValue("false") boolean taskTimers) {}

    /**
     * Observations.
     *
     * @param enabled Whether to observe each call of an annotated method, for traces and timers. Costs throughput.
     */
    record Observations(@DefaultValue("false") boolean enabled) {}

    /** Settings of a striped or a grouped executor. */
    record KeyedSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @Nullable Integer capacity,
            @Nullable Integer keyCapacity,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @Nullable FailureChoice failurePolicy,
            @Nullable Retry retry,
            @Nullable Duration warnAfter) {}

    /** Settings of an ordered output executor. */
    record OrderedOutputSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @Nullable Integer capacity,
            @Nullable Integer window,
            @Nullable Integer concurrency,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @Nullable Retry retry,
            @Nullable Duration warnAfter) {}
}
