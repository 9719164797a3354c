package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.Explanation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Wait graphs at random: tasks with groups, which end when the test says so. A model knows which task waits for which;
 * each explanation must be a way through it, that ends at a task which waits for none.
 */
@Tag("no-second-try")
class ExplainModelTest {
    private static final int TASKS = 200;
    private static final int GROUPS = 8;

    private final long seed = Long.getLong("model.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final SteppedExecutor pool = new SteppedExecutor();
    private final GroupedExecutor executor = GroupedExecutor.builder()
            .name("bank")
            .executor(pool)
            .listener(new TaskListener() {})
            .build();
    private final List<Held> held = new ArrayList<>();
    private final Map<Object, Held> byTask = new HashMap<>();
    private int longest;

    /** A task that is active until its stage is complete. */
    private static final class Held implements Supplier<CompletionStage<String>> {
        private final Groups groups;
        private final CompletableFuture<String> stage = new CompletableFuture<>();
        private CompletableFuture<String> future;
        private int runs;

        Held(Groups groups) {
            this.groups = groups;
        }

        @Override
        public CompletionStage<String> get() {
            runs++;
            return stage;
        }

        boolean conflictsWith(Held other) {
            return groups.areAll()
                    || other.groups.areAll()
                    || sharesWith(other.groups, groups)
                    || sharesWith(groups, other.groups);
        }

        /** Whether one wants exclusively what the other wants at all. */
        private static boolean sharesWith(Groups one, Groups other) {
            return one.exclusiveGroups().stream()
                    .anyMatch(group -> other.exclusiveGroups().contains(group)
                            || other.sharedGroups().contains(group));
        }
    }

    @Test
    void eachExplanationIsAWayThroughTheGraph() {
        try {
            for (int i = 0; i < TASKS; i++) {
                submit();
                if (random.nextInt(3) == 0) {
                    completeOne();
                }
                explainAll();
            }
            while (!held.isEmpty()) {
                explainAll();
                completeOne();
            }
            executor.shutdown();
            pool.runAll();
            assertThat(executor.isTerminated()).isTrue();
            assertThat(byTask.values()).hasSize(TASKS).allSatisfy(task -> {
                assertThat(task.runs).isEqualTo(1);
                assertThat(task.future).isCompletedWithValue("done");
            });
            assertThat(longest).as("the longest way").isGreaterThan(3);
        } catch (Throwable failure) {
            throw new AssertionError("-Dmodel.seed=" + seed, failure);
        }
    }

    private void submit() {
        Held task = new Held(groups());
        held.add(task);
        byTask.put(task, task);
        task.future = executor.submitAsync(task.groups, task);
        pool.runAll();
    }

    private Groups groups() {
        if (random.nextInt(40) == 0) {
            return Groups.all();
        }
        Object first = random.nextInt(GROUPS);
        Object second = random.nextInt(GROUPS);
        return switch (random.nextInt(4)) {
            case 0 -> Groups.shared(first);
            case 1 ->
                first.equals(second)
                        ? Groups.exclusive(first)
                        : Groups.exclusive(first).andShared(second);
            case 2 -> Groups.exclusive(first);
            default -> first.equals(second) ? Groups.exclusive(first) : Groups.exclusive(first, second);
        };
    }

    private void completeOne() {
        List<Held> active = held.stream().filter(task -> task.runs > 0).toList();
        Held task = active.get(random.nextInt(active.size()));
        held.remove(task);
        task.stage.complete("done");
        pool.runAll();
    }

    private void explainAll() {
        for (Held task : held) {
            check(task, executor.inspect().explainTask(task.future));
        }
    }

    private void check(Held task, Explanation explanation) {
        List<Explanation.Cause> causes = explanation.causes();
        longest = Math.max(longest, causes.size());
        Held waiting = task;
        for (Explanation.Cause cause : causes) {
            boolean isLast = cause == causes.get(causes.size() - 1);
            assertThat(cause).isInstanceOf(isLast ? Explanation.Incomplete.class : Explanation.Queued.class);
            Object of = cause instanceof Explanation.Queued queued
                    ? queued.task()
                    : ((Explanation.Incomplete) cause).task();
            Held ahead = byTask.get(of);
            assertThat(ahead).as("the task of %s", cause).isNotNull();
            if (ahead == task) {
                assertThat(task.runs)
                        .as("it holds itself up only if it is active")
                        .isEqualTo(1);
                assertThat(isLast).isTrue();
            } else if (explanation.omitted() == 0) {
                assertThat(held.indexOf(ahead)).isBetween(0, held.indexOf(waiting) - 1);
                assertThat(ahead.conflictsWith(waiting))
                        .as("%s before %s", ahead.groups, waiting.groups)
                        .isTrue();
            }
            assertThat(ahead.runs).as("active").isEqualTo(isLast ? 1 : 0);
            waiting = ahead;
        }
    }
}
