package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.GroupDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.GroupedExecutorDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.OneGroupDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.ParkedTaskDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.QueuedTaskDescriptor;
import io.orderedexecutor.spring.actuate.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.GroupSnapshot;
import io.orderedexecutor.stats.GroupedExecutorStats;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.RunningTask;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A grouped executor, seen from outside. */
final class ManagedGroupedExecutor extends ManagedExecutor implements SteersKeys {
    private static final String KEY = "group";

    /** What a task has. */
    private static final String KEYS = "groups";

    private final GroupedExecutor executor;

    ManagedGroupedExecutor(String name, GroupedExecutor executor) {
        super(name, executor);
        this.executor = executor;
    }

    @Override
    String type() {
        return "grouped";
    }

    @Override
    String key() {
        return KEY;
    }

    @Override
    ToDoubleFunction<OrderedExecutorStats> keysIn() {
        return stats -> ((GroupedExecutorStats) stats).groups();
    }

    @Override
    ToDoubleFunction<OrderedExecutor> reserved() {
        return reserving -> ((GroupedExecutor) reserving).reserved();
    }

    @Override
    ToDoubleFunction<OrderedExecutor> oldestReservedNanos() {
        return reserving -> ((GroupedExecutor) reserving).oldestReservedAge().toNanos();
    }

    @Override
    int parked() {
        return executor.parkedTasks().size();
    }

    @Override
    @Nullable
    Explanation explainParked() {
        return executor.parkedTasks().stream()
                .findFirst()
                .map(ParkedTask::groups)
                .flatMap(groups -> Stream.concat(groups.exclusiveGroups().stream(), groups.sharedGroups().stream())
                        .findFirst())
                .map(executor::explain)
                .orElse(null);
    }

    // what is shown

    @Override
    GroupedExecutorDescriptor describe(int limit, Shown shown) {
        List<GroupDescriptor> deepest = executor.deepestGroups(limit).stream()
                .map(group -> new GroupDescriptor(
                        shown.key(KEY, group.group()),
                        group.queued(),
                        group.reserved(),
                        reservedAge(group.reserved(), group.reservedAge()),
                        group.active(),
                        group.paused()))
                .toList();
        return new GroupedExecutorDescriptor(
                name(),
                type(),
                state(),
                describeSettings(),
                executor.stats(),
                executor.reserved(),
                reservedAge(executor.reserved(), executor.oldestReservedAge()),
                rejections(),
                oldestQueuedAge(),
                deepest,
                running(oldestTasks(), limit, shown),
                parked(executor.parkedTasks().stream(), limit, shown),
                queued(executor.queuedTasks(limit).stream(), limit, shown));
    }

    @Override
    @Nullable
    OneGroupDescriptor describeKey(Object key, int limit, Shown shown) {
        GroupSnapshot group = executor.snapshot(key).orElse(null);
        if (group == null) {
            return null;
        }
        return new OneGroupDescriptor(
                shown.key(KEY, group.group()),
                group.queued(),
                group.reserved(),
                reservedAge(group.reserved(), group.reservedAge()),
                group.active(),
                group.paused(),
                running(oldestTasks().filter(task -> touches(task, key)), limit, shown),
                parked(
                        executor.parkedTasks().stream()
                                .filter(task -> task.groups().touch(key)),
                        limit,
                        shown),
                queued(
                        executor.queuedTasks(Integer.MAX_VALUE).stream()
                                .filter(task -> task.groups().touch(key)),
                        limit,
                        shown),
                ShownExplanation.of(executor.explain(key, shown.stacks()), shown));
    }

    private static boolean touches(RunningTask task, Object group) {
        return task.key() instanceof Groups groups && groups.touch(group);
    }

    private static List<RunningTaskDescriptor> running(Stream<RunningTask> tasks, int limit, Shown shown) {
        return tasks.limit(limit).map(task -> shown.runningTask(task, KEYS)).toList();
    }

    private static List<ParkedTaskDescriptor> parked(Stream<ParkedTask> tasks, int limit, Shown shown) {
        return tasks.limit(limit)
                .map(task -> new ParkedTaskDescriptor(shown.key(KEYS, task.groups()), shown.failure(task.failure())))
                .toList();
    }

    private static List<QueuedTaskDescriptor> queued(Stream<QueuedTask> tasks, int limit, Shown shown) {
        return tasks.limit(limit)
                .map(task -> new QueuedTaskDescriptor(
                        shown.key(KEYS, task.groups()),
                        task.waitsFor().stream()
                                .map(groups -> shown.key(KEYS, groups))
                                .toList()))
                .toList();
    }

    // what can be done

    @Override
    public void pauseKey(Object key) {
        executor.pause(key);
    }

    @Override
    public boolean resumeKey(Object key) {
        return executor.resume(key);
    }

    @Override
    public boolean skipKey(Object key) {
        return executor.skip(key);
    }

    @Override
    void setKeyCapacity(int keyCapacity) {
        executor.setGroupCapacity(keyCapacity);
    }

    @Override
    boolean hasKey(Object key) {
        return executor.snapshot(key).isPresent();
    }

    @Override
    Stream<Object> liveKeys() {
        return executor.deepestGroups(Integer.MAX_VALUE).stream().map(GroupSnapshot::group);
    }
}
