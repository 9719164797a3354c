package io.orderedexecutor.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorStats;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of striped executors, {@code ordered.executor.*}, with the tags {@code name} (of the bean) and {@code type}. The stripe
 * is never a tag: there is no limit to how many there are.
 *
 * <p>The meters of an executor share one look at it for 100 ms, since a look walks all stripes that have tasks: a scrape takes one
 * look, and its figures belong together.
 */
public final class OrderedExecutorMetrics implements MeterBinder {
    private static final String TASKS = "tasks";

    private static final long SHARED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<String, StripedExecutor> executors;
    private final LongSupplier nanoTime;

    /**
     * Creates a binder.
     *
     * @param executors the executors by name
     */
    public OrderedExecutorMetrics(Map<String, StripedExecutor> executors) {
        this(executors, System::nanoTime);
    }

    OrderedExecutorMetrics(Map<String, StripedExecutor> executors, LongSupplier nanoTime) {
        this.executors = Map.copyOf(executors);
        this.nanoTime = nanoTime;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        executors.forEach((name, executor) -> new OfExecutor(
                        registry, executor, new Look(nanoTime), Tags.of("name", name, "type", "striped"))
                .register());
    }

    private record OfExecutor(MeterRegistry registry, StripedExecutor executor, Look look, Tags tags) {

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
            Gauge.builder("ordered.executor." + name, executor, e -> value.applyAsDouble(look.at(e)))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        private void counter(String name, String description, ToDoubleFunction<StripedExecutorStats> value) {
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

        StripedExecutorStats at(StripedExecutor executor) {
            long now = nanoTime.getAsLong();
            Seen last = seen;
            if (last == null || now - last.nanoTime >= SHARED_FOR_NANOS) {
                last = new Seen(executor.stats(), now);
                seen = last;
            }
            return last.stats;
        }

        private record Seen(StripedExecutorStats stats, long nanoTime) {}
    }
}
