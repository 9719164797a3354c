package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Allocation;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * How much a task with one exclusive group allocates, from its submission to its end, all on this thread. The bounds
 * leave room for a field or two; not for one more object, or for a list. They are of what the code allocates when it is
 * interpreted: how much of that the compiler leaves out depends on what has run in this JVM before.
 */
class GroupedAllocationTest {
    private static final int TASKS = 50_000;

    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(steps).build();

    private static void nothing() {}

    private double bytesPerTask(IntConsumer submission) {
        long bytes = Allocation.ofLeastRound(() -> {
            for (int task = 0; task < TASKS; task++) {
                submission.accept(task);
            }
            steps.runAll();
        });
        int tasks = Allocation.ROUNDS * TASKS;
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, tasks, 0, 0, 0));
        return (double) bytes / TASKS;
    }

    @Test
    @DisplayName("a task behind others of its group: a link, and what is needed to find the group")
    void behindOthers() {
        Groups kept = Groups.exclusive("a");
        assertThat(bytesPerTask(i -> executor.execute(kept, GroupedAllocationTest::nothing)))
                .isBetween(24.0, 72.0);
    }

    @Test
    @DisplayName("with groups that are made for each submission")
    void withGroupsOfItsOwn() {
        assertThat(bytesPerTask(i -> executor.execute(Groups.exclusive("a"), GroupedAllocationTest::nothing)))
                .isBetween(24.0, 160.0);
    }

    @Test
    @DisplayName("a task that opens its group and closes it")
    void alone() {
        Groups[] kept = groups(1_000, i -> Groups.exclusive(i));
        assertThat(bytesPerTask(i -> {
                    executor.execute(kept[i % kept.length], GroupedAllocationTest::nothing);
                    steps.runAll();
                }))
                .isBetween(100.0, 400.0);
    }

    @Test
    @DisplayName("a rollup of two groups that opens them and closes them")
    void rollup() {
        Groups[] kept = groups(1_000, i -> Groups.exclusive(i, -1 - i));
        assertThat(bytesPerTask(i -> {
                    executor.execute(kept[i % kept.length], GroupedAllocationTest::nothing);
                    steps.runAll();
                }))
                .isBetween(100.0, 688.0);
    }

    private static Groups[] groups(int count, IntFunction<Groups> groups) {
        Groups[] all = new Groups[count];
        Arrays.setAll(all, groups);
        return all;
    }
}
