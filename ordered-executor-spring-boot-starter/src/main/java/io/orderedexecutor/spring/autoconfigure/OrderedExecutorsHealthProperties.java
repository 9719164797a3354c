package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.actuate.HealthThresholds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the health of executors.
 *
 * @param enabled Whether to enable the health of ordered executors.
 * @param parkedThreshold Number of parked stripes, or parked tasks with groups, that makes an executor down. 0 disables
 *     the check.
 * @param capacityThreshold Share of the capacity in use, from 0 to 1, that makes an executor out of service. 0 disables
 *     the check.
 * @param ageThreshold Age of a running task that makes its executor down. When set, the auto-configured executors time
 *     their tasks, which costs throughput.
 * @param blockedThreshold Time for which the thread of a task may be blocked, as successive checks of the health see
 *     it, before the executor is down. 0 disables the check.
 */
@ConfigurationProperties(prefix = OrderedExecutorsHealthProperties.PREFIX, ignoreUnknownFields = false)
record OrderedExecutorsHealthProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("1") int parkedThreshold,
        @DefaultValue("1.0") double capacityThreshold,
        @Nullable Duration ageThreshold,
        @DefaultValue("10m") Duration blockedThreshold) {
    static final String PREFIX = "management.health.orderedexecutors";

    /** The thresholds, if they are valid. */
    HealthThresholds thresholds(PropertyFailures failures) {
        if (parkedThreshold < 0) {
            throw failures.invalid(PREFIX + ".parked-threshold", "It must be at least 0. Set it to 0 to not check it.");
        }
        if (!(capacityThreshold >= 0 && capacityThreshold <= 1)) {
            throw failures.invalid(
                    PREFIX + ".capacity-threshold", "It must be from 0 to 1. Set it to 0 to not check it.");
        }
        if (ageThreshold != null && (ageThreshold.isZero() || ageThreshold.isNegative())) {
            throw failures.invalid(
                    PREFIX + ".age-threshold", "It must be more than zero, such as 1m. Remove it to not check it.");
        }
        if (blockedThreshold.isNegative()) {
            throw failures.invalid(
                    PREFIX + ".blocked-threshold", "It must be at least zero. Set it to 0 to not check it.");
        }
        return new HealthThresholds(
                parkedThreshold, capacityThreshold, ageThreshold, blockedThreshold.isZero() ? null : blockedThreshold);
    }
}
