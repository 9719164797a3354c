package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties of the health of executors.
 *
 * @param enabled Whether to enable the health of ordered executors.
 * @param parkedThreshold Number of parked tasks from which on an executor is down. With 0, the number is not checked.
 * @param ageThreshold Age of a running task from which on its executor is down, in milliseconds unless it has a unit.
 *     When set, the auto-configured executors time their tasks, which costs throughput.
 */
@ConfigurationProperties(prefix = OrderedExecutorsHealthProperties.PREFIX, ignoreUnknownFields = false)
record OrderedExecutorsHealthProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("0") int parkedThreshold,
        @Nullable Duration ageThreshold) {
    static final String PREFIX = "management.health.orderedexecutors";

    /** @throws InvalidConfigurationPropertyValueException if a threshold is not valid */
    void check(PropertyFailures failures) {
        if (parkedThreshold < 0) {
            throw failures.invalid(PREFIX + ".parked-threshold", "It must be at least 0; 0 disables the check.");
        }
        if (ageThreshold != null && (ageThreshold.isZero() || ageThreshold.isNegative())) {
            throw failures.invalid(
                    PREFIX + ".age-threshold",
                    "It must be more than zero, such as 1m. Remove the property to disable the check.");
        }
    }
}
