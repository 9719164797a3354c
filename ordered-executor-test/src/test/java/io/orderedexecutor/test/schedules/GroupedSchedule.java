package io.orderedexecutor.test.schedules;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.Groups;
import io.orderedexecutor.test.Simulation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Tasks of one or several groups, shared and exclusive, and of all. */
final class GroupedSchedule extends Schedule {
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

    private final GroupedExecutor executor;

    private GroupedSchedule(Simulation simulation, Model model) {
        super(simulation, model);
        GroupedExecutorBuilder builder = configure(simulation.grouped("grouped"), REFUSES_OR_DROPS);
        configureFailures(builder);
        if (oneIn(3)) {
            builder.groupCapacity(1 + simulation.choose(2));
        }
        executor = builder.build();
    }

    static void run(Simulation simulation) {
        Model model = new Model() {
            @Override
            boolean conflict(@Nullable Object one, @Nullable Object other) {
                return one instanceof Groups groups && other instanceof Groups others && conflict(groups, others);
            }

            private boolean conflict(Groups one, Groups other) {
                if (one.areAll() || other.areAll()) {
                    return true;
                }
                if (one.areAllShared() || other.areAllShared()) {
                    Groups rest = one.areAllShared() ? other : one;
                    return !rest.areAllShared() && !rest.exclusiveGroups().isEmpty();
                }
                return touches(one.exclusiveGroups(), other) || touches(other.exclusiveGroups(), one);
            }

            private boolean touches(List<Object> exclusive, Groups other) {
                return exclusive.stream()
                        .anyMatch(group -> other.exclusiveGroups().contains(group)
                                || other.sharedGroups().contains(group));
            }
        };
        GroupedSchedule schedule = new GroupedSchedule(simulation, model);
        schedule.run(schedule.executor);
    }

    @Override
    CompletableFuture<?> place(String name) {
        Groups groups = oneOf(GROUPS);
        return oneIn(3) ? executor.submitAsync(groups, () -> stage(name)) : executor.submit(groups, () -> work(name));
    }

    @Override
    void steer() {
        String group = oneOf(NAMES);
        executor.pause(group);
        simulation.yieldPoint("paused " + group);
        executor.resume(group);
    }

    @Override
    void release() {
        NAMES.forEach(executor::resume);
        simulation.run();
        for (int parked = 0; parked < 50 && !executor.parkedTasks().isEmpty(); parked++) {
            NAMES.forEach(executor::skip);
            simulation.run();
        }
    }
}
