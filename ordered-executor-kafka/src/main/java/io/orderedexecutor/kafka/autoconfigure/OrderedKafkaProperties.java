package io.orderedexecutor.kafka.autoconfigure;

import io.orderedexecutor.kafka.OrderedListenerSettings;
import io.orderedexecutor.kafka.OrderedListenerSettings.FailurePolicy;
import io.orderedexecutor.kafka.OrderedListenerSettings.NullKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be configured of ordered Kafka listeners.
 *
 * @param defaults Settings of all ordered listeners.
 * @param listeners Settings by the id of the listener, which go before the defaults.
 */
@ConfigurationProperties(OrderedKafkaProperties.PREFIX)
record OrderedKafkaProperties(
        @DefaultValue Listener defaults, @DefaultValue Map<String, Listener> listeners) {
    static final String PREFIX = "ordered-executor.kafka";

    /** The settings of a listener. */
    static final List<String> SETTINGS = List.of(
            "executor",
            "window",
            "commit-interval",
            "commit-metadata",
            "drain-timeout",
            "null-key",
            "retry.attempts",
            "retry.backoff",
            "retry.ceiling",
            "retry.excludes",
            "failure-policy");

    /** What there is, for messages. */
    static final String REFERENCE = "Under " + PREFIX + " there are defaults.* and listeners.<id>.*, with "
            + String.join(", ", SETTINGS.subList(0, SETTINGS.size() - 1)) + " and "
            + SETTINGS.get(SETTINGS.size() - 1) + ".";

    /**
     * The settings of one listener. What is null is as in the defaults.
     *
     * @param executor Name of the StripedExecutor bean that records run on. It must have no capacity: the window is the
     *     bound. Default: stripedExecutor.
     * @param window How many records of a partition are handed out and not settled; at so many it is paused, at half it
     *     goes on. Default: 1000.
     * @param commitInterval How long what is settled may stay uncommitted. Default: 1s.
     * @param commitMetadata Whether commits tell what is settled beyond the committed offset. Default: true.
     * @param drainTimeout How long a revocation or a stop waits for running records. Default: 10s.
     * @param nullKey Order of records without a key: that of their partition, or none. Default: partition.
     * @param retry How failed records are run again.
     * @param failurePolicy What is done with a record after its last attempt. Default: park.
     */
    record Listener(
            @Nullable String executor,
            @Nullable Integer window,
            @Nullable Duration commitInterval,
            @Nullable Boolean commitMetadata,
            @Nullable Duration drainTimeout,
            @Nullable NullKey nullKey,
            @DefaultValue Retry retry,
            @Nullable FailurePolicy failurePolicy) {

        OrderedListenerSettings over(OrderedListenerSettings base) {
            return new OrderedListenerSettings(
                    or(window, base.window()),
                    or(commitInterval, base.commitInterval()),
                    or(commitMetadata, base.commitMetadata()),
                    or(drainTimeout, base.drainTimeout()),
                    or(nullKey, base.nullKey()),
                    or(retry.attempts(), base.attempts()),
                    or(retry.backoff(), base.backoff()),
                    or(retry.ceiling(), base.ceiling()),
                    or(retry.excludes(), base.excludes()),
                    or(failurePolicy, base.failurePolicy()));
        }

        private static <T> T or(@Nullable T own, T base) {
            return own == null ? base : own;
        }
    }

    /**
     * How failed records are run again.
     *
     * @param attempts How often a record is run at most, the first time included. Default: 10.
     * @param backoff Pause before the second attempt; it doubles with each further one. Default: 100ms.
     * @param ceiling Longest pause. Default: 10s.
     * @param excludes Exceptions that are not retried, in addition to those that Spring considers fatal.
     */
    record Retry(
            @Nullable Integer attempts,
            @Nullable Duration backoff,
            @Nullable Duration ceiling,
            @Nullable List<Class<? extends Throwable>> excludes) {}
}
