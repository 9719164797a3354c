package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.BC;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R10: a task that would wait for itself is told so, along whatever groups, and nobody is told so in vain. */
class GroupedSelfWaitTest {
    private final SteppedGroups groups = new SteppedGroups();

    /** Runs a task that waits for a future that is not done before itself. */
    private void assertTold(Groups of, Supplier<? extends Future<?>> behind, String... words) {
        CompletableFuture<String> task = groups.submit(of, "waits", () -> {
            assertThatThrownBy(() -> behind.get().get(Patience.SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContainingAll(words)
                    .hasMessageContaining(Thread.currentThread().getName());
            return "told";
        });
        groups.steps.runAll();
        assertThat(Patience.get(task)).isEqualTo("told");
        assertThat(groups.executor.inspect().stats().queued()).isZero();
    }

    @Test
    @DisplayName("a stage that is the future of a task that waits for this one, directly or through a rollup")
    void returned() {
        List<CompletableFuture<String>> inner = new ArrayList<>();
        for (Groups of : List.of(A, AB, B, Groups.all())) {
            CompletableFuture<String> outer = groups.executor.submitAsync(A, () -> {
                if (of == B) {
                    groups.execute(AB, "between");
                }
                inner.add(groups.submit(of, "behind"));
                return inner.get(inner.size() - 1);
            });
            groups.steps.runAll();
            assertThatThrownBy(outer::get)
                    .cause()
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("the future of task behind of ");
        }
        CompletableFuture<String> ofOthers = groups.executor.submitAsync(A, () -> {
            inner.add(groups.submit(BC, "independent"));
            return inner.get(inner.size() - 1);
        });
        groups.steps.runAll();
        assertThat(ofOthers).isCompleted();
        assertThat(inner).hasSize(5).allSatisfy(future -> assertThat(future).isCompleted());
        assertThat(groups.executor.inspect().stats().queued()).isZero();
        assertThat(groups.executor.inspect().stats().active()).isZero();
    }

    @Test
    @DisplayName("a shared one behind an exclusive one that waits for a barrier of shared groups, which is this task")
    void throughABarrierThatTheSharedOneDoesNotMeet() {
        assertTold(
                Groups.allShared(),
                () -> {
                    groups.execute(A, "between");
                    return groups.submit(Groups.shared("a"), "behind");
                },
                "task behind of shared key a of");
    }

    @Test
    @DisplayName("all groups wait for each task that shares a group")
    void throughABarrierBehindThoseThatShare() {
        CompletableFuture<Void> held = new CompletableFuture<>();
        groups.executor.submitAsync(Groups.shared("a"), () -> held);
        groups.steps.runAll();
        assertTold(
                Groups.shared("a"),
                () -> {
                    groups.execute(Groups.shared("a"), "after");
                    groups.executor.execute(B, () -> held.complete(null));
                    return groups.submit(Groups.all(), "behind");
                },
                "task behind of ");
    }

    @Test
    @DisplayName("all groups in shared mode wait for an exclusive task that waits for this one, which is shared")
    void throughAnExclusiveOneBehindASharedOne() {
        assertTold(
                Groups.shared("a"),
                () -> {
                    groups.execute(A, "between");
                    return groups.submit(Groups.allShared(), "behind");
                },
                "task behind of ");
    }

    @Test
    @DisplayName("all groups in shared mode wait for an exclusive task that waits for all groups in shared mode, "
            + "which this thread has reserved")
    void throughAnExclusiveOneBehindASharedBarrier() {
        CompletableFuture<Void> held = new CompletableFuture<>();
        groups.executor.submitAsync(A, () -> held);
        groups.steps.runAll();
        Reservation reserved = groups.executor.reserve(Groups.allShared());
        groups.execute(A, "between");
        CompletableFuture<String> behind = groups.submit(Groups.allShared(), "behind");
        assertThatThrownBy(() -> behind.get(Patience.SECONDS, TimeUnit.SECONDS)).isInstanceOf(SelfWaitException.class);
        held.complete(null);
        reserved.close();
        groups.steps.runAll();
        assertThat(Patience.get(behind)).isEqualTo("behind");
        assertThat(groups.executor.inspect().stats().queued()).isZero();
    }

    @Test
    @DisplayName("direct, through a rollup, through several rollups, a barrier, and what is within a group")
    void onOneThread() {
        assertTold(A, () -> groups.submit(A, "behind"), "waits for task behind of key a of", "bank");
        assertTold(A, () -> groups.submit(AB, "behind"), "task behind of keys a, b of");
        assertTold(Groups.shared("a"), () -> groups.submit(AB, "behind"), "task behind");
        assertTold(A, () -> groups.submit(Groups.shared("x", "a"), "behind"), "shared x, shared a");
        assertTold(
                A,
                () -> {
                    groups.execute(AB, "between");
                    groups.execute(BC, "between");
                    return groups.submit(C, "behind");
                },
                "task behind of key c");
        assertTold(A, () -> groups.submit(Groups.all(), "behind"), "task behind of all groups of");
        assertTold(
                A,
                () -> {
                    groups.execute(Groups.all(), "between");
                    return groups.submit(B, "behind");
                },
                "task behind of key b");
        assertTold(Groups.all(), () -> groups.submit(Groups.shared("z"), "behind"), "shared key z");
        assertTold(Groups.within("acme", 1), () -> groups.submit(Groups.exclusive("acme"), "behind"), "acme");
        assertTold(Groups.exclusive("acme"), () -> groups.submit(Groups.within("acme", 1), "behind"), "acme/1");
        assertTold(
                Groups.within("acme", 1),
                () -> {
                    groups.execute(Groups.exclusive("acme"), "between");
                    return groups.submit(Groups.within("acme", 2), "behind");
                },
                "acme/2");
    }

    @Test
    @DisplayName("OrderedTasks that are not compatible, and plain tasks behind a barrier")
    void predicates() {
        var service = groups.executor.asExecutorService();
        CompletableFuture<Future<?>> behind = new CompletableFuture<>();
        Future<?> task = service.submit((Runnable) groups.new Named("waits", () -> {
            behind.complete(service.submit((Runnable) groups.named("behind")));
            assertThatThrownBy(behind.get()::get)
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContainingAll("task behind", "bank");
            return "";
        }));
        groups.steps.runAll();
        Patience.get(task);
        assertThat(groups.took()).containsExactly("waits", "behind");
        assertTold(Groups.all(), () -> service.submit(() -> {}), "task");
        groups.assertAllEnded(4, 0, 0);
    }

    @Test
    @DisplayName("a reader may wait for another reader, a task for one of another group, one account for another")
    void noCycleWhereThereIsNone() {
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(2).build()) {
            List<List<Groups>> pairs = List.of(
                    List.of(Groups.shared("a"), Groups.shared("a")),
                    List.of(Groups.shared("a", "x"), Groups.shared("a").andExclusive("y")),
                    List.of(AB, C),
                    List.of(Groups.within("acme", 1), Groups.within("acme", 2)),
                    List.of(Groups.shared("acme"), Groups.within("acme", 2)),
                    List.of(Groups.shared("acme", Key.of("acme", 1)), Groups.within("acme", 2)),
                    List.of(Groups.allShared(), Groups.shared("a")));
            for (List<Groups> pair : pairs) {
                for (int i = 0; i < 2; i++) {
                    Groups inner = pair.get(1 - i);
                    Future<Integer> outer = executor.submit(
                            pair.get(i), () -> executor.submit(inner, () -> 42).get());
                    assertThat(Patience.get(outer)).isEqualTo(42);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    @DisplayName("a ring of tasks on as many threads, each of which waits for one that is behind the next, is broken")
    void ring(int size) {
        try (GroupedExecutor executor =
                GroupedExecutor.builder().name("bank").threads(size).build()) {
            AtomicReferenceArray<CompletableFuture<String>> behind = new AtomicReferenceArray<>(size);
            CountDownLatch allRun = new CountDownLatch(size);
            CountDownLatch allQueued = new CountDownLatch(1);
            AtomicInteger told = new AtomicInteger();
            AtomicInteger ran = new AtomicInteger();
            List<Future<String>> waiting = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                int next = (i + 1) % size;
                waiting.add(executor.submit(Groups.exclusive("own" + i, "x" + i), () -> {
                    ran.incrementAndGet();
                    allRun.countDown();
                    Patience.await(allQueued);
                    try {
                        return behind.get(next).get();
                    } catch (SelfWaitException e) {
                        assertThat(e).hasMessageContainingAll("far0", "far" + (size - 1), "bank");
                        told.incrementAndGet();
                        return "told";
                    }
                }));
            }
            Patience.await(allRun);
            for (int i = 0; i < size; i++) {
                executor.execute(Groups.shared("own" + i).andExclusive("far" + i), ran::incrementAndGet);
                behind.set(i, executor.submit(Groups.shared("far" + i), () -> "" + ran.incrementAndGet()));
            }
            allQueued.countDown();
            waiting.forEach(Patience::get);
            for (int i = 0; i < size; i++) {
                Patience.get(behind.get(i));
            }
            assertThat(told.get()).isBetween(1, size);
            assertThat(ran).hasValue(3 * size);
        }
    }

    @Test
    @DisplayName("under stress, tasks that wait for earlier ones of lower groups only are never told")
    void neverInVain() {
        long seed = Long.getLong("seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int rounds = 3_000;
        int keys = 6;
        Semaphore underWay = new Semaphore(50);
        ExecutorService threads = Executors.newCachedThreadPool();
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger told = new AtomicInteger();
        List<Future<Integer>> all = new ArrayList<>();
        try (GroupedExecutor executor =
                GroupedExecutor.builder().executor(threads).build()) {
            for (int i = 0; i < rounds; i++) {
                Patience.acquire(underWay, 1);
                int first = random.nextInt(keys);
                int second = random.nextInt(keys);
                Groups own = random.nextInt(3) == 0
                        ? Groups.shared(first, second)
                        : random.nextInt(50) == 0
                                ? Groups.all()
                                : Groups.exclusive(first).andShared(second);
                // what is submitted earlier never waits for what is submitted later
                Future<Integer> awaited = all.isEmpty() ? null : all.get(i - 1 - random.nextInt(Math.min(i, 10)));
                all.add(executor.submit(own, () -> {
                    ran.incrementAndGet();
                    try {
                        return awaited == null ? 0 : awaited.get();
                    } catch (SelfWaitException e) {
                        told.incrementAndGet();
                        throw e;
                    } finally {
                        underWay.release();
                    }
                }));
            }
            all.forEach(Patience::get);
        } finally {
            threads.shutdownNow();
        }
        assertThat(told).as("told in vain; seed %d", seed).hasValue(0);
        assertThat(ran).as("seed %d", seed).hasValue(rounds);
    }
}
