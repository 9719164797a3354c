package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.OrderedExecutor;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;

/**
 * The health of all ordered executors, by name. Each is down if too much is parked or a task has been running for too
 * long, out of service if there is no room for more tasks or it is shut down, and up otherwise.
 */
public final class OrderedExecutorsHealthContributor implements CompositeHealthContributor {
    private static final Log logger = LogFactory.getLog(OrderedExecutorsHealthContributor.class);

    private final Map<String, HealthContributor> contributors = new TreeMap<>();

    /**
     * Creates a contributor.
     *
     * @param executors the executors by name; those of a kind that is not of this library are not looked at
     * @param thresholds from where on an executor is not healthy
     */
    public OrderedExecutorsHealthContributor(
            Map<String, ? extends OrderedExecutor> executors, HealthThresholds thresholds) {
        executors.forEach((name, executor) -> {
            ManagedExecutor managed = ManagedExecutor.of(name, executor);
            if (managed != null) {
                contributors.put(name, new OrderedExecutorHealthIndicator(managed, thresholds));
                warnIfAgesAreUnknown(managed, thresholds);
            }
        });
    }

    /**
     * Of executors that the application builds; those that are auto-configured have a listener if ages are looked at.
     */
    private static void warnIfAgesAreUnknown(ManagedExecutor managed, HealthThresholds thresholds) {
        if (thresholds.age() != null && !managed.knowsAges()) {
            logger.warn("The health of executor '" + managed.name()
                    + "' does not look at how long its tasks run, although the"
                    + " age-threshold is " + thresholds.age()
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
