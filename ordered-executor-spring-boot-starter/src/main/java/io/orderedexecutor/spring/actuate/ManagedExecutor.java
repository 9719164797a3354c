package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.ExecutorSummary;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.KeyDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.RetryDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.SettingsDescriptor;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An executor as those see it who look from outside and steer it: the endpoint, the meters, the health contributor.
 * Each kind of executor has a subclass, which is all that they know of kinds.
 */
abstract sealed class ManagedExecutor
        permits ManagedStripedExecutor, ManagedGroupedExecutor, ManagedOrderedOutputExecutor {
    private static final Comparator<RunningTask> OLDEST_FIRST = Comparator.comparing(
            RunningTask::age,
            Comparator.nullsLast(Comparator.<Duration>naturalOrder().reversed()));

    private final String name;
    private final OrderedExecutor executor;

    ManagedExecutor(String name, OrderedExecutor executor) {
        this.name = name;
        this.executor = executor;
    }

    /** Returns null for a kind of executor that the application has made up. */
    static @Nullable ManagedExecutor of(String name, OrderedExecutor executor) {
        if (executor instanceof StripedExecutor striped) {
            return new ManagedStripedExecutor(name, striped);
        }
        if (executor instanceof GroupedExecutor grouped) {
            return new ManagedGroupedExecutor(name, grouped);
        }
        return executor instanceof OrderedOutputExecutor output ? new ManagedOrderedOutputExecutor(name, output) : null;
    }

    /** As {@link #of}, for an executor that is known to be of a kind of this library. */
    static ManagedExecutor require(String name, OrderedExecutor executor) {
        return Objects.requireNonNull(of(name, executor));
    }

    final String name() {
        return name;
    }

    /** The kind of executor, in a word. */
    abstract String type();

    /** What one key of its tasks is called. */
    abstract String key();

    /** What the keys of its tasks are called. */
    final String keys() {
        return key() + "s";
    }

    /**
     * Tells how many keys have tasks, according to the figures of an executor of this kind. Does not hold this
     * executor.
     */
    abstract ToDoubleFunction<OrderedExecutorStats> keysIn();

    final OrderedExecutorSettings settings() {
        return executor.settings();
    }

    /** Whether it knows how long its tasks have been running. */
    boolean knowsAges() {
        return settings().listening();
    }

    /**
     * Which share of a key's room is in use where it is most; null if keys have no room of their own that is always
     * limited.
     */
    @Nullable
    Double windowUsed() {
        return null;
    }

    /** Whether a task that fails can stop its key. */
    boolean canPark() {
        return true;
    }

    /**
     * Tells what an executor of this kind has done because keys were busy; null if none does. Does not hold this
     * executor.
     */
    @Nullable
    Function<OrderedExecutor, WhenBusyStats> whenBusy() {
        return null;
    }

    /**
     * Tells how many places are reserved in an executor of this kind; null if none can be. Does not hold this executor.
     */
    @Nullable
    ToDoubleFunction<OrderedExecutor> reserved() {
        return null;
    }

    /** Tells for how long the oldest of these places has been reserved; null if none can be. As {@link #reserved}. */
    @Nullable
    ToDoubleFunction<OrderedExecutor> oldestReservedNanos() {
        return null;
    }

    /** As it is shown: not at all if nothing is reserved. */
    static @Nullable Duration reservedAge(long reserved, Duration age) {
        return reserved == 0 ? null : age.truncatedTo(ChronoUnit.MILLIS);
    }

    /** How many tasks have failed and stopped their keys. */
    abstract int parked();

    /** Explains one of the keys that are parked; null if none is, or none can be. */
    @Nullable
    Explanation explainParked() {
        return null;
    }

    /** Explains one of the keys whose first task has run or waited for so long; null if none is known to. */
    final @Nullable Explanation explainStuck(Duration atLeast) {
        return executor.explainStuck(atLeast).stream().findFirst().orElse(null);
    }

    /** Which share of its own threads runs a task; null if it has none. */
    final @Nullable Double utilization() {
        Integer threads = settings().threads();
        return threads == null ? null : (double) threadsOfTasks().count() / threads;
    }

    /** The threads that run a task at this moment. */
    final Stream<Thread> threadsOfTasks() {
        return executor.runningTasks().stream().map(RunningTask::thread).flatMap(Stream::ofNullable);
    }

    final OrderedExecutorStats stats() {
        return executor.stats();
    }

    final Rejections rejections() {
        return executor.rejections();
    }

    /** How long the oldest queued task has been queued, zero if there is none; null if its tasks are not timed. */
    final @Nullable Duration oldestQueuedAge() {
        return executor.oldestQueuedAge()
                .map(age -> age.truncatedTo(ChronoUnit.MILLIS))
                .orElse(null);
    }

    /** The age of what has been running longest; null if nothing runs or the executor does not time its tasks. */
    @Nullable
    Duration oldestAge() {
        return executor.runningTasks().stream()
                .map(RunningTask::age)
                .filter(age -> age != null)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    // what is shown

    final ExecutorSummary summary() {
        return new ExecutorSummary(type(), state(), parked(), stats());
    }

    abstract ExecutorDescriptor describe(int limit, Shown shown);

    /**
     * Shows a key and what holds it up.
     *
     * @return null if it has no tasks any more
     */
    abstract @Nullable KeyDescriptor describeKey(Object key, int limit, Shown shown);

    final String state() {
        if (executor.isTerminated()) {
            return "terminated";
        }
        if (executor.isShutdown()) {
            return "shut-down";
        }
        return executor.isPaused() ? "paused" : "running";
    }

    final SettingsDescriptor describeSettings() {
        OrderedExecutorSettings settings = settings();
        FailurePolicy policy = settings.failurePolicy();
        return new SettingsDescriptor(
                settings.threads(),
                settings.turnTasks(),
                settings.turnTime(),
                settings.capacity(),
                settings.keyCapacity(),
                nameOf(settings.overflow()),
                timeoutOf(settings.overflow()),
                policy.parks() ? "park" : "proceed",
                policy.attempts() == 1
                        ? null
                        : new RetryDescriptor(policy.attempts(), policy.backoff(), policy.ceiling()),
                settings.reservationLease());
    }

    /** How long a submission waits at most; null if it does not, or has no limit. */
    private static @Nullable Duration timeoutOf(Overflow overflow) {
        return overflow instanceof Overflow.Block block && block.limit().toSeconds() < Long.MAX_VALUE
                ? block.limit()
                : null;
    }

    /** As the property has it. */
    private static String nameOf(Overflow overflow) {
        if (overflow instanceof Overflow.Block) {
            return "block";
        }
        return overflow instanceof Overflow.DiscardOldest ? "discard-oldest" : "reject";
    }

    final Stream<RunningTask> oldestTasks() {
        return executor.runningTasks().stream().sorted(OLDEST_FIRST);
    }

    // what can be done

    final OrderedExecutor executor() {
        return executor;
    }

    abstract void setKeyCapacity(int keyCapacity);

    abstract boolean hasKey(Object key);

    abstract Stream<Object> liveKeys();
}
