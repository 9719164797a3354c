package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.ExecutorInspection;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.AnyKeyDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ExecutorSummary;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.RetryDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.SettingsDescriptor;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The view of an executor for the endpoint, the meters and the health contributor. There is one subclass for executors
 * with keys, and one for executors with outputs, so that callers need not distinguish them.
 */
abstract sealed class ManagedExecutor permits ManagedKeyedExecutor, ManagedOrderedOutputExecutor {
    private static final Comparator<RunningTask> OLDEST_FIRST = Comparator.comparing(
            RunningTask::age,
            Comparator.nullsLast(Comparator.<Duration>naturalOrder().reversed()));

    private final String name;
    private final OrderedExecutor executor;

    ManagedExecutor(String name, OrderedExecutor executor) {
        this.name = name;
        this.executor = executor;
    }

    /** Returns the view of an executor; null if the executor is an implementation from outside this library. */
    static @Nullable ManagedExecutor of(String name, OrderedExecutor executor) {
        if (executor instanceof OrderedOutputExecutor output) {
            return new ManagedOrderedOutputExecutor(name, output);
        }
        return executor instanceof StripedExecutor || executor instanceof GroupedExecutor
                ? new ManagedKeyedExecutor(name, executor)
                : null;
    }

    /** Like {@link #of}, but for an executor that is known to be an implementation of this library. */
    static ManagedExecutor require(String name, OrderedExecutor executor) {
        return Objects.requireNonNull(of(name, executor));
    }

    final String name() {
        return name;
    }

    /** Returns the kind of executor, in a word. */
    abstract String type();

    /** Returns the word for one of its keys. */
    abstract String key();

    /** Returns the word for several of its keys. */
    final String keys() {
        return key() + "s";
    }

    final OrderedExecutorSettings settings() {
        return executor.inspect().settings();
    }

    /** Returns whether the ages of running tasks are known. */
    boolean knowsAges() {
        return settings().listening();
    }

    /** Returns how full the window of the fullest key is, as a share; null if keys have no window. */
    @Nullable
    Double windowUsed() {
        return null;
    }

    /** Explains one of the parked keys; returns null if there is none. */
    final @Nullable Explanation explainParked() {
        return executor.inspect().parkedTasks().stream()
                .findFirst()
                .flatMap(parked -> keysOf(parked.key()).findFirst())
                .map(executor.inspect()::explain)
                .orElse(null);
    }

    /** Returns the keys that a task names; none for a barrier, which has all keys. */
    static Stream<Object> keysOf(Object key) {
        return key instanceof Groups groups
                ? Stream.concat(groups.exclusiveGroups().stream(), groups.sharedGroups().stream())
                : Stream.of(key);
    }

    /**
     * Explains one of the keys whose first task has run or waited for at least this time; returns null if there is
     * none.
     */
    final @Nullable Explanation explainStuck(Duration atLeast) {
        return executor.inspect().explainStuck(atLeast).stream().findFirst().orElse(null);
    }

    /** The threads that run a task at this moment. */
    final Stream<Thread> threadsOfTasks() {
        return executor.inspect().runningTasks().stream()
                .map(RunningTask::thread)
                .flatMap(Stream::ofNullable);
    }

    final OrderedExecutorStats stats() {
        return executor.inspect().stats();
    }

    final Rejections rejections() {
        return executor.inspect().rejections();
    }

    /**
     * Returns the age of the oldest queued task, zero if there is none; null if the executor does not time its tasks.
     */
    final @Nullable Duration oldestQueuedAge() {
        return executor.inspect()
                .oldestQueuedAge()
                .map(age -> age.truncatedTo(ChronoUnit.MILLIS))
                .orElse(null);
    }

    /**
     * Returns the age of the task that has been running longest; null if no task runs or the executor does not time its
     * tasks.
     *
     * @param running the running tasks
     */
    @Nullable
    Duration oldestAge(List<RunningTask> running) {
        return running.stream()
                .map(RunningTask::age)
                .filter(age -> age != null)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    // what is shown

    final ExecutorSummary summary() {
        return new ExecutorSummary(type(), state(), stats());
    }

    /** @param methods the annotated methods that it keeps in order */
    abstract ExecutorDescriptor describe(List<String> methods, int limit, Shown shown);

    /**
     * Shows a key and what holds it up.
     *
     * @return null if it has no tasks any more
     */
    abstract @Nullable AnyKeyDescriptor describeKey(Object key, int limit, Shown shown);

    final String state() {
        if (executor.isTerminated()) {
            return "terminated";
        }
        if (executor.isShutdown()) {
            return "shut-down";
        }
        return executor.control().isPaused() ? "paused" : "running";
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
                policy instanceof FailurePolicy.Retry retry ? RetryDescriptor.of(retry) : null,
                settings.reservationLease());
    }

    /** Returns an inspection, which reads stacks only if stacks are shown. */
    final ExecutorInspection inspect(Shown shown) {
        ExecutorInspection inspection = executor().inspect();
        return shown.stacks() ? inspection.withStacks() : inspection;
    }

    /** Returns how long a submission waits for room at most; null if it does not wait, or waits without a limit. */
    private static @Nullable Duration timeoutOf(Overflow overflow) {
        return overflow instanceof Overflow.Block block && block.limit().toSeconds() < Long.MAX_VALUE
                ? block.limit()
                : null;
    }

    /** Returns the name of an overflow policy, as in the property. */
    private static String nameOf(Overflow overflow) {
        if (overflow instanceof Overflow.Block) {
            return "block";
        }
        return overflow instanceof Overflow.DiscardOldest ? "discard-oldest" : "reject";
    }

    /** Returns the running tasks, the oldest first. */
    final List<RunningTaskDescriptor> running(Predicate<@Nullable Object> ofKey, int limit, Shown shown) {
        return oldestTasks(ofKey).limit(limit).map(shown::runningTask).toList();
    }

    final Stream<RunningTask> oldestTasks(Predicate<@Nullable Object> ofKey) {
        return executor.inspect().runningTasks().stream()
                .filter(task -> ofKey.test(task.key()))
                .sorted(OLDEST_FIRST);
    }

    // what can be done

    final OrderedExecutor executor() {
        return executor;
    }

    abstract boolean hasKey(Object key);

    abstract Stream<Object> liveKeys();
}
