package io.orderedexecutor.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorStats;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Meters of striped executors, {@code ordered.executor.*}, with the tags {@code name} (of the bean) and {@code type}. The stripe
 * is never a tag: there is no limit to how many there are.
 */
public final class OrderedExecutorMetrics implements MeterBinder {
    private static final String TASKS = "tasks";

    private final Map<String, StripedExecutor> executors;

    /**
     * Creates a binder.
     *
     * @param executors the executors by name
     */
    public OrderedExecutorMetrics(Map<String, StripedExecutor> executors) {
        this.executors = Map.copyOf(executors);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        executors.forEach((name, executor) ->
                new OfExecutor(registry, executor, Tags.of("name", name, "type", "striped")).register());
    }

    private record OfExecutor(MeterRegistry registry, StripedExecutor executor, Tags tags) {

        void register() {
            gauge("queued", TASKS, "Tasks that are accepted and not started", StripedExecutorStats::queued);
            gauge("active", TASKS, "Tasks that run, or whose stage is not complete", StripedExecutorStats::active);
            gauge("stripes", "stripes", "Stripes that have tasks", StripedExecutorStats::stripes);
            counter("completed", "Tasks that ended normally", StripedExecutorStats::completed);
            counter("failed", "Tasks that ended with an exception or an error", StripedExecutorStats::failed);
            counter("cancelled", "Accepted tasks that were cancelled", StripedExecutorStats::cancelled);
            counter("rejected", "Submissions that were refused", StripedExecutorStats::rejected);
        }

        private void gauge(String name, String unit, String description, ToDoubleFunction<StripedExecutorStats> value) {
            Gauge.builder("ordered.executor." + name, executor, e -> value.applyAsDouble(e.stats()))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        private void counter(String name, String description, ToDoubleFunction<StripedExecutorStats> value) {
            FunctionCounter.builder("ordered.executor." + name, executor, e -> value.applyAsDouble(e.stats()))
                    .description(description)
                    .baseUnit(TASKS)
                    .tags(tags)
                    .register(registry);
        }
    }
}
