package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On the threads of others, which refuse, run inline, run twice, or throw afterwards. */
class GroupedBorrowedExecutorTest {
    private static final int KEYS = 10;

    private final AtomicInteger overlaps = new AtomicInteger();
    private final AtomicInteger[] inside = new AtomicInteger[KEYS];

    /** A task of two groups that tells whether another one is there, too. */
    private final class Task implements Runnable {
        private final int first;
        private final int second;
        final AtomicInteger runs = new AtomicInteger();

        Task(int first, int second) {
            this.first = first;
            this.second = second;
        }

        Groups groups() {
            return Groups.exclusive(first, second);
        }

        @Override
        public void run() {
            boolean overlaps = inside[first].getAndIncrement() != 0;
            overlaps |= first != second && inside[second].getAndIncrement() != 0;
            runs.incrementAndGet();
            inside[first].decrementAndGet();
            if (first != second) {
                inside[second].decrementAndGet();
            }
            if (overlaps) {
                GroupedBorrowedExecutorTest.this.overlaps.incrementAndGet();
            }
        }
    }

    /** Two producers of rollups; each that was accepted runs once, the others never. */
    private void load(Executor threads) {
        long seed = Long.getLong("seed", System.nanoTime());
        for (int i = 0; i < KEYS; i++) {
            inside[i] = new AtomicInteger();
        }
        GroupedExecutor executor = GroupedExecutor.builder().executor(threads).build();
        List<Task> accepted = new ArrayList<>();
        List<Task> refused = new ArrayList<>();
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            SplittableRandom random = new SplittableRandom(seed + p);
            Thread producer = new Thread(() -> {
                for (int i = 0; i < 5_000; i++) {
                    Task task = new Task(random.nextInt(KEYS), random.nextInt(KEYS));
                    boolean in = RefusingExecutor.accepts(() -> executor.execute(task.groups(), task));
                    synchronized (accepted) {
                        (in ? accepted : refused).add(task);
                    }
                }
            });
            producer.setUncaughtExceptionHandler((thread, thrown) -> {
                overlaps.incrementAndGet();
                thrown.printStackTrace();
            });
            producers.add(producer);
        }
        producers.forEach(Thread::start);
        producers.forEach(Patience::join);
        Patience.terminate(executor);
        assertThat(overlaps).as("overlaps; seed %d", seed).hasValue(0);
        assertThat(accepted).as("seed %d", seed).allMatch(task -> task.runs.get() == 1);
        assertThat(refused).as("seed %d", seed).allMatch(task -> task.runs.get() == 0);
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, accepted.size(), 0, 0, refused.size()));
        assertThat(accepted.size() + refused.size()).isEqualTo(10_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10})
    @DisplayName("a pool that refuses every n-th hand-over")
    void refuses(int every) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        load(new RefusingExecutor(pool, every));
        pool.shutdown();
    }

    @Test
    void theCallersThread() {
        load(Runnable::run);
    }

    @Test
    void runsTwice() {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        load(task -> {
            pool.execute(task);
            pool.execute(task);
        });
        pool.shutdown();
    }

    @Test
    @DisplayName("a refused rollup leaves its places, and what was accepted behind it meanwhile runs")
    void acceptedBehindARefusedOne() {
        SteppedExecutor steps = new SteppedExecutor();
        List<Runnable> meanwhile = new ArrayList<>();
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(step -> {
                    if (!meanwhile.isEmpty()) {
                        meanwhile.remove(0).run();
                        throw new RejectedExecutionException("refused by the test");
                    }
                    steps.execute(step);
                })
                .build();
        List<String> ran = new ArrayList<>();
        meanwhile.add(() -> {
            executor.execute(Groups.exclusive("b", "c"), () -> ran.add("bc"));
            executor.execute(Groups.exclusive("a"), () -> ran.add("a"));
        });
        assertThatThrownBy(() -> executor.execute(Groups.exclusive("a", "b"), () -> ran.add("refused")))
                .isInstanceOf(RejectedExecutionException.class);
        steps.runAll();
        assertThat(ran).containsExactlyInAnyOrder("bc", "a");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a succession of 100,000 rollups on whatever thread is at hand needs no stack")
    void longSuccession(boolean refuses) {
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(refuses ? steps : Runnable::run)
                .build();
        CompletableFuture<Integer> first = new CompletableFuture<>();
        executor.submitAsync(Groups.exclusive(0, 1), () -> first);
        steps.runAll();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger outOfOrder = new AtomicInteger();
        for (int i = 0; i < 100_000; i++) {
            int number = i;
            executor.execute(Groups.exclusive(i % 3, (i + 1) % 3), () -> {
                if (ran.getAndIncrement() != number) {
                    outOfOrder.incrementAndGet();
                }
            });
        }
        steps.refuse(refuses);
        assertThat(ran).hasValue(0);
        first.complete(1);
        Patience.terminate(executor);
        assertThat(ran).hasValue(100_000);
        assertThat(outOfOrder).hasValue(0);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 100_001, 0, 0, 0));
    }

    @Test
    @DisplayName("30,000 readers that a writer lets go, and 30,000 that are cancelled one behind the other")
    void manyAtOnce() {
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder().executor(steps).build();
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<Integer>> cancelled = new ArrayList<>();
        CompletableFuture<Integer> writer = executor.submit(Groups.exclusive("a"), ran::incrementAndGet);
        for (int i = 0; i < 30_000; i++) {
            executor.execute(Groups.shared("a"), ran::incrementAndGet);
            cancelled.add(executor.submit(Groups.exclusive("b", "c"), ran::incrementAndGet));
        }
        executor.execute(Groups.shared("b"), ran::incrementAndGet);
        cancelled.forEach(future -> future.cancel(false));
        writer.cancel(false);
        steps.runAll();
        assertThat(ran).hasValue(30_001);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 30_001, 0, 30_001, 0));
    }

    private final AtomicInteger started = new AtomicInteger();

    /** On a direct executor; counts the threads that it starts. */
    private GroupedExecutor direct() {
        return GroupedExecutor.builder()
                .executor(Runnable::run)
                .platform(new Platform() {
                    @Override
                    public void start(Thread thread) {
                        started.incrementAndGet();
                        super.start(thread);
                    }
                })
                .build();
    }

    @RepeatedTest(20)
    @DisplayName("on a direct executor, readers that a writer submits have run when the submission of that returns")
    void readersOfAWriterThatRunsInline() {
        readersThatRunInline(() -> {}, executor -> {});
    }

    @RepeatedTest(20)
    @DisplayName("the same, if they wait for a barrier that the writer has submitted")
    void readersBehindABarrierThatRunsInline() {
        AtomicInteger barriers = new AtomicInteger();
        readersThatRunInline(
                () -> assertThat(barriers).hasValue(1),
                executor -> executor.execute(Groups.all(), barriers::incrementAndGet));
    }

    private void readersThatRunInline(Runnable afterwards, Consumer<GroupedExecutor> first) {
        GroupedExecutor executor = direct();
        List<Thread> ran = new CopyOnWriteArrayList<>();
        executor.execute(Groups.exclusive("a"), () -> {
            first.accept(executor);
            for (int i = 0; i < 200; i++) {
                executor.execute(Groups.shared("a"), () -> ran.add(Thread.currentThread()));
            }
        });
        assertThat(ran).hasSize(200).containsOnly(Thread.currentThread());
        assertThat(started).hasValue(0);
        afterwards.run();
        Patience.terminate(executor);
    }

    @Test
    @DisplayName(
            "on a direct executor, 17 readers that a writer submits and that wait for another group start no thread")
    void readersThatWaitForAnotherGroup() {
        GroupedExecutor executor = direct();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> holder = executor.submitAsync(Groups.exclusive("b"), () -> stage);
        AtomicInteger ran = new AtomicInteger();
        executor.execute(Groups.exclusive("a"), () -> {
            for (int i = 0; i < 17; i++) {
                executor.execute(Groups.shared("a", "b"), ran::incrementAndGet);
            }
        });
        assertThat(started).hasValue(0);
        stage.complete(1);
        assertThat(holder).isCompletedWithValue(1);
        Patience.terminate(executor);
        assertThat(ran).hasValue(17);
    }

    @Test
    @DisplayName("a pool that drops all: shutdownNow ends 100,000 tasks behind each other without recursion")
    void aPoolThatDrops() {
        GroupedExecutor executor =
                GroupedExecutor.builder().executor(task -> {}).build();
        for (int i = 0; i < 100_000; i++) {
            executor.execute(Groups.exclusive(i % 3, (i + 1) % 3), () -> {});
        }
        assertThat(executor.shutdownNow()).hasSize(100_000);
        assertThat(executor.isTerminated()).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 100_000, 0));
    }
}
