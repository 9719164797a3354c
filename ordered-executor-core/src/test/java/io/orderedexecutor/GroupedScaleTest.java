package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Peer;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many tasks: nothing is counted, compared or nested once for each of them, and nothing remains. */
class GroupedScaleTest {
    /** Making groups is part of the cost of a submission, and not looked at here. */
    private static final Groups A = Groups.exclusive("a");

    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(steps).build();

    /** Tasks that run in the order of their numbers, each once. */
    private static final class Sequence {
        private int next;
        private String violation = "";

        Runnable task(int number) {
            return () -> {
                if (number != next) {
                    violation = number + " ran in place of " + next;
                }
                next++;
            };
        }

        void assertRan(int tasks) {
            assertThat(violation).isEmpty();
            assertThat(next).isEqualTo(tasks);
        }
    }

    private static void assertNothingIsLeft(GroupedExecutor executor, long completed, long cancelled) {
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, completed, 0, cancelled, 0));
        assertThat(executor.inspect().deepestKeys(1)).isEmpty();
    }

    /** Counts how often it is compared. */
    private record Key(int number, AtomicInteger comparisons) {
        @Override
        public boolean equals(Object other) {
            comparisons.incrementAndGet();
            return other instanceof Key key && key.number == number;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }

    @Test
    @DisplayName("a submission behind 10,000 queued tasks looks at no more keys than one behind 100")
    void submissionDoesNotLookAtWhatIsQueued() {
        AtomicInteger comparisons = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        int[] spent = new int[10_000];
        for (int i = 0; i < spent.length; i++) {
            int before = comparisons.get();
            Groups groups = Groups.exclusive(new Key(i % 100, comparisons), new Key((i + 1) % 100, comparisons));
            executor.execute(groups, runs::incrementAndGet);
            spent[i] = comparisons.get() - before;
        }
        assertThat(Arrays.stream(spent).max().orElseThrow()).isBetween(1, 8);
        assertThat(executor.inspect().stats().queued()).isEqualTo(spent.length);
        comparisons.set(0);
        steps.runAll();
        assertThat(runs).hasValue(spent.length);
        assertThat(comparisons).as("comparisons while tasks end").hasValue(0);
    }

    @Test
    @DisplayName("of 10,000 live tasks of 100 classes, each is compared with the 100 of its class at most")
    void comparisonsAreWithinAClass() {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        int most = 0;
        for (int i = 0; i < 10_000; i++) {
            int before = calls.get();
            executor.execute(new Peer("", runs::incrementAndGet, that -> calls.incrementAndGet() > 0, i % 100));
            most = Math.max(most, calls.get() - before);
        }
        assertThat(most).isEqualTo(2 * 99);
        calls.set(0);
        steps.runAll();
        assertThat(calls).as("calls while tasks end").hasValue(0);
        executor.execute(new Peer("", runs::incrementAndGet, that -> calls.incrementAndGet() > 0, 1));
        assertThat(calls).as("calls for tasks that have ended").hasValue(0);
        steps.runAll();
        assertThat(runs).hasValue(10_001);
        assertNothingIsLeft(executor, 10_001, 0);
    }

    @Test
    @DisplayName("200,000 tasks of one group, by steps and on threads, are no recursion")
    void manyTasksOfOneGroup() {
        GroupedExecutor threaded = GroupedExecutor.builder().threads(2).build();
        for (GroupedExecutor each : List.of(executor, threaded)) {
            Sequence sequence = new Sequence();
            for (int i = 0; i < 200_000; i++) {
                each.execute(A, sequence.task(i));
            }
            steps.runAll();
            Patience.terminate(each);
            sequence.assertRan(200_000);
            assertNothingIsLeft(each, 200_000, 0);
        }
    }

    /** A stage in the way, then what is to be queued, then the end of the stage. */
    private static void queueBehind(GroupedExecutor executor, Groups groups, Consumer<GroupedExecutor> submissions) {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync(groups, () -> stage);
        submissions.accept(executor);
        stage.complete(1);
        Patience.terminate(executor);
    }

    /** One whose tasks run where they are handed over, and one that is refused all hand-overs after the first. */
    private static List<GroupedExecutor> executorsWithoutThreads() {
        AtomicInteger handOvers = new AtomicInteger();
        Executor refusing = task -> {
            if (handOvers.getAndIncrement() > 0) {
                throw new RejectedExecutionException("refused by the test");
            }
            task.run();
        };
        return List.of(
                GroupedExecutor.builder().executor(Runnable::run).build(),
                GroupedExecutor.builder().executor(refusing).build());
    }

    @Test
    @DisplayName("100,000 successors that get no thread but that of the stage before them are no recursion")
    void successorsThatGetNoThread() {
        executorsWithoutThreads().forEach(each -> {
            Sequence sequence = new Sequence();
            queueBehind(each, A, queue -> {
                for (int i = 0; i < 100_000; i++) {
                    queue.execute(A, sequence.task(i));
                }
            });
            sequence.assertRan(100_000);
            assertNothingIsLeft(each, 100_001, 0);
        });
    }

    @Test
    @DisplayName("nor if each of them makes two ready, of which one leads on")
    void successorsThatBranch() {
        executorsWithoutThreads().forEach(each -> {
            Sequence sequence = new Sequence();
            AtomicInteger branches = new AtomicInteger();
            queueBehind(each, A, queue -> {
                for (int i = 0; i < 15_000; i++) {
                    queue.execute(Groups.exclusive("a", i), sequence.task(i));
                    queue.execute(Groups.exclusive(i), branches::incrementAndGet);
                }
            });
            sequence.assertRan(15_000);
            assertThat(branches).hasValue(15_000);
            assertNothingIsLeft(each, 30_001, 0);
        });
    }

    @Test
    @DisplayName("100,000 asynchronous tasks of one group whose stages are complete already are no recursion")
    void completeStages() {
        GroupedExecutor callerRuns = executorsWithoutThreads().get(0);
        Sequence sequence = new Sequence();
        queueBehind(callerRuns, A, queue -> {
            for (int i = 0; i < 100_000; i++) {
                Runnable task = sequence.task(i);
                queue.submitAsync(A, () -> {
                    task.run();
                    return CompletableFuture.completedFuture(1);
                });
            }
        });
        sequence.assertRan(100_000);
        assertNothingIsLeft(callerRuns, 100_001, 0);
    }

    @Test
    @DisplayName("40,000 tasks that are not compatible, half of them cancelled, are no recursion")
    void successorsByPredicate() {
        executorsWithoutThreads().forEach(each -> {
            Sequence sequence = new Sequence();
            List<Future<?>> cancelled = new ArrayList<>();
            queueBehind(each, Groups.all(), queue -> {
                for (int i = 0; i < 20_000; i++) {
                    // a class for each two: otherwise all would have to be compared with all
                    Peer first = new Peer("", () -> {}, that -> false, i);
                    Peer second = new Peer("", sequence.task(i), that -> false, i);
                    cancelled.add(queue.asExecutorService().submit((Runnable) first));
                    queue.execute(second);
                }
                cancelled.forEach(future -> future.cancel(false));
            });
            assertThat(sequence.next).isEqualTo(20_000);
            assertNothingIsLeft(each, 20_001, 20_000);
        });
    }

    @Test
    @DisplayName("1,000,000 distinct groups leave nothing behind, and the table is as small as before")
    void aMillionGroups() {
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 1_000_000; i++) {
            executor.execute(Groups.exclusive(i), runs::incrementAndGet);
            if (i % 50_000 == 49_999) {
                steps.runAll();
            }
        }
        assertThat(runs).hasValue(1_000_000);
        assertNothingIsLeft(executor, 1_000_000, 0);
    }
}
