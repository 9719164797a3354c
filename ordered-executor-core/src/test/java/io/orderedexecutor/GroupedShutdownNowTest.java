package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** R9: what shutdownNow takes back, in which order, and in which races. */
class GroupedShutdownNowTest {

    @Test
    @DisplayName("what is returned is what was submitted; futures are cancelled; a pool that drops all is no obstacle")
    void asSubmitted() {
        GroupedExecutor executor =
                GroupedExecutor.builder().executor(task -> {}).build();
        Runnable plain = () -> {};
        Runnable grouped = () -> {};
        Runnable viaView = () -> {};
        OrderedTask ordered = new SteppedGroups().named("ordered");
        executor.execute(AB, grouped);
        CompletableFuture<Integer> callable = executor.submit(A, () -> 1);
        executor.executorFor(B).execute(viaView);
        CompletableFuture<Integer> async = executor.submitAsync(AB, () -> CompletableFuture.completedFuture(1));
        executor.execute(ordered);
        Future<?> ofPlain = executor.asExecutorService().submit(plain);
        List<Runnable> takenBack = executor.shutdownNow();
        assertThat(executor.isTerminated()).isTrue();
        assertThat(takenBack)
                .containsExactlyInAnyOrder(grouped, (Runnable) callable, viaView, (Runnable) async, ordered, plain)
                .containsSubsequence(grouped, (Runnable) callable, (Runnable) async)
                .containsSubsequence(grouped, viaView, (Runnable) async);
        for (Future<?> future : List.of(callable, async, ofPlain)) {
            assertThat(future.isCancelled()).isTrue();
        }
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 6, 0));
        assertThat(executor.shutdownNow()).isEmpty();
    }

    @Test
    @DisplayName("what was taken back needs no turn of a thread that may never come")
    void turnsOfOneTask() {
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(task -> {})
                .turn(1, Duration.ofNanos(1))
                .build();
        for (int i = 0; i < 10; i++) {
            executor.execute(Groups.exclusive("a"), () -> {});
        }
        executor.execute(Groups.exclusive("a", "b"), () -> {});
        assertThat(executor.shutdownNow()).hasSize(11);
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("tasks that conflict are returned in the order of their submission, across all their groups")
    void order() {
        long seed = Long.getLong("seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        SteppedGroups groups = new SteppedGroups();
        Map<Object, List<Integer>> submitted = new HashMap<>();
        Map<Runnable, Integer> numbers = new HashMap<>();
        Map<Integer, List<Integer>> keys = new HashMap<>();
        for (int i = 0; i < 2_000; i++) {
            List<Integer> own = new ArrayList<>();
            for (int k = random.nextInt(1, 4); k > 0; k--) {
                own.add(random.nextInt(20));
            }
            Runnable task = groups.named("task " + i);
            boolean barrier = random.nextInt(100) == 0;
            groups.executor.execute(barrier ? Groups.all() : Groups.exclusive(own.toArray()), task);
            numbers.put(task, i);
            keys.put(
                    i, barrier ? java.util.stream.IntStream.range(0, 20).boxed().toList() : own);
            keys.get(i)
                    .forEach(key -> submitted
                            .computeIfAbsent(key, ignored -> new ArrayList<>())
                            .add(numbers.get(task)));
        }
        List<Runnable> takenBack = groups.executor.shutdownNow();
        assertThat(takenBack).hasSize(2_000);
        Map<Object, List<Integer>> returned = new HashMap<>();
        for (Runnable task : takenBack) {
            int number = numbers.get(task);
            keys.get(number)
                    .forEach(key -> returned.computeIfAbsent(key, ignored -> new ArrayList<>())
                            .add(number));
        }
        assertThat(returned).as("seed %d", seed).isEqualTo(submitted);
        groups.assertAllEnded(0, 0, 2_000);
    }

    @Test
    @DisplayName(
            "a running rollup is interrupted, one that is asynchronous is cancelled, what waits for them never runs")
    void runningOnes() {
        GroupedExecutor executor = GroupedExecutor.builder().threads(2).build();
        CountDownLatch running = new CountDownLatch(2);
        CompletableFuture<Boolean> interrupted = executor.submit(AB, () -> {
            running.countDown();
            try {
                return new CountDownLatch(1).await(Patience.SECONDS, java.util.concurrent.TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                return true;
            }
        });
        CompletableFuture<Object> held = executor.submitAsync(Groups.exclusive("c"), () -> {
            running.countDown();
            return new CompletableFuture<>();
        });
        CompletableFuture<Integer> behind = executor.submit(Groups.exclusive("a", "c"), () -> 1);
        Patience.await(running);
        assertThat(executor.shutdownNow()).containsExactly((Runnable) behind);
        Patience.awaitTermination(executor);
        assertThat(interrupted).isCompletedWithValue(true);
        assertThat(List.of(held, behind)).allMatch(CompletableFuture::isCancelled);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 2, 0));
    }

    /** A task whose predicate stops until the test lets it go on. */
    private static final class Stopping implements OrderedTask {
        final AtomicInteger runs = new AtomicInteger();
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public boolean isCompatible(OrderedTask that) {
            asked.countDown();
            Patience.await(goOn);
            return false;
        }

        @Override
        public void run() {
            runs.incrementAndGet();
        }
    }

    @Test
    @DisplayName("a task that is being compared is taken back, and its submitter is none the wiser")
    void whileATaskIsCompared() {
        SteppedGroups groups = new SteppedGroups();
        SteppedGroups.Named first = groups.named("first");
        groups.executor.execute((OrderedTask) first);
        Stopping compared = new Stopping();
        Thread submitter = new Thread(() -> groups.executor.execute(compared));
        submitter.start();
        Patience.await(compared.asked);
        groups.executor.asExecutorService().execute(groups.named("plain"));
        assertThat(groups.executor.shutdownNow()).hasSize(3).containsSubsequence(first, compared);
        assertThat(groups.executor.isTerminated()).isTrue();
        compared.goOn.countDown();
        Patience.join(submitter);
        assertThat(groups.run()).isEmpty();
        assertThat(compared.runs).hasValue(0);
        groups.assertAllEnded(0, 0, 3);
    }

    @Test
    @DisplayName("a shutdown while a task is being compared waits for it")
    void shutdownWhileATaskIsCompared() {
        SteppedGroups groups = new SteppedGroups();
        groups.executor.execute((OrderedTask) groups.named("first"));
        Stopping compared = new Stopping();
        Thread submitter = new Thread(() -> groups.executor.execute(compared));
        submitter.start();
        Patience.await(compared.asked);
        groups.executor.shutdown();
        assertThat(groups.run()).containsExactly("first");
        assertThat(groups.executor.isTerminated()).isFalse();
        compared.goOn.countDown();
        Patience.join(submitter);
        groups.steps.runAll();
        assertThat(compared.runs).hasValue(1);
        groups.assertAllEnded(2, 0, 0);
    }

    @RepeatedTest(3)
    @DisplayName("in a race with submissions each task runs once, or was returned, or refused")
    void race() {
        long seed = Long.getLong("seed", System.nanoTime());
        GroupedExecutor executor = GroupedExecutor.builder().threads(2).build();
        int producers = 4;
        CountDownLatch warm = new CountDownLatch(producers);
        List<List<AtomicInteger>> counts = new ArrayList<>();
        List<Runnable> tasks = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            SplittableRandom random = new SplittableRandom(seed + p);
            List<AtomicInteger> own = new ArrayList<>();
            counts.add(own);
            threads.add(new Thread(() -> {
                for (int i = 0; i < 1_000_000; i++) {
                    AtomicInteger runs = new AtomicInteger();
                    Runnable task = runs::incrementAndGet;
                    try {
                        switch (random.nextInt(20)) {
                            case 0 -> executor.execute(Groups.all(), task);
                            case 1 -> executor.asExecutorService().execute(task);
                            case 2, 3, 4 -> executor.execute(Groups.shared(random.nextInt(9)), task);
                            default -> executor.execute(Groups.exclusive(random.nextInt(99), random.nextInt(99)), task);
                        }
                    } catch (RejectedExecutionException e) {
                        return;
                    }
                    own.add(runs);
                    if (i == 2_000) {
                        warm.countDown();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        Patience.await(warm);
        tasks.addAll(executor.shutdownNow());
        threads.forEach(Patience::join);
        Patience.awaitTermination(executor);
        tasks.forEach(Runnable::run); // so each should have run once now
        long accepted = counts.stream().mapToLong(List::size).sum();
        assertThat(counts.stream().flatMap(List::stream).filter(runs -> runs.get() != 1))
                .as("tasks that did not end once; seed %d", seed)
                .isEmpty();
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(List.of(stats.completed(), stats.cancelled()))
                .containsExactly(accepted - tasks.size(), (long) tasks.size());
        assertThat(List.of(stats.keys(), stats.queued(), stats.active())).containsOnly(0L);
    }
}
