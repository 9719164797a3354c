package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What happens between the search for a task's groups and the moment when they are locked. The keys' {@code equals} is
 * called in between, so a key can do there what another thread might have done.
 */
class GroupedAdmissionTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(steps).build();
    private final List<String> ran = new ArrayList<>();

    /** All in one bin. */
    private static final class Key {
        private final String name;
        private Runnable onSearch;

        Key(String name) {
            this.name = name;
        }

        @Override
        public boolean equals(Object other) {
            Runnable once = onSearch;
            if (once != null) {
                onSearch = null;
                once.run();
            }
            return other instanceof Key key && key.name.equals(name);
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    private CompletableFuture<Integer> hold(Groups groups, String name) {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync(groups, () -> {
            ran.add(name);
            return stage;
        });
        return stage;
    }

    @Test
    @DisplayName("a group that was not found, and is opened by another thread before it is locked, is not opened again")
    void openedMeanwhile() {
        hold(Groups.exclusive(new Key("neighbour")), "neighbour");
        Key searched = new Key("a");
        Groups groups = Groups.exclusive(searched, "b");
        List<CompletableFuture<Integer>> stages = new ArrayList<>();
        searched.onSearch = () -> stages.add(hold(Groups.exclusive(new Key("a")), "first"));
        stages.add(hold(groups, "second"));
        steps.runAll();
        assertThat(ran).containsExactly("neighbour", "first");
        assertThat(executor.inspect().stats().keys()).isEqualTo(3);
        stages.get(0).complete(1);
        steps.runAll();
        assertThat(ran).containsExactly("neighbour", "first", "second");
    }

    @Test
    @DisplayName("a group that was found, and is removed by its last task before it is locked, is not used")
    void removedMeanwhile() {
        CompletableFuture<Integer> first = hold(Groups.exclusive(new Key("a")), "first");
        steps.runAll();
        Key searched = new Key("a");
        Groups groups = Groups.exclusive(searched, "b");
        searched.onSearch = () -> first.complete(1);
        CompletableFuture<Integer> second = hold(groups, "second");
        hold(Groups.exclusive(new Key("a")), "third");
        steps.runAll();
        assertThat(ran).containsExactly("first", "second");
        assertThat(executor.inspect().snapshot(new Key("a")))
                .contains(new KeySnapshot(searched, 1, 0, Duration.ZERO, 1, false, false));
        second.complete(1);
        steps.runAll();
        assertThat(ran).containsExactly("first", "second", "third");
    }

    @Test
    @DisplayName("a submission that meets a shutdown when it has looked for one already is refused")
    void shutDownMeanwhile() {
        CompletableFuture<Integer> neighbour = hold(Groups.exclusive(new Key("neighbour")), "neighbour");
        steps.runAll();
        Key searched = new Key("a");
        Groups groups = Groups.exclusive(searched);
        searched.onSearch = executor::shutdown;
        assertThatThrownBy(() -> executor.execute(groups, () -> ran.add("late")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.isTerminated()).isFalse();
        neighbour.complete(1);
        steps.runAll();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(ran).containsExactly("neighbour");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 1));
    }

    /** Guarded by the exclusion of its group: an overlap loses some of the steps. */
    private static final class Counter {
        private int steps;
    }

    @Test
    @DisplayName("three submitters of rollups over few groups, which open and close all the time, lose nothing")
    void rollupsOfSeveralSubmitters() {
        int groups = 6;
        int tasksOfEach = 20_000;
        int submitters = 3;
        GroupedExecutor threaded = GroupedExecutor.builder().threads(2).build();
        List<Counter> counters = new ArrayList<>();
        for (int i = 0; i < groups; i++) {
            counters.add(new Counter());
        }
        CyclicBarrier start = new CyclicBarrier(submitters);
        List<Thread> threads = new ArrayList<>();
        for (int submitter = 0; submitter < submitters; submitter++) {
            SplittableRandom random = new SplittableRandom(submitter);
            threads.add(new Thread(() -> {
                Patience.meet(start);
                for (int i = 0; i < tasksOfEach; i++) {
                    int first = random.nextInt(groups);
                    int second = (first + 1 + random.nextInt(groups - 1)) % groups;
                    threaded.execute(Groups.exclusive(first, second), () -> {
                        counters.get(first).steps++;
                        counters.get(second).steps++;
                    });
                }
            }));
        }
        threads.forEach(Thread::start);
        threads.forEach(Patience::join);
        Patience.terminate(threaded);
        assertThat(counters.stream().mapToInt(counter -> counter.steps).sum()).isEqualTo(2 * submitters * tasksOfEach);
        assertThat(threaded.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, (long) submitters * tasksOfEach, 0, 0, 0));
    }
}
