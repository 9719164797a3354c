package io.orderedexecutor;

import static io.orderedexecutor.SteppedGroups.A;
import static io.orderedexecutor.SteppedGroups.AB;
import static io.orderedexecutor.SteppedGroups.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * An interrupt stays with the task that it was meant for, also if its thread goes on with what waited for that task.
 */
class GroupedInterruptTest {
    private final List<Boolean> interrupted = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    private void look() {
        interrupted.add(Thread.currentThread().isInterrupted());
        threads.add(Thread.currentThread());
    }

    @Test
    void cancelTrueInterruptsTheRollupAndNotItsSuccessorOnTheSameThread() {
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(1).build()) {
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch hit = new CountDownLatch(1);
            CompletableFuture<Integer> rollup = executor.submit(AB, () -> {
                running.countDown();
                try {
                    new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    hit.countDown();
                    Thread.currentThread().interrupt();
                }
                threads.add(Thread.currentThread());
                return 1;
            });
            executor.execute(A, this::look);
            executor.execute(B, this::look);
            executor.execute(AB, this::look);
            Patience.await(running);
            assertThat(rollup.cancel(true)).isTrue();
            Patience.await(hit);
        }
        assertThat(interrupted).containsExactly(false, false, false);
        assertThat(threads).hasSize(4).containsOnly(threads.get(0));
    }

    @Test
    @DisplayName("a task that interrupts itself, throws, or is cancelled by itself leaves nothing to its successors")
    void tasksThatLeaveAnInterrupt() {
        SteppedGroups groups = new SteppedGroups();
        List<CompletableFuture<String>> self = new ArrayList<>();
        self.add(groups.submit(AB, "self", () -> {
            self.get(0).cancel(true);
            return "";
        }));
        groups.executor.execute(A, this::look);
        groups.submit(AB, "interrupter", () -> {
            Thread.currentThread().interrupt();
            throw new ThrownOnPurpose();
        });
        groups.executor.execute(B, this::look);
        groups.executor.submitAsync(AB, () -> {
            Thread.currentThread().interrupt();
            return CompletableFuture.completedFuture("");
        });
        groups.executor.execute(Groups.all(), this::look);
        assertThat(groups.run()).hasSize(2);
        assertThat(interrupted).containsExactly(false, false, false);
        assertThat(Thread.interrupted()).isFalse();
        groups.assertAllEnded(4, 1, 1);
    }

    @Test
    @DisplayName("nor does a dependent action that runs on their thread: of a task, a stage or an item of a batch")
    void actionsThatLeaveAnInterrupt() {
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder().executor(steps).build();
        Batcher<String, String> batcher = executor.stripes()
                .<String, String>batchTo((stripe, items) -> {})
                .build();
        List<Supplier<CompletableFuture<?>>> kinds = List.of(
                () -> executor.submit(AB, () -> ""),
                () -> executor.submit(AB, () -> {
                    throw new ThrownOnPurpose();
                }),
                () -> executor.submitAsync(AB, () -> CompletableFuture.completedFuture("")),
                () -> executor.submitAsync(AB, () -> CompletableFuture.failedFuture(new ThrownOnPurpose())),
                () -> batcher.submit("a", "item"));
        for (Supplier<CompletableFuture<?>> kind : kinds) {
            kind.get().whenComplete((result, failure) -> Thread.currentThread().interrupt());
            executor.execute(A, this::look);
            steps.runAll();
        }
        assertThat(interrupted).hasSize(5).containsOnly(false);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(executor.inspect().stats().queued()).isZero();
    }

    @Test
    @DisplayName("the caller's own interrupt is hidden from tasks that it runs inline, and given back")
    void theCallersOwn() {
        GroupedExecutor executor =
                GroupedExecutor.builder().executor(Runnable::run).build();
        CompletableFuture<String> stage = new CompletableFuture<>();
        executor.submitAsync(AB, () -> stage);
        for (Groups groups : List.of(A, B, AB, Groups.all())) {
            executor.execute(groups, this::look);
        }
        Thread.currentThread().interrupt();
        try {
            stage.complete("");
            executor.execute(Groups.exclusive("c"), this::look);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        Patience.terminate(executor);
        assertThat(interrupted).containsExactly(false, false, false, false, false);
    }

    @Test
    @DisplayName("one who cancels what waits is not interrupted, nor is what its thread runs then")
    void cancellingWhatWaits() {
        GroupedExecutor executor =
                GroupedExecutor.builder().executor(Runnable::run).build();
        CompletableFuture<String> stage = new CompletableFuture<>();
        executor.submitAsync(A, () -> stage);
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Integer> rollup = executor.submit(AB, ran::incrementAndGet);
        executor.execute(B, this::look);
        rollup.cancel(true);
        assertThat(Thread.interrupted()).isFalse();
        stage.complete("");
        Patience.terminate(executor);
        assertThat(interrupted).containsExactly(false);
        assertThat(ran).hasValue(0);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 1, 0));
    }
}
