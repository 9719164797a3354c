package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.actuate.HealthThresholds;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be configured of the health of executors.
 *
 * @param parkedThreshold How many parked stripes, or parked tasks with groups, make an executor down. 0 to not look at
 *     them.
 * @param capacityThreshold Share of its capacity, from 0 to 1, that makes an executor out of service if so many tasks
 *     are queued. 0 to not look at it.
 * @param ageThreshold How long a task may run before it makes its executor down. When set, the auto-configured
 *     executors time their tasks, which costs throughput.
 */
@ConfigurationProperties(OrderedExecutorsHealthProperties.PREFIX)
record OrderedExecutorsHealthProperties(
        @DefaultValue("1") int parkedThreshold,
        @DefaultValue("1.0") double capacityThreshold,
        @Nullable Duration ageThreshold) {
    static final String PREFIX = "management.health.orderedexecutors";

    OrderedExecutorsHealthProperties {
        check(parkedThreshold >= 0, "parked-threshold", parkedThreshold, "must be at least 0");
        check(
                capacityThreshold >= 0 && capacityThreshold <= 1,
                "capacity-threshold",
                capacityThreshold,
                "must be between 0 and 1");
        check(
                ageThreshold == null || !(ageThreshold.isZero() || ageThreshold.isNegative()),
                "age-threshold",
                ageThreshold,
                "must be more than zero; leave it out to not look at ages");
    }

    private static void check(boolean right, String property, @Nullable Object value, String mend) {
        if (!right) {
            throw new IllegalArgumentException(PREFIX + "." + property + " is " + value + ", but " + mend);
        }
    }

    HealthThresholds thresholds() {
        return new HealthThresholds(parkedThreshold, capacityThreshold, ageThreshold);
    }
}
