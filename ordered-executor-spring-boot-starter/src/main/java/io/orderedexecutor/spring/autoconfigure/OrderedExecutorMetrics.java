package io.orderedexecutor.spring.autoconfigure;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.orderedexecutor.ExecutorInspection;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.ReservedPlaces;
import io.orderedexecutor.stats.RunningTask;
import io.orderedexecutor.stats.WhenBusyStats;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters of executors, {@code ordered.executor.*}, with the tags {@code name} (of the bean, or {@code ordered-executor}
 * for the default executor) and {@code type} ({@code striped}, {@code grouped} or {@code ordered-output}). Keys and
 * outputs are never tags, since their number has no limit.
 *
 * <p>The meters do not slow the executors down. All meters share one snapshot of all executors, since taking a snapshot
 * walks all keys that have tasks. So a scrape takes one snapshot, and its figures are consistent. Meters share a
 * snapshot for 100 ms or for ten times the duration of taking it, whichever is longer.
 */
public final class OrderedExecutorMetrics implements MeterBinder {
    static final String PREFIX = "ordered.executor.";

    private static final String TASKS = "tasks";

    private static final long SHARED_FOR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Limits the time for snapshots to about a tenth of all time, however often the meters are read. */
    private static final int SHARED_FOR_TIMES_ITS_DURATION = 10;

    private final Map<String, OrderedExecutor> executors;
    private final LongSupplier nanoTime;

    /**
     * Creates a binder.
     *
     * @param executors the executors by name; implementations from outside this library have no meters
     */
    public OrderedExecutorMetrics(Map<String, ? extends OrderedExecutor> executors) {
        this(executors, System::nanoTime);
    }

    OrderedExecutorMetrics(Map<String, ? extends OrderedExecutor> executors, LongSupplier nanoTime) {
        this.executors = Map.copyOf(executors);
        this.nanoTime = nanoTime;
    }

    /**
     * Creates a listener that times each task of one executor, and registers its meters. The listener reduces the
     * throughput of short tasks considerably, so no executor has it by default.
     *
     * @param registry the registry of the meters
     * @param executorName the name of the executor's bean, or {@code ordered-executor} for the default executor
     * @param type {@code striped}, {@code grouped} or {@code ordered-output}
     * @return the listener; thread-safe
     */
    public static TaskListener taskTimers(MeterRegistry registry, String executorName, String type) {
        return new OrderedExecutorTaskMetrics(registry, executorName, type);
    }

    static Tags tags(String executorName, String type) {
        return Tags.of("name", executorName, "type", type);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Looks looks = new Looks(nanoTime);
        executors.forEach((name, executor) -> {
            ManagedExecutor managed = ManagedExecutor.of(name, executor);
            if (managed != null) {
                looks.add(name, executor);
                new OfExecutor(registry, name, executor, looks, tags(name, managed.type())).register(managed);
            }
        });
    }

    /** Registers the meters of one executor. They hold no strong reference to the executor. */
    private record OfExecutor(MeterRegistry registry, String name, OrderedExecutor executor, Looks looks, Tags tags) {

        void register(ManagedExecutor managed) {
            gauge("queued", TASKS, "Tasks that are accepted and not started", stats(OrderedExecutorStats::queued));
            gauge(
                    "active",
                    TASKS,
                    "Tasks that run, or whose stage is not complete",
                    stats(OrderedExecutorStats::active));
            gauge(
                    managed.keys(),
                    managed.keys(),
                    "Different " + managed.keys() + " of all tasks",
                    stats(OrderedExecutorStats::keys));
            gauge("paused", null, "1 if the executor is paused, otherwise 0", seen -> seen.paused ? 1 : 0);
            counter("completed", TASKS, tags, "Tasks that ended normally", stats(OrderedExecutorStats::completed));
            counter(
                    "failed",
                    TASKS,
                    tags,
                    "Tasks that ended with an exception or an error",
                    stats(OrderedExecutorStats::failed));
            counter(
                    "cancelled",
                    TASKS,
                    tags,
                    "Accepted tasks that were cancelled, or dropped to make room",
                    stats(OrderedExecutorStats::cancelled));
            rejected("capacity", Rejections::capacity);
            rejected("key-capacity", Rejections::keyCapacity);
            rejected("shutdown", Rejections::shutdown);
            rejected("no-thread", Rejections::noThread);
            if (managed instanceof ManagedKeyedExecutor) {
                registerOfKeys();
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

        /** Registers the meters of executors whose tasks have keys. */
        private void registerOfKeys() {
            gauge("queued.deepest", TASKS, "Queued tasks of the key that has the most", seen -> seen.stats.deepest());
            gauge(
                    "reserved",
                    TASKS,
                    "Queued tasks that are reserved places, for tasks that are still to come",
                    seen -> seen.reserved.count());
            age(
                    "reserved.oldest",
                    "Age of the oldest reserved place",
                    seen -> seen.reserved.oldestReservedAge().toNanos());
            gauge(
                    "parked",
                    TASKS,
                    "Tasks that have failed and wait to be resumed or skipped",
                    seen -> seen.stats.parked());
            whenBusy("replaced", TASKS, "Queued tasks that a later one has replaced", WhenBusyStats::replaced);
            whenBusy(
                    "interrupted",
                    TASKS,
                    "Running tasks that were cancelled because of a later one",
                    WhenBusyStats::interrupted);
            whenBusy(
                    "refused",
                    TASKS,
                    "Submissions that were not accepted because their key was busy",
                    WhenBusyStats::refused);
            whenBusy("batches", "batches", "Batches that have started", WhenBusyStats::batches);
            whenBusy(
                    "batched",
                    TASKS,
                    "Items of batches that have started, or calls that were joined",
                    WhenBusyStats::batchedItems);
        }

        private static ToDoubleFunction<Seen> stats(ToDoubleFunction<OrderedExecutorStats> figure) {
            return seen -> figure.applyAsDouble(seen.stats);
        }

        /**
         * Returns the function of a meter. This method is static, since the registry holds the function as long as the
         * meter: it must not hold this object.
         */
        private static ToDoubleFunction<OrderedExecutor> figure(
                String name, Looks looks, ToDoubleFunction<Seen> value) {
            return executor -> value.applyAsDouble(looks.at(name, executor));
        }

        private static double orNaN(@Nullable Integer value) {
            return value == null ? Double.NaN : value;
        }

        private void gauge(String meter, @Nullable String unit, String description, ToDoubleFunction<Seen> value) {
            Gauge.builder(PREFIX + meter, executor, figure(name, looks, value))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        private void rejected(String reason, ToDoubleFunction<Rejections> figure) {
            counter(
                    "rejected",
                    TASKS,
                    tags.and("reason", reason),
                    "Submissions that were rejected",
                    seen -> figure.applyAsDouble(seen.rejections));
        }

        private void whenBusy(String name, String unit, String description, ToDoubleFunction<WhenBusyStats> figure) {
            counter(name, unit, tags, description, seen -> figure.applyAsDouble(seen.whenBusy));
        }

        private void counter(String meter, String unit, Tags tags, String description, ToDoubleFunction<Seen> value) {
            FunctionCounter.builder(PREFIX + meter, executor, figure(name, looks, value))
                    .description(description)
                    .baseUnit(unit)
                    .tags(tags)
                    .register(registry);
        }

        /**
         * Registers an age as a gauge. A timer would show a task only after its start or end, and so would not show a
         * stuck task.
         */
        private void age(String meter, String description, ToDoubleFunction<Seen> nanos) {
            TimeGauge.builder(PREFIX + meter, executor, TimeUnit.NANOSECONDS, figure(name, looks, nanos))
                    .description(description)
                    .tags(tags)
                    .register(registry);
        }
    }

    /**
     * The latest snapshot of all executors. The executors share it, since a registry may read one meter of each
     * executor before it reads the next meter of the first executor. Two threads may both take a new snapshot at the
     * same time. Neither this class nor the meters hold strong references to the executors.
     */
    private static final class Looks {
        private final LongSupplier nanoTime;

        /** Written before the first meter is read. */
        private final Map<String, WeakReference<OrderedExecutor>> executors = new HashMap<>();

        private volatile @Nullable Look last;

        /** @param until the time from which on the snapshot must not be shared any more */
        private record Look(Map<String, Seen> seen, long until) {}

        Looks(LongSupplier nanoTime) {
            this.nanoTime = nanoTime;
        }

        void add(String name, OrderedExecutor executor) {
            executors.put(name, new WeakReference<>(executor));
        }

        Seen at(String name, OrderedExecutor executor) {
            long now = nanoTime.getAsLong();
            Look look = last;
            if (look == null || now - look.until >= 0) {
                look = look(now);
                last = look;
            }
            Seen seen = look.seen.get(name);
            // the meters of this executor may have been registered after the snapshot was taken
            return seen == null ? Seen.of(ManagedExecutor.require(name, executor)) : seen;
        }

        private Look look(long start) {
            Map<String, Seen> seen = new HashMap<>();
            executors.forEach((name, reference) -> {
                OrderedExecutor executor = reference.get();
                if (executor != null) {
                    seen.put(name, Seen.of(ManagedExecutor.require(name, executor)));
                }
            });
            long end = nanoTime.getAsLong();
            return new Look(
                    seen, end + Math.max(SHARED_FOR_NANOS, SHARED_FOR_TIMES_ITS_DURATION * Math.max(0, end - start)));
        }
    }

    private record Seen(
            OrderedExecutorStats stats,
            Rejections rejections,
            WhenBusyStats whenBusy,
            OrderedExecutorSettings settings,
            ReservedPlaces reserved,
            boolean paused,
            long oldestNanos,
            long oldestQueuedNanos,
            double windowUsed,
            double utilization) {

        static Seen of(ManagedExecutor managed) {
            OrderedExecutorSettings settings = managed.settings();
            ExecutorInspection inspection = managed.executor().inspect();
            // running tasks, statistics and the age of the oldest task walk all keys that have tasks, each once
            List<RunningTask> running = inspection.runningTasks();
            Duration oldest = managed.knowsAges() ? managed.oldestAge(running) : null;
            Double windowUsed = managed.windowUsed();
            return new Seen(
                    managed.stats(),
                    managed.rejections(),
                    inspection.whenBusyStats(),
                    settings,
                    inspection.reserved(),
                    managed.executor().control().isPaused(),
                    oldest == null ? 0 : oldest.toNanos(),
                    inspection.oldestQueuedAge().map(Duration::toNanos).orElse(0L),
                    windowUsed == null ? Double.NaN : windowUsed,
                    settings.threads() == null ? Double.NaN : utilization(running, settings.threads()));
        }

        /** Returns the share of an executor's own threads that run a task. */
        private static double utilization(List<RunningTask> running, int threads) {
            long active = running.stream().filter(task -> task.thread() != null).count();
            return (double) active / threads;
        }
    }
}
