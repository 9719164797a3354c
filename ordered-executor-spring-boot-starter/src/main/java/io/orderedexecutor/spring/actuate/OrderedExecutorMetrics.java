package io.orderedexecutor.spring.actuate;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of executors, {@code ordered.executor.*}, with the tags {@code name} (of the bean) and {@code type}
 * ({@code striped}, {@code grouped} or {@code ordered-output}). A stripe, a group or an output is never a tag: there is
 * no limit to how many there are.
 *
 * <p>They cost the executors nothing. The meters of an executor share one look at it for 100 ms, since a look walks all
 * that has tasks: a scrape takes one look, and its figures belong together.
 */
public final class OrderedExecutorMetrics implements MeterBinder {
    static final String PREFIX = "ordered.executor.";

    private static final String TASKS = "tasks";

    private static final long SHARED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Map<String, OrderedExecutor> executors;
    private final LongSupplier nanoTime;

    /**
     * Creates a binder.
     *
     * @param executors the executors by name; those of a kind that is not of this library have no meters
     */
    public OrderedExecutorMetrics(Map<String, ? extends OrderedExecutor> executors) {
        this(executors, System::nanoTime);
    }

    OrderedExecutorMetrics(Map<String, ? extends OrderedExecutor> executors, LongSupplier nanoTime) {
        this.executors = Map.copyOf(executors);
        this.nanoTime = nanoTime;
    }

    static Tags tags(String executorName, String type) {
        return Tags.of("name", executorName, "type", type);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        executors.forEach((name, executor) -> {
            ManagedExecutor managed = ManagedExecutor.of(name, executor);
            if (managed != null) {
                Look look = new Look(name, nanoTime);
                new OfExecutor(registry, executor, look, tags(name, managed.type())).register(managed);
            }
        });
    }

    /** Registers meters, none of which holds the executor. */
    private record OfExecutor(MeterRegistry registry, OrderedExecutor executor, Look look, Tags tags) {

        void register(ManagedExecutor managed) {
            gauge("queued", TASKS, "Tasks that are accepted and not started", stats(OrderedExecutorStats::queued));
            gauge(
                    "active",
                    TASKS,
                    "Tasks that run, or whose stage is not complete",
                    stats(OrderedExecutorStats::active));
            ToDoubleFunction<OrderedExecutor> reserved = managed.reserved();
            if (reserved != null) {
                Gauge.builder(PREFIX + "reserved", executor, reserved)
                        .description("Queued tasks that are reserved places, for tasks that are still to come")
                        .baseUnit(TASKS)
                        .tags(tags)
                        .register(registry);
            }
            ToDoubleFunction<OrderedExecutor> oldestReserved = managed.oldestReservedNanos();
            if (oldestReserved != null) {
                TimeGauge.builder(PREFIX + "reserved.oldest", executor, TimeUnit.NANOSECONDS, oldestReserved)
                        .description("Age of the oldest reserved place")
                        .tags(tags)
                        .register(registry);
            }
            gauge(
                    managed.keys(),
                    managed.keys(),
                    "Different " + managed.keys() + " of all tasks",
                    stats(managed.keysIn()));
            if (managed.canPark()) {
                gauge("parked", TASKS, "Tasks that have failed and wait to be resumed or skipped", Seen::parked);
            }
            gauge("paused", null, "1 if the executor is paused, otherwise 0", seen -> seen.paused ? 1 : 0);
            counter("completed", tags, "Tasks that ended normally", stats(OrderedExecutorStats::completed));
            counter(
                    "failed",
                    tags,
                    "Tasks that ended with an exception or an error",
                    stats(OrderedExecutorStats::failed));
            counter(
                    "cancelled",
                    tags,
                    "Accepted tasks that were cancelled, or dropped to make room",
                    stats(OrderedExecutorStats::cancelled));
            rejected("capacity", Rejections::capacity);
            rejected("key-capacity", Rejections::keyCapacity);
            rejected("shutdown", Rejections::shutdown);
            rejected("no-thread", Rejections::noThread);
            Function<OrderedExecutor, WhenBusyStats> whenBusy = managed.whenBusy();
            if (whenBusy != null) {
                whenBusy(
                        "replaced",
                        TASKS,
                        "Queued tasks that a later one has replaced",
                        whenBusy,
                        WhenBusyStats::replaced);
                whenBusy(
                        "interrupted",
                        TASKS,
                        "Running tasks that were cancelled because of a later one",
                        whenBusy,
                        WhenBusyStats::interrupted);
                whenBusy(
                        "skipped",
                        TASKS,
                        "Submissions that were not accepted because their stripe was busy",
                        whenBusy,
                        WhenBusyStats::skipped);
                whenBusy("batches", "batches", "Batches that have started", whenBusy, WhenBusyStats::batches);
                whenBusy(
                        "batched",
                        TASKS,
                        "Items of batches that have started, or calls that were joined",
                        whenBusy,
                        WhenBusyStats::batchedItems);
            }
            OrderedExecutorSettings settings = managed.settings();
            if (settings.threads() != null) {
                gauge("threads", "threads", "Maximum number of threads", seen -> orNaN(seen.settings.threads()));
                gauge("utilization", null, "Share of the threads that run a task", Seen::utilization);
            }
            if (settings.capacity() != null) {
                gauge("capacity", TASKS, "Maximum number of queued tasks", seen -> orNaN(seen.settings.capacity()));
            }
            if (managed.windowUsed() != null) {
                gauge("window.used", null, "Highest window utilization of any output", Seen::windowUsed);
            }
            if (managed.knowsAges()) {
                age("oldest", "Age of the longest-running task", Seen::oldestNanos);
            }
            if (settings.listening()) {
                age("queued.oldest", "Age of the oldest queued task", Seen::oldestQueuedNanos);
            }
        }

        private static ToDoubleFunction<Seen> stats(ToDoubleFunction<OrderedExecutorStats> figure) {
            return seen -> figure.applyAsDouble(seen.stats);
        }

        private static double orNaN(@Nullable Integer value) {
            return value == null ? Double.NaN : value;
        }

        private void gauge(String name, @Nullable String unit, String description, ToDoubleFunction<Seen> value) {
            Gauge.builder(PREFIX + name, executor, e -> value.applyAsDouble(look.at(e)))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        private void rejected(String reason, ToDoubleFunction<Rejections> figure) {
            counter(
                    "rejected",
                    tags.and("reason", reason),
                    "Submissions that were rejected",
                    seen -> figure.applyAsDouble(seen.rejections));
        }

        private void whenBusy(
                String name,
                String unit,
                String description,
                Function<OrderedExecutor, WhenBusyStats> stats,
                ToDoubleFunction<WhenBusyStats> figure) {
            FunctionCounter.builder(PREFIX + name, executor, e -> figure.applyAsDouble(stats.apply(e)))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        private void counter(String name, Tags tags, String description, ToDoubleFunction<Seen> value) {
            FunctionCounter.builder(PREFIX + name, executor, e -> value.applyAsDouble(look.at(e)))
                    .description(description)
                    .baseUnit(TASKS)
                    .tags(tags)
                    .register(registry);
        }

        /** What a timer cannot show before it ends: a task that does not start or end. */
        private void age(String name, String description, ToDoubleFunction<Seen> nanos) {
            TimeGauge.builder(PREFIX + name, executor, TimeUnit.NANOSECONDS, e -> nanos.applyAsDouble(look.at(e)))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }
    }

    /**
     * What was seen last. Two threads at a time may both look again; it does not hold the executor, nor do the meters.
     */
    private static final class Look {
        private final String executorName;
        private final LongSupplier nanoTime;
        private volatile @Nullable Seen seen;

        Look(String executorName, LongSupplier nanoTime) {
            this.executorName = executorName;
            this.nanoTime = nanoTime;
        }

        Seen at(OrderedExecutor executor) {
            long now = nanoTime.getAsLong();
            Seen last = seen;
            if (last == null || now - last.nanoTime >= SHARED_FOR_NANOS) {
                last = Seen.of(ManagedExecutor.require(executorName, executor), now);
                seen = last;
            }
            return last;
        }
    }

    private record Seen(
            OrderedExecutorStats stats,
            Rejections rejections,
            OrderedExecutorSettings settings,
            int parked,
            boolean paused,
            long oldestNanos,
            long oldestQueuedNanos,
            double windowUsed,
            double utilization,
            long nanoTime) {

        static Seen of(ManagedExecutor managed, long nanoTime) {
            OrderedExecutorSettings settings = managed.settings();
            Duration oldest = managed.knowsAges() ? managed.oldestAge() : null;
            Double windowUsed = managed.windowUsed();
            Double utilization = managed.utilization();
            return new Seen(
                    managed.stats(),
                    managed.rejections(),
                    settings,
                    managed.parked(),
                    managed.executor().isPaused(),
                    oldest == null ? 0 : oldest.toNanos(),
                    managed.executor().oldestQueuedAge().map(Duration::toNanos).orElse(0L),
                    windowUsed == null ? Double.NaN : windowUsed,
                    utilization == null ? Double.NaN : utilization,
                    nanoTime);
        }
    }
}
