package io.orderedexecutor.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorStats;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of striped and grouped executors, {@code ordered.executor.*}, with the tags {@code name} (of the bean) and {@code type}
 * ({@code striped} or {@code grouped}). A stripe or a group is never a tag: there is no limit to how many there are.
 *
 * <p>The meters of an executor share one look at it for 100 ms, since a look walks all that has tasks: a scrape takes one
 * look, and its figures belong together.
 */
public final class OrderedExecutorMetrics implements MeterBinder {
    private static final String TASKS = "tasks";

    private static final long SHARED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<String, OrderedExecutor> executors;
    private final LongSupplier nanoTime;

    /**
     * Creates a binder.
     *
     * @param executors the executors by name; those that are neither striped nor grouped have no meters
     */
    public OrderedExecutorMetrics(Map<String, ? extends OrderedExecutor> executors) {
        this(executors, System::nanoTime);
    }

    OrderedExecutorMetrics(Map<String, ? extends OrderedExecutor> executors, LongSupplier nanoTime) {
        this.executors = Map.copyOf(executors);
        this.nanoTime = nanoTime;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        executors.forEach((name, executor) -> {
            ManagedExecutor managed = ManagedExecutor.of(name, executor);
            if (managed != null) {
                Tags tags = Tags.of("name", name, "type", managed.type());
                new OfExecutor(registry, executor, new Look(nanoTime), tags).register(managed);
            }
        });
    }

    private record OfExecutor(MeterRegistry registry, OrderedExecutor executor, Look look, Tags tags) {

        void register(ManagedExecutor kind) {
            gauge("queued", TASKS, "Tasks that are accepted and not started", OrderedExecutorStats::queued);
            gauge("active", TASKS, "Tasks that run, or whose stage is not complete", OrderedExecutorStats::active);
            gauge(kind.keys(), kind.keys(), "Different " + kind.keys() + " of all tasks", kind.keysIn());
            counter("completed", "Tasks that ended normally", OrderedExecutorStats::completed);
            counter("failed", "Tasks that ended with an exception or an error", OrderedExecutorStats::failed);
            counter("cancelled", "Accepted tasks that were cancelled", OrderedExecutorStats::cancelled);
            counter("rejected", "Submissions that were refused", OrderedExecutorStats::rejected);
        }

        private void gauge(String name, String unit, String description, ToDoubleFunction<OrderedExecutorStats> value) {
            Gauge.builder("ordered.executor." + name, executor, e -> value.applyAsDouble(look.at(e)))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        private void counter(String name, String description, ToDoubleFunction<OrderedExecutorStats> value) {
            FunctionCounter.builder("ordered.executor." + name, executor, e -> value.applyAsDouble(look.at(e)))
                    .description(description)
                    .baseUnit(TASKS)
                    .tags(tags)
                    .register(registry);
        }
    }

    /** What was seen last. Two threads at a time may both look again; it does not hold the executor, nor do the meters. */
    private static final class Look {
        private final LongSupplier nanoTime;
        private volatile @Nullable Seen seen;

        Look(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
        }

        OrderedExecutorStats at(OrderedExecutor executor) {
            long now = nanoTime.getAsLong();
            Seen last = seen;
            if (last == null || now - last.nanoTime >= SHARED_FOR_NANOS) {
                last = new Seen(executor.stats(), now);
                seen = last;
            }
            return last.stats;
        }

        private record Seen(OrderedExecutorStats stats, long nanoTime) {}
    }
}
