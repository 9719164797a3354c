package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * {@link Overflow#discardOldest()}: the oldest queued task of the same stripe makes room, and nothing is lost silently.
 */
class StripedDiscardTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final HeardTasks heard = new HeardTasks();
    private final List<Object> ran = new ArrayList<>();

    private StripedExecutorBuilder builder() {
        return StripedExecutor.builder()
                .executor(stepped)
                .name("till")
                .listener(heard)
                .overflow(Overflow.discardOldest());
    }

    private void finish(StripedExecutor executor) {
        stepped.runAll();
        assertThat(executor.inspect().stats().keys()).isZero();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
        heard.assertOneEndEach("");
    }

    @Test
    @DisplayName("stripeCapacity(1) keeps the latest value of each stripe")
    void keepsTheLatest() {
        StripedExecutor executor = builder().keyCapacity(1).build();
        List<CompletableFuture<Boolean>> futures = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int value = i;
            futures.add(executor.submit("a", () -> ran.add("a" + value)));
            executor.execute("b", () -> ran.add("b" + value));
        }
        assertThat(futures.subList(0, 4)).allMatch(CompletableFuture::isCancelled);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(2, 2, 1, 0, 0, 0, 0, 8, 0));
        stepped.runAll();
        assertThat(ran).containsExactly("a4", "b4");
        assertThat(futures.get(4)).isCompletedWithValue(true);
        assertThat(heard.count(HeardTasks.Kind.DROPPED)).isEqualTo(8);
        assertThat(heard.count(HeardTasks.Kind.CANCELLED)).isZero();
        finish(executor);
    }

    @Test
    @DisplayName("While a task runs, those that come are dropped in the order of their age")
    void dropsInOrderBehindARunningTask() {
        StripedExecutor executor = builder().keyCapacity(3).build();
        List<Integer> dropped = new ArrayList<>();
        executor.execute("a", () -> {
            for (int i = 0; i < 100; i++) {
                int value = i;
                executor.submit("a", () -> ran.add(value)).whenComplete((result, failure) -> {
                    if (failure != null) {
                        dropped.add(value);
                    }
                });
            }
        });
        stepped.runAll();
        assertThat(ran).containsExactly(97, 98, 99);
        assertThat(dropped).hasSize(97).isSorted();
        finish(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 97, 0));
    }

    @Test
    @DisplayName("Tasks of every kind are dropped: listener, future and counter agree, none of them runs")
    void dropsTasksOfEveryKind() {
        StripedExecutor executor = builder().keyCapacity(1).build();
        Runnable plain = () -> ran.add("plain");
        StripedRunnable striped = Striped.task("a", () -> ran.add("striped"));
        StripedCallable<Integer> callable = Striped.call("a", () -> {
            ran.add("callable");
            return 1;
        });
        java.util.function.Supplier<CompletableFuture<Integer>> supplier = () -> {
            ran.add("supplier");
            return CompletableFuture.completedFuture(1);
        };
        Runnable last = () -> ran.add("last");
        executor.execute("a", plain);
        executor.asExecutorService().execute(striped);
        var ofCallable = executor.asExecutorService().submit(callable);
        var ofStage = executor.submitAsync("a", supplier);
        executor.execute("a", last);
        assertThat(ofCallable.isCancelled()).isTrue();
        assertThat(ofStage.isCancelled()).isTrue();
        for (Object dropped : List.of(plain, striped, callable, supplier)) {
            assertThat(heard.only(HeardTasks.Kind.DROPPED, dropped).stripe()).isEqualTo("a");
            assertThat(heard.only(HeardTasks.Kind.DROPPED, dropped).thread()).isSameAs(Thread.currentThread());
        }
        stepped.runAll();
        assertThat(ran).containsExactly("last");
        finish(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 4, 0));
    }

    @Test
    @DisplayName("With a full executor the oldest of the same stripe is dropped, never one of another; a stripe that "
            + "has none is refused")
    void aFullExecutor() {
        StripedExecutor executor = builder().capacity(3).build();
        executor.execute("a", () -> ran.add("a1"));
        executor.execute("b", () -> ran.add("b1"));
        executor.execute("b", () -> ran.add("b2"));
        executor.execute("b", () -> ran.add("b3"));
        assertThatThrownBy(() -> executor.execute("c", () -> ran.add("c1")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("striped executor 'till' has no room: its capacity is 3 queued tasks; raise capacity");
        executor.execute("a", () -> ran.add("a2"));
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(2, 3, 2, 0, 0, 0, 0, 2, 1));
        stepped.runAll();
        assertThat(ran).containsExactlyInAnyOrder("a2", "b2", "b3").containsSubsequence("b2", "b3");
        ran.clear();
        for (int i = 0; i < 3; i++) {
            int value = i;
            executor.execute(value, () -> ran.add(value));
        }
        assertThatThrownBy(() -> executor.execute("c", () -> ran.add("c1")))
                .isInstanceOf(RejectedExecutionException.class);
        stepped.runAll();
        assertThat(ran).containsExactlyInAnyOrder(0, 1, 2);
        finish(executor);
    }

    @Test
    @DisplayName("A stripe whose only task runs has nothing to drop in a full executor")
    void aRunningTaskIsNeverDropped() {
        StripedExecutor executor = builder().capacity(1).build();
        CompletableFuture<Boolean> running = executor.submit("a", () -> {
            executor.execute("b", () -> ran.add("b"));
            assertThatThrownBy(() -> executor.execute("a", () -> ran.add("a")))
                    .isInstanceOf(RejectedExecutionException.class);
            return ran.add("running");
        });
        stepped.runAll();
        assertThat(running).isCompletedWithValue(true);
        assertThat(ran).containsExactly("running", "b");
        finish(executor);
    }

    @Test
    @DisplayName("a task is dropped while the pool refuses its stripe: what dropped it runs all the same")
    void droppedWhileTheHandOverIsRefused() {
        AtomicReference<StripedExecutor> executor = new AtomicReference<>();
        AtomicReference<Runnable> meanwhile = new AtomicReference<>();
        Executor pool = step -> {
            Runnable other = meanwhile.getAndSet(null);
            if (other != null) {
                other.run();
                throw new RejectedExecutionException("refused by the test");
            }
            stepped.execute(step);
        };
        executor.set(builder().executor(pool).keyCapacity(1).build());
        meanwhile.set(() -> executor.get().execute("a", () -> ran.add("newer")));
        executor.get().execute("a", () -> ran.add("older")); // accepted, since it was dropped and not refused
        stepped.runAll();
        assertThat(ran).containsExactly("newer");
        finish(executor.get());
        assertThat(executor.get().inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
    }

    @Test
    @DisplayName("a parked task that is dropped holds its stripe no longer, as one that is cancelled")
    void aParkedTaskIsDropped() {
        StripedExecutor executor =
                builder().keyCapacity(1).failurePolicy(FailurePolicy.park()).build();
        CompletableFuture<Object> parked = executor.submit("a", () -> {
            throw new ThrownOnPurpose();
        });
        stepped.runAll();
        executor.execute("a", () -> ran.add("latest"));
        assertThat(parked).isCancelled();
        assertThat(executor.inspect().parkedTasks()).isEmpty();
        stepped.runAll();
        assertThat(ran).containsExactly("latest");
        finish(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
    }

    @Test
    void dropsWithoutAListenerToo() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .keyCapacity(1)
                .overflow(Overflow.discardOldest())
                .build();
        CompletableFuture<Boolean> oldest = executor.submit("a", () -> ran.add("oldest"));
        executor.execute("a", () -> ran.add("latest"));
        assertThat(oldest).isCancelled();
        finish(executor);
        assertThat(ran).containsExactly("latest");
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(1);
    }
}
