package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.Settings.FailureChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.OverflowChoice;
import io.orderedexecutor.spring.autoconfigure.Settings.Retry;
import io.orderedexecutor.spring.autoconfigure.Settings.Turn;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be configured.
 *
 * @param enabled Whether to configure executors, @OrderedAsync, their meters and their endpoint. If not, calls of
 *     annotated methods run on the threads of their callers, in no order.
 * @param defaults Settings of all executors, unless they have their own.
 * @param striped Striped executors by name. Each name is a bean of that name; 'stripedExecutor' is the one that is
 *     always there.
 * @param grouped Grouped executors by name. Each name is a bean of that name; 'groupedExecutor' is the one that is
 *     always there.
 * @param orderedOutput Ordered output executors by name. Each name is a bean of that name; 'orderedOutputExecutor' is
 *     the one that is always there.
 * @param metrics What is measured beyond what costs nothing.
 * @param observations What is observed.
 */
@ConfigurationProperties(OrderedExecutorProperties.PREFIX)
record OrderedExecutorProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue @NestedConfigurationProperty Settings defaults,
        @DefaultValue Map<String, StripedSettings> striped,
        @DefaultValue Map<String, GroupedSettings> grouped,
        @DefaultValue Map<String, OrderedOutputSettings> orderedOutput,
        @DefaultValue Metrics metrics,
        @DefaultValue Observations observations) {
    static final String PREFIX = "ordered-executor";

    /** The settings of an executor: its own and, where it has none, the defaults. */
    Settings settingsOf(ExecutorSection section, String name) {
        Settings own = section.of(this).get(name);
        Settings inherited = section == ExecutorSection.ORDERED_OUTPUT ? defaults.forOrderedOutput() : defaults;
        return own == null ? inherited : own.orElse(inherited);
    }

    /** The settings of the striped executors, as far as they have them. */
    Map<String, Settings> stripedSettings() {
        return mapped(striped, StripedSettings::asSettings);
    }

    /** The settings of the grouped executors, as far as they have them. */
    Map<String, Settings> groupedSettings() {
        return mapped(grouped, GroupedSettings::asSettings);
    }

    /** The settings of the ordered output executors, as far as they have them. */
    Map<String, Settings> orderedOutputSettings() {
        return mapped(orderedOutput, OrderedOutputSettings::asSettings);
    }

    private static <S> Map<String, Settings> mapped(Map<String, S> executors, Function<S, Settings> asSettings) {
        Map<String, Settings> settings = new LinkedHashMap<>();
        executors.forEach((name, own) -> {
            if (executors.keySet().stream().noneMatch(other -> isVariableOf(other, name))) {
                settings.put(name, asSettings.apply(own));
            }
        });
        return settings;
    }

    /**
     * Whether a name is how an environment variable has to write another one. They have the same settings, and are one
     * executor.
     */
    private static boolean isVariableOf(String name, String variable) {
        return !name.equals(variable)
                && name.replace("-", "").toLowerCase(Locale.ROOT).equals(variable);
    }

    /**
     * Meters.
     *
     * @param taskTimers Whether to time each task of the auto-configured executors: how long it is queued, and how long
     *     it runs. Costs throughput.
     */
    record Metrics(@DefaultValue("false") boolean taskTimers) {}

    /**
     * Observations.
     *
     * @param enabled Whether to observe each call of an annotated method, queued and run apart, for traces and timers.
     *     Costs throughput.
     */
    record Observations(@DefaultValue("false") boolean enabled) {}

    /** Settings of a striped executor, each as {@link Settings} describes it. */
    record StripedSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @DefaultValue Turn turn,
            @Nullable Integer capacity,
            @Nullable Integer stripeCapacity,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @Nullable FailureChoice failurePolicy,
            @DefaultValue Retry retry,
            @Nullable Boolean identityStripes) {

        Settings asSettings() {
            return new Settings(
                    threads,
                    executor,
                    turn,
                    capacity,
                    stripeCapacity,
                    null,
                    overflow,
                    overflowTimeout,
                    failurePolicy,
                    retry,
                    identityStripes,
                    null,
                    null);
        }
    }

    /** Settings of a grouped executor, each as {@link Settings} describes it. */
    record GroupedSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @DefaultValue Turn turn,
            @Nullable Integer capacity,
            @Nullable Integer groupCapacity,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @Nullable FailureChoice failurePolicy,
            @DefaultValue Retry retry) {

        Settings asSettings() {
            return new Settings(
                    threads,
                    executor,
                    turn,
                    capacity,
                    null,
                    groupCapacity,
                    overflow,
                    overflowTimeout,
                    failurePolicy,
                    retry,
                    null,
                    null,
                    null);
        }
    }

    /** Settings of an ordered output executor, each as {@link Settings} describes it. */
    record OrderedOutputSettings(
            @Nullable Integer threads,
            @Nullable String executor,
            @DefaultValue Turn turn,
            @Nullable Integer capacity,
            @Nullable Integer window,
            @Nullable Integer concurrency,
            @Nullable OverflowChoice overflow,
            @Nullable Duration overflowTimeout,
            @DefaultValue Retry retry) {

        Settings asSettings() {
            return new Settings(
                    threads,
                    executor,
                    turn,
                    capacity,
                    null,
                    null,
                    overflow,
                    overflowTimeout,
                    null,
                    retry,
                    null,
                    window,
                    concurrency);
        }
    }
}
