package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static io.orderedexecutor.SteppedGroups.C;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** R9: shutdown, awaitTermination and close, from wherever they are called. */
class GroupedLifecycleTest {
    private final SteppedGroups groups = new SteppedGroups();
    private final GroupedExecutor executor = groups.executor;

    @Test
    @DisplayName("shutdown refuses what is new, runs all that waits, and only then is the executor terminated")
    void shutdownFinishesWhatWasAccepted() throws InterruptedException {
        SteppedGroups.Held held = groups.hold(A, "held");
        groups.execute(AB, "rollup");
        groups.execute(Groups.all(), "barrier");
        executor.execute((OrderedTask) groups.named("ordered"));
        executor.asExecutorService().execute(groups.named("plain"));
        executor.shutdown();
        executor.shutdown();
        for (Groups refused : List.of(A, C, Groups.all(), Groups.shared("new"))) {
            assertThatThrownBy(() -> groups.execute(refused, "refused"))
                    .isInstanceOf(RejectedExecutionException.class)
                    .hasMessageContainingAll("bank", "shut down");
        }
        assertThatThrownBy(() -> executor.execute((OrderedTask) groups.named("refused")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.asExecutorService().submit(() -> 1))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(groups.run()).containsExactly("held");
        assertThat(executor.isTerminated()).isFalse();
        assertThat(executor.awaitTermination(0, TimeUnit.DAYS)).isFalse();
        held.end();
        assertThat(groups.run()).containsExactlyInAnyOrder("rollup", "barrier", "ordered", "plain");
        assertThat(executor.awaitTermination(0, TimeUnit.DAYS)).isTrue();
        groups.assertAllEnded(5, 0, 0, 6);
    }

    enum Kind {
        ROLLUP,
        READER,
        BARRIER,
        ACCOUNT,
        ORDERED,
        PLAIN;

        void execute(SteppedGroups groups, Runnable task) {
            switch (this) {
                case ROLLUP -> groups.executor.execute(AB, task);
                case READER -> groups.executor.execute(Groups.shared("a"), task);
                case BARRIER -> groups.executor.execute(Groups.all(), task);
                case ACCOUNT -> groups.executor.execute(Groups.shared("a", Key.of("a", 1)), task);
                case PLAIN -> groups.executor.asExecutorService().execute(task);
                case ORDERED ->
                    groups.executor.execute((OrderedTask) groups.new Named("ordered", () -> {
                        task.run();
                        return "";
                    }));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("all of it from inside a task does not wait, whatever the task's groups are")
    void insideATask(Kind kind) {
        List<String> inside = new ArrayList<>();
        kind.execute(groups, () -> {
            try {
                assertThat(executor.awaitIdle(Duration.ofDays(1))).isFalse();
                executor.close();
                executor.asExecutorService().shutdown();
                assertThat(executor.isShutdown()).isTrue();
                assertThat(executor.awaitTermination(1, TimeUnit.DAYS)).isFalse();
                assertThat(executor.shutdownNow()).hasSize(1);
                assertThat(executor.shutdownNow()).isEmpty();
                executor.close();
                assertThat(executor.isTerminated()).isFalse();
                inside.add("done");
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        groups.execute(Groups.all(), "behind");
        groups.steps.runAll();
        assertThat(inside).containsExactly("done");
        groups.took();
        assertThat(Thread.interrupted()).isFalse();
        groups.assertAllEnded(1, 0, 1);
    }

    @Test
    @DisplayName("inside a successor that its predecessor's thread goes on with, too")
    void insideASuccessor() {
        GroupedExecutor own = GroupedExecutor.builder().threads(1).build();
        AtomicInteger ran = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        own.execute(AB, () -> Patience.await(go));
        own.execute(A, () -> {
            own.close();
            ran.incrementAndGet();
        });
        own.execute(B, ran::incrementAndGet);
        go.countDown();
        Patience.awaitTermination(own);
        assertThat(ran).hasValue(2);
    }

    @Test
    @DisplayName("many threads close at once, while rollups wait; each returns when all is done")
    void manyThreadsClose() {
        GroupedExecutor own = GroupedExecutor.builder().threads(2).build();
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        AtomicInteger early = new AtomicInteger();
        own.execute(A, () -> Patience.await(go));
        for (int i = 0; i < 100; i++) {
            own.execute(i % 2 == 0 ? AB : Groups.shared("b", i), ran::incrementAndGet);
        }
        List<Thread> closers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Thread closer = new Thread(() -> {
                own.close();
                early.addAndGet(ran.get() == 100 && own.isTerminated() ? 0 : 1);
            });
            closer.start();
            closers.add(closer);
        }
        closers.forEach(Patience::awaitParked);
        go.countDown();
        closers.forEach(Patience::join);
        assertThat(early).hasValue(0);
        assertThat(own.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 101, 0, 0, 0));
    }

    @Test
    @DisplayName("an interrupt turns a close into a shutdownNow: rollups that wait are cancelled, the running "
            + "one is interrupted")
    void anInterruptedClose() {
        GroupedExecutor own = GroupedExecutor.builder().threads(1).build();
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = own.submit(A, () -> {
            running.countDown();
            try {
                return new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                return true;
            }
        });
        CompletableFuture<Integer> rollup = own.submit(AB, () -> 1);
        CompletableFuture<Integer> behind = own.submit(B, () -> 1);
        Patience.await(running);
        Thread.currentThread().interrupt();
        own.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(interrupted).isCompletedWithValue(true);
        assertThat(List.of(rollup, behind)).allMatch(CompletableFuture::isCancelled);
        assertThat(own.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 2, 0));
    }

    @Test
    @DisplayName("a shutdown hands nothing over again: what a pool has it keeps, and the caller runs none of it")
    void aShutdownRunsNothing() {
        groups.execute(A, "a");
        groups.execute(B, "b");
        groups.steps.refuse(true);
        groups.executor.shutdown();
        assertThat(groups.took()).isEmpty();
        groups.steps.refuse(false);
        assertThat(groups.run()).containsExactly("a", "b");
        groups.assertAllEnded(2, 0, 0);
    }

    @Test
    void drainAndAwaitIdleFromOutside() throws InterruptedException {
        try (GroupedExecutor own = GroupedExecutor.builder().threads(2).build()) {
            CountDownLatch go = new CountDownLatch(1);
            AtomicInteger ran = new AtomicInteger();
            own.execute(Groups.within("acme", 1).andExclusive("b"), () -> {
                Patience.await(go);
                own.execute(Groups.within("acme", 2), ran::incrementAndGet);
                ran.incrementAndGet();
            });
            assertThat(own.control().awaitIdle("c", Duration.ZERO)).isTrue();
            assertThat(own.control().awaitIdle("c", Duration.ofSeconds(Long.MIN_VALUE)))
                    .isTrue();
            assertThat(own.control().awaitIdle(Key.of("acme", 2), Duration.ZERO))
                    .isTrue();
            for (Object busy : List.of("acme", Key.of("acme", 1), "b")) {
                assertThat(own.control().awaitIdle(busy, Duration.ofMillis(1))).isFalse();
            }
            assertThat(own.awaitIdle(Duration.ZERO)).isFalse();
            go.countDown();
            assertThat(own.control().awaitIdle("acme", Duration.ofSeconds(Patience.SECONDS)))
                    .isTrue();
            assertThat(ran).hasValue(2);
            assertThat(own.awaitIdle(Duration.ofSeconds(Patience.SECONDS))).isTrue();
        }
    }

    @Test
    @DisplayName("who waits for a key or for all is told when the last task ends: a barrier, too, and of a paused key")
    void whoWaitsIsTold() {
        List<Groups> last = List.of(
                Groups.all(),
                Groups.allShared(),
                Groups.allShared().andExclusive("a"),
                Groups.exclusive("a"),
                Groups.shared("a"));
        for (Groups groups : last) {
            for (boolean paused : List.of(false, true)) {
                GroupedExecutor own = GroupedExecutor.builder().threads(1).build();
                CountDownLatch runs = new CountDownLatch(1);
                CountDownLatch go = new CountDownLatch(1);
                CompletableFuture<Boolean> task = own.submit(groups, () -> {
                    runs.countDown();
                    Patience.await(go);
                    return true;
                });
                Patience.await(runs);
                if (paused) {
                    own.control().pause("a");
                }
                FutureTask<Boolean> forKey =
                        new FutureTask<>(() -> own.control().awaitIdle("a", Duration.ofDays(1)));
                FutureTask<Boolean> forAll = new FutureTask<>(() -> own.awaitIdle(Duration.ofDays(1)));
                for (FutureTask<Boolean> wait : List.of(forKey, forAll)) {
                    Thread waits = new Thread(wait);
                    waits.start();
                    Patience.awaitParked(waits);
                }
                assertThat(forKey).as("%s, paused: %s", groups, paused).isNotDone();
                assertThat(forAll).isNotDone();
                go.countDown();
                assertThat(Patience.get(task)).isTrue();
                assertThat(Patience.get(forKey)).isTrue();
                assertThat(Patience.get(forAll)).isTrue();
                Patience.terminate(own);
                assertThat(own.inspect().stats().completed()).isEqualTo(1);
            }
        }
    }

    @Test
    @DisplayName("who waits for a key is told when its last task ends, though a submission waits for room and so "
            + "keeps the key in the table")
    void whoWaitsIsToldBesideASubmissionThatWaitsForRoom() {
        // the first waits for room in "b", the second for room in the executor
        Map<Groups, Integer> capacities = Map.of(Groups.exclusive("a", "b"), 2, Groups.exclusive("a"), 1);
        capacities.forEach((groups, capacity) -> {
            GroupedExecutor own = GroupedExecutor.builder()
                    .threads(1)
                    .capacity(capacity)
                    .keyCapacity(1)
                    .overflow(Overflow.block(Duration.ofDays(1)))
                    .build();
            CountDownLatch runs = new CountDownLatch(1);
            CountDownLatch go = new CountDownLatch(1);
            own.execute(Groups.exclusive("a"), () -> {
                runs.countDown();
                Patience.await(go);
            });
            Patience.await(runs);
            own.control().pause("b");
            own.execute(Groups.exclusive("b"), () -> {});
            Thread submitter = new Thread(() -> own.execute(groups, () -> {}));
            FutureTask<Boolean> forKey = new FutureTask<>(() -> own.control().awaitIdle("a", Duration.ofDays(1)));
            for (Thread waits : List.of(submitter, new Thread(forKey))) {
                waits.start();
                Patience.awaitParked(waits);
            }
            assertThat(forKey).as("%s", groups).isNotDone();
            go.countDown();
            assertThat(Patience.get(forKey)).as("%s", groups).isTrue();
            assertThat(submitter.isAlive()).as("still waits for room").isTrue();
            own.control().resume("b");
            Patience.join(submitter);
            Patience.terminate(own);
            assertThat(own.inspect().stats().completed()).isEqualTo(3);
        });
    }
}
