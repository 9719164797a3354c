package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.kafka.OrderedListenerSettings;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of ordered Kafka listeners.
 *
 * @param executor Name of the StripedExecutor bean that runs the records, in one order with its other tasks. It must
 *     have no capacity. A listener has an executor of its own by default.
 * @param threads Maximum number of threads of the listener's own executor. Defaults to the number of processors; with
 *     virtual threads enabled, to one virtual thread for each key that has records.
 * @param window Maximum number of records of a partition that are handed out and not settled, at least 1. A partition
 *     is paused when this number is reached, and resumed at half of it. Default: 1000.
 * @param commitInterval How long settled records may stay uncommitted, in milliseconds unless it has a unit. Default:
 *     1s.
 * @param drainTimeout How long a revocation or a stop waits for running records, in milliseconds unless it has a unit.
 *     Default: 10s.
 * @param failurePolicy What to do with a key after the last attempt of a record has failed. Default: park.
 * @param retry Retries of records that fail.
 * @param listeners Settings by the id of the listener, which go before those of all listeners.
 */
@ConfigurationProperties(OrderedKafkaProperties.PREFIX)
record OrderedKafkaProperties(
        @Nullable String executor,
        @Nullable Integer threads,
        @Nullable Integer window,
        @Nullable Duration commitInterval,
        @Nullable Duration drainTimeout,
        @Nullable FailureChoice failurePolicy,
        @DefaultValue Retry retry,
        @DefaultValue Map<String, Listener> listeners) {
    static final String PREFIX = "ordered-executor.kafka";

    /** The settings of a listener. */
    static final List<String> SETTINGS = List.of(
            "executor",
            "threads",
            "window",
            "commit-interval",
            "drain-timeout",
            "failure-policy",
            "retry.max-retries",
            "retry.delay",
            "retry.max-delay",
            "retry.multiplier",
            "retry.jitter",
            "retry.includes",
            "retry.excludes");

    /** The properties that exist, for messages. */
    static final String REFERENCE = "Under " + PREFIX + " there are "
            + String.join(", ", SETTINGS.subList(0, SETTINGS.size() - 1)) + " and "
            + SETTINGS.get(SETTINGS.size() - 1)
            + " for all listeners, and listeners.<id>.* with the same for one of them.";

    /** The settings of a listener that has none of its own. */
    Listener ofAll() {
        return new Listener(executor, threads, window, commitInterval, drainTimeout, failurePolicy, retry);
    }

    /** The settings of the listener with this id. */
    Listener of(String id) {
        Listener own = listeners.get(id);
        return own == null ? ofAll() : own.orElse(ofAll());
    }

    /**
     * The settings of one listener, or of all. A setting that is null for one listener has the value for all listeners.
     */
    record Listener(
            @Nullable String executor,
            @Nullable Integer threads,
            @Nullable Integer window,
            @Nullable Duration commitInterval,
            @Nullable Duration drainTimeout,
            @Nullable FailureChoice failurePolicy,
            @DefaultValue Retry retry) {

        /**
         * Returns these settings, completed by those of all listeners. The executor and the number of threads are one
         * choice: if either is set here, neither is inherited.
         */
        Listener orElse(Listener all) {
            boolean inheritsThreads = executor == null && threads == null;
            return new Listener(
                    inheritsThreads ? all.executor : executor,
                    inheritsThreads ? all.threads : threads,
                    OrderedKafkaProperties.orElse(window, all.window),
                    OrderedKafkaProperties.orElse(commitInterval, all.commitInterval),
                    OrderedKafkaProperties.orElse(drainTimeout, all.drainTimeout),
                    OrderedKafkaProperties.orElse(failurePolicy, all.failurePolicy),
                    retry.orElse(all.retry));
        }

        /**
         * Returns the settings.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        OrderedListenerSettings toSettings() {
            if (executor != null && threads != null) {
                throw new IllegalArgumentException(
                        "executor is " + executor + ", and threads is " + threads + ", but must not be set with it");
            }
            if (threads != null && threads < 1) {
                throw new IllegalArgumentException("threads is " + threads + ", but must be at least 1");
            }
            OrderedListenerSettings byDefault = OrderedListenerSettings.defaults();
            FailureChoice choice = failurePolicy == null ? FailureChoice.PARK : failurePolicy;
            return new OrderedListenerSettings(
                    or(window, byDefault.window()),
                    or(commitInterval, byDefault.commitInterval()),
                    or(drainTimeout, byDefault.drainTimeout()),
                    retry.toPolicy((FailurePolicy.Retry) byDefault.failurePolicy(), choice == FailureChoice.PARK),
                    choice == FailureChoice.DEAD_LETTER);
        }
    }

    private static <T> @Nullable T orElse(@Nullable T own, @Nullable T ofAll) {
        return own == null ? ofAll : own;
    }

    private static <T> T or(@Nullable T own, T byDefault) {
        return own == null ? byDefault : own;
    }

    /** What to do after the last attempt. */
    enum FailureChoice {
        /** The key stops. */
        PARK,
        /** The record is published, and its key proceeds. */
        DEAD_LETTER,
        /** The key proceeds. */
        PROCEED
    }

    /**
     * Retries.
     *
     * @param maxRetries Maximum number of times to run a failed record again. With 0, records are not retried. Default:
     *     9.
     * @param delay Delay before the first retry, in milliseconds unless it has a unit. Default: 100ms.
     * @param maxDelay Maximum delay before a retry, in milliseconds unless it has a unit. Default: 10s.
     * @param multiplier How much longer each delay is than the one before. With 1, all are the same. Default: 2.
     * @param jitter By how much the first delay is made shorter or longer at most, at random, in milliseconds unless it
     *     has a unit; multiplied as the delay is. Default: 0ms.
     * @param includes Exceptions that are retried, with their subclasses. By default all are.
     * @param excludes Exceptions that are not retried, with their subclasses, in addition to those that Spring
     *     considers fatal. The key proceeds after them, even with 'park'.
     */
    record Retry(
            @Nullable Long maxRetries,
            @Nullable Duration delay,
            @Nullable Duration maxDelay,
            @Nullable Double multiplier,
            @Nullable Duration jitter,
            @Nullable List<Class<? extends Throwable>> includes,
            @Nullable List<Class<? extends Throwable>> excludes) {

        Retry orElse(Retry all) {
            return new Retry(
                    OrderedKafkaProperties.orElse(maxRetries, all.maxRetries),
                    OrderedKafkaProperties.orElse(delay, all.delay),
                    OrderedKafkaProperties.orElse(maxDelay, all.maxDelay),
                    OrderedKafkaProperties.orElse(multiplier, all.multiplier),
                    OrderedKafkaProperties.orElse(jitter, all.jitter),
                    OrderedKafkaProperties.orElse(includes, all.includes),
                    OrderedKafkaProperties.orElse(excludes, all.excludes));
        }

        FailurePolicy toPolicy(FailurePolicy.Retry byDefault, boolean parks) {
            return new FailurePolicy.Retry(
                    or(maxRetries, byDefault.maxRetries()),
                    or(delay, byDefault.delay()),
                    or(maxDelay, byDefault.maxDelay()),
                    or(multiplier, byDefault.multiplier()),
                    or(jitter, byDefault.jitter()),
                    exceptions("retry.includes", includes),
                    exceptions("retry.excludes", excludes),
                    byDefault.predicate(),
                    parks);
        }

        /**
         * Returns the classes as types of exceptions. They are checked here: the binder does not know the type argument
         * of the list, and accepts any class.
         */
        private static Set<Class<? extends Throwable>> exceptions(
                String name, @Nullable List<Class<? extends Throwable>> types) {
            Set<Class<? extends Throwable>> exceptions = new LinkedHashSet<>();
            for (Class<?> type : types == null ? List.<Class<? extends Throwable>>of() : types) {
                if (!Throwable.class.isAssignableFrom(type)) {
                    throw new IllegalArgumentException(name + " is " + type.getName() + ", but must be exceptions");
                }
                exceptions.add(type.asSubclass(Throwable.class));
            }
            return exceptions;
        }
    }
}
