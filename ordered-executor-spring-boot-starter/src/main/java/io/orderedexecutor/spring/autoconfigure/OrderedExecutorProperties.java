package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.Settings.FailureChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.OverflowChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.Retry;
import io.orderedexecutor.spring.autoconfigure.Settings.Turn;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties. The settings of a named executor are read as {@link Settings}, whatever its kind; its type here says
 * which settings that kind has.
 *
 * @param enabled Whether to configure executors, @OrderedAsync, their meters and their endpoint. Otherwise, annotated
 *     methods run on the calling thread, unordered.
 * @param defaults Settings of all executors that do not have their own.
 * @param striped Striped executors by bean name. 'stripedExecutor' always exists.
 * @param grouped Grouped executors by bean name. 'groupedExecutor' always exists.
 * @param orderedOutput Ordered output executors by bean name. 'orderedOutputExecutor' always exists.
 * @param metrics Meters.
 * @param observations Observations.
 * @param transactions Tasks of transactions.
 * @param collect Calls that are joined while they wait.
 */
@ConfigurationProperties(OrderedExecutorProperties.PREFIX)
record OrderedExecutorProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue @NestedConfigurationProperty Settings defaults,
        @DefaultValue Map<String, StripedSettings> striped,
        @DefaultValue Map<String, GroupedSettings> grouped,
        @DefaultValue Map<String, OrderedOutputSettings> orderedOutput,
        @DefaultValue Metrics metrics,
        @DefaultValue Observations observations,
        @DefaultValue Transactions transactions,
        @DefaultValue Collect collect) {
    static final String PREFIX = "ordered-executor";
    static final String DEFAULTS = PREFIX + ".defaults";
    static final String UNKNOWN_OUTCOME = PREFIX + ".transactions.unknown-outcome";
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

    /**
     * Tasks of transactions.
     *
     * @param unknownOutcome What to do with the tasks of a transaction if it is not known whether it has committed.
     */
    record Transactions(@DefaultValue("skip") UnknownOutcomeChoice unknownOutcome) {}

    /**
     * Defaults of annotated methods with 'whenBusy = COLLECT'.
     *
     * @param maxBatch Maximum number of elements that calls have together when they are joined, from 1 to 1,000,000.
     * @param linger How long calls wait for more to join them when their turn has come, after the latest of them.
     * @param lingerLimit How long calls wait for more at most. Ten times the linger unless it is set.
     */
    record Collect(
            @DefaultValue("100") int maxBatch,
            @DefaultValue("0ms") Duration linger,
            @Nullable Duration lingerLimit) {}

    /** What to do if it is not known whether a transaction has committed. */
    enum UnknownOutcomeChoice {
        /** Its tasks do not run. */
        SKIP,
        /** They run. */
        RUN
    }

    /** Settings of a striped executor. */
    record StripedSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @Nullable Turn turn,
            @Nullable Integer capacity,
            @Nullable Integer stripeCapacity,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @Nullable FailureChoice failurePolicy,
            @Nullable Retry retry,
            @Nullable Boolean identityStripes,
            @Nullable Duration reservationLease,
            @Nullable Duration warnAfter) {}

    /** Settings of a grouped executor. */
    record GroupedSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @Nullable Turn turn,
            @Nullable Integer capacity,
            @Nullable Integer groupCapacity,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @Nullable FailureChoice failurePolicy,
            @Nullable Retry retry,
            @Nullable Duration reservationLease,
            @Nullable Duration warnAfter) {}

    /** Settings of an ordered output executor. */
    record OrderedOutputSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @Nullable Turn turn,
            @Nullable Integer capacity,
            @Nullable Integer window,
            @Nullable Integer concurrency,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @Nullable Retry retry,
            @Nullable Duration warnAfter) {}
}
