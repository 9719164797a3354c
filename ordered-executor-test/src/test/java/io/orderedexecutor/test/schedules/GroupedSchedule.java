package io.orderedexecutor.test.schedules;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.WhenBusy;
import io.orderedexecutor.test.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Tasks of one or several groups, shared and exclusive, and of all. */
record GroupedSchedule(GroupedExecutor executor, KeyedSchedule.Keys keys) implements KeyedSchedule.Keyed<Groups> {
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final List<Groups> GROUPS = List.of(
            Groups.exclusive("a"),
            Groups.exclusive("b"),
            Groups.exclusive("a", "b"),
            Groups.exclusive("b", "c"),
            Groups.shared("a"),
            Groups.shared("a", "c"),
            Groups.exclusive("b").andShared("a"),
            Groups.all(),
            Groups.allShared());

    static void run(Simulation simulation) {
        KeyedSchedule.run(simulation, new GroupModel(), GroupedSchedule::of);
    }

    private static GroupedSchedule of(KeyedSchedule<Groups> schedule) {
        GroupedExecutorBuilder builder = schedule.simulation.grouped("grouped");
        schedule.configure(builder, builder::keyCapacity, builder::reservationLease);
        GroupedExecutor executor = builder.build();
        KeyedSchedule.Keys keys = new KeyedSchedule.Keys(
                NAMES,
                executor.control()::pause,
                executor.control()::resume,
                executor.control()::skip,
                () -> !executor.inspect().parkedTasks().isEmpty());
        return new GroupedSchedule(executor, keys);
    }

    /** Groups that share one conflict, unless both only share it. */
    static final class GroupModel extends Model {
        @Override
        boolean conflict(@Nullable Object one, @Nullable Object other) {
            return one instanceof Groups groups && other instanceof Groups others && conflict(groups, others);
        }

        private static boolean conflict(Groups one, Groups other) {
            if (one.areAll() || other.areAll()) {
                return true;
            }
            if (one.areAllShared() || other.areAllShared()) {
                Groups rest = one.areAllShared() ? other : one;
                return !rest.areAllShared() && !rest.exclusiveGroups().isEmpty();
            }
            return touches(one.exclusiveGroups(), other) || touches(other.exclusiveGroups(), one);
        }

        private static boolean touches(List<Object> exclusive, Groups other) {
            return exclusive.stream()
                    .anyMatch(group -> other.exclusiveGroups().contains(group)
                            || other.sharedGroups().contains(group));
        }

        @Override
        List<Object> countedIn(@Nullable Object key) {
            if (!(key instanceof Groups groups) || groups.areAll() || groups.areAllShared()) {
                return List.of();
            }
            List<Object> all = new ArrayList<>(groups.exclusiveGroups());
            all.addAll(groups.sharedGroups());
            return all;
        }
    }

    @Override
    public List<Groups> targets() {
        return GROUPS;
    }

    /** Groups know only one. */
    @Override
    public List<@Nullable WhenBusy> modes() {
        return Collections.singletonList(null);
    }

    @Override
    public void execute(Groups groups, Job job, @Nullable WhenBusy whenBusy) {
        executor.execute(groups, job);
    }

    @Override
    public CompletableFuture<String> submit(Groups groups, Job job, @Nullable WhenBusy whenBusy) {
        return executor.submit(groups, job);
    }

    @Override
    public CompletableFuture<String> submitAsync(Groups groups, Job job, @Nullable WhenBusy whenBusy) {
        return executor.submitAsync(groups, job);
    }

    /** Groups know no items. */
    @Override
    public CompletableFuture<?> submitItem(Groups groups, Job job) {
        return executor.submit(groups, job);
    }

    @Override
    public Reservation reserve(Groups groups, Overflow overflow) {
        return executor.with(overflow).reserve(groups);
    }
}
