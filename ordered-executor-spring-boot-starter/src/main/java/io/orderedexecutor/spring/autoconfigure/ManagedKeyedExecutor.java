package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ExplanationDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.KeyedExecutorDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.ParkedTaskDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.QueuedTaskDescriptor;
import io.orderedexecutor.spring.autoconfigure.ExecutorDescriptor.RunningTaskDescriptor;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.ReservedPlaces;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A striped or grouped executor, seen from outside. A stripe is a group that a task has exclusively: both are keys. */
final class ManagedKeyedExecutor extends ManagedExecutor {

    ManagedKeyedExecutor(String name, OrderedExecutor executor) {
        super(name, executor);
    }

    @Override
    String type() {
        return executor() instanceof GroupedExecutor ? "grouped" : "striped";
    }

    @Override
    String key() {
        return "key";
    }

    // what is shown

    @Override
    KeyedExecutorDescriptor describe(List<String> methods, int limit, Shown shown) {
        ReservedPlaces reserved = executor().inspect().reserved();
        return new KeyedExecutorDescriptor(
                name(),
                type(),
                state(),
                describeSettings(),
                methods,
                stats(),
                reserved.count(),
                oldestReservedAge(reserved.count(), reserved.oldestReservedAge()),
                rejections(),
                executor().inspect().whenBusyStats(),
                oldestQueuedAge(),
                executor().inspect().deepestKeys(limit).stream()
                        .map(key -> describe(key, null, null, null, null, shown))
                        .toList(),
                running(key -> true, limit, shown),
                parked(key -> true, limit, shown),
                queued(executor().inspect().queuedTasks(limit).stream(), limit, shown));
    }

    @Override
    @Nullable
    KeyDescriptor describeKey(Object key, int limit, Shown shown) {
        KeySnapshot snapshot = executor().inspect().snapshot(key).orElse(null);
        if (snapshot == null) {
            return null;
        }
        // the object that opened the key, since this executor may compare keys by identity
        Object open = snapshot.key();
        Predicate<@Nullable Object> has =
                settings().identityStripes() ? other -> other == open : other -> has(other, open);
        return describe(
                snapshot,
                running(has, limit, shown),
                parked(has, limit, shown),
                queued(executor().inspect().queuedTasks(open, limit).stream(), limit, shown),
                ShownExplanation.of(inspect(shown).explain(open), shown),
                shown);
    }

    private static boolean has(@Nullable Object keyOfTask, Object key) {
        return key.equals(keyOfTask) || (keyOfTask instanceof Groups groups && groups.touch(key));
    }

    private static KeyDescriptor describe(
            KeySnapshot key,
            @Nullable List<RunningTaskDescriptor> running,
            @Nullable List<ParkedTaskDescriptor> parked,
            @Nullable List<QueuedTaskDescriptor> queued,
            @Nullable ExplanationDescriptor explanation,
            Shown shown) {
        return new KeyDescriptor(
                shown.key(key.key()),
                key.queued(),
                key.reserved(),
                oldestReservedAge(key.reserved(), key.oldestReservedAge()),
                key.active(),
                key.paused(),
                key.parked(),
                running,
                parked,
                queued,
                explanation);
    }

    /** Returns the age of the oldest reserved place, or null if nothing is reserved. */
    private static @Nullable Duration oldestReservedAge(long reserved, Duration age) {
        return reserved == 0 ? null : age.truncatedTo(ChronoUnit.MILLIS);
    }

    private List<ParkedTaskDescriptor> parked(Predicate<@Nullable Object> ofKey, int limit, Shown shown) {
        return executor().inspect().parkedTasks().stream()
                .filter(task -> ofKey.test(task.key()))
                .limit(limit)
                .map(task -> new ParkedTaskDescriptor(
                        shown.key(task.key()),
                        queuedBehind(task),
                        task.age().truncatedTo(ChronoUnit.MILLIS),
                        shown.task(task.task()),
                        task.attempts(),
                        shown.failure(task.failure())))
                .toList();
    }

    /** Returns the largest number of queued tasks that a key of a parked task has. */
    private long queuedBehind(ParkedTask parked) {
        return keysOf(parked.key())
                .flatMap(key -> executor().inspect().snapshot(key).stream())
                .mapToLong(KeySnapshot::queued)
                .max()
                .orElse(0);
    }

    private static List<QueuedTaskDescriptor> queued(Stream<QueuedTask> tasks, int limit, Shown shown) {
        return tasks.limit(limit)
                .map(task -> new QueuedTaskDescriptor(
                        shown.key(task.key()),
                        task.waitsFor().stream().map(shown::key).toList()))
                .toList();
    }

    @Override
    boolean hasKey(Object key) {
        return executor().inspect().snapshot(key).isPresent();
    }

    @Override
    Stream<Object> liveKeys() {
        return executor().inspect().deepestKeys(Integer.MAX_VALUE).stream().map(KeySnapshot::key);
    }
}
