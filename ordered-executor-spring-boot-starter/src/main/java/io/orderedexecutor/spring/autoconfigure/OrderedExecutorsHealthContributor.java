package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;

/**
 * The health of all ordered executors, by name. Each is down if the number of parked tasks or the age of a running task
 * has reached its threshold; out of service if it is shut down; and up otherwise. Without thresholds, none is down.
 */
final class OrderedExecutorsHealthContributor implements CompositeHealthContributor {
    private static final Log logger = LogFactory.getLog(OrderedExecutorsHealthContributor.class);

    private final Map<String, HealthContributor> contributors = new TreeMap<>();

    /**
     * Creates a contributor.
     *
     * @param executors the executors by name; implementations from outside this library are not checked
     * @param parkedThreshold the number of parked tasks from which on an executor is down; 0 for no limit
     * @param ageThreshold the age of a running task from which on its executor is down; null for no limit
     * @throws IllegalArgumentException if {@code parkedThreshold} is negative, or {@code ageThreshold} is not positive
     */
    OrderedExecutorsHealthContributor(
            Map<String, ? extends OrderedExecutor> executors, int parkedThreshold, @Nullable Duration ageThreshold) {
        if (parkedThreshold < 0) {
            throw new IllegalArgumentException("parkedThreshold is " + parkedThreshold + ", but must be at least 0");
        }
        if (ageThreshold != null && (ageThreshold.isZero() || ageThreshold.isNegative())) {
            throw new IllegalArgumentException("ageThreshold is " + ageThreshold + ", but must be more than zero");
        }
        executors.forEach((name, executor) -> {
            ManagedExecutor managed = ManagedExecutor.of(name, executor);
            if (managed != null) {
                contributors.put(name, new OrderedExecutorHealthIndicator(managed, parkedThreshold, ageThreshold));
                warnIfAgesAreUnknown(managed, ageThreshold);
            }
        });
    }

    /**
     * Warns about an executor that does not time its tasks, if ages are to be checked. This can only be an executor
     * that the application builds: the auto-configured ones get a listener.
     */
    private static void warnIfAgesAreUnknown(ManagedExecutor managed, @Nullable Duration ageThreshold) {
        if (ageThreshold != null && !managed.knowsAges()) {
            logger.warn("The health of executor '" + managed.name()
                    + "' does not look at how long its tasks run, although the"
                    + " age-threshold is " + ageThreshold
                    + ": it has no listener, and does not time them. Build it with"
                    + " .listener(new TaskListener() {})");
        }
    }

    @Override
    public @Nullable HealthContributor getContributor(String name) {
        return contributors.get(name);
    }

    @Override
    public Stream<Entry> stream() {
        return contributors.entrySet().stream().map(entry -> new Entry(entry.getKey(), entry.getValue()));
    }
}
