package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.OrderedExecutor;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;

/**
 * The health of all ordered executors, by name. Each is down if too much is parked or a task has been running for too long, out of
 * service if there is no room for more tasks or it is shut down, and up otherwise.
 */
public final class OrderedExecutorsHealthContributor implements CompositeHealthContributor {
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
            }
        });
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
