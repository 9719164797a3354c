package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Peer;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The defects that an earlier grouped thread pool has and this one has not. */
class GroupedDefectsTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor stepped =
            GroupedExecutor.builder().executor(steps).build();
    private final Queue<String> ran = new ConcurrentLinkedQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((thread, failure) -> ran.add("uncaught " + failure.getMessage()));

    @AfterEach
    void restore() {
        release.countDown();
    }

    /** Occupies a thread until {@link #release}; returns when it does. */
    private void block(GroupedExecutor executor, Object group) {
        CountDownLatch running = new CountDownLatch(1);
        executor.execute(Groups.exclusive(group), () -> {
            running.countDown();
            Patience.await(release);
            ran.add("long " + group);
        });
        Patience.await(running);
    }

    private static void runOnce(GroupedExecutor executor, int tasks) {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(tasks);
        for (int i = 0; i < tasks; i++) {
            executor.execute(Groups.exclusive("other " + i % 50), () -> {
                runs.incrementAndGet();
                done.countDown();
            });
        }
        Patience.await(done);
        assertThat(runs).hasValue(tasks);
    }

    @Test
    @DisplayName("submit(OrderedTask) keeps its order, as a Runnable and as a Callable")
    void submitKeepsTheOrder() {
        ExecutorService service = stepped.asExecutorService();
        Peer first = new Peer(
                "first",
                () -> {
                    ran.add("first begins");
                    // whatever could run beside this one would run here
                    steps.runAll();
                    ran.add("first ends");
                },
                that -> that.name.equals("stranger"));
        Future<?> asRunnable = service.submit((Runnable) first);
        List<Future<?>> others = new ArrayList<>();
        for (String name : List.of("second", "third", "stranger")) {
            Peer peer = new Peer(name, () -> ran.add(name), that -> true);
            others.add(
                    name.equals("third")
                            ? service.submit((Runnable) peer, name)
                            : service.submit((Callable<String>) peer));
        }
        steps.runAll();
        assertThat(ran).containsExactly("first begins", "stranger", "first ends", "second", "third");
        assertThat(asRunnable).isDone();
        assertThat(others).extracting(Patience::get).asString().isEqualTo("[second, third, stranger]");
        assertThat(stepped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 0, 0));
    }

    @Test
    @DisplayName("an Error ends its task, and neither the worker nor what waits for the task")
    void errors() {
        GroupedExecutor executor = GroupedExecutor.builder().threads(1).build();
        Groups both = Groups.exclusive("a", "b");
        executor.execute(both, () -> {
            throw new StackOverflowError("on purpose");
        });
        executor.execute(new Peer(
                "peer",
                () -> {
                    throw new OutOfMemoryError("on purpose");
                },
                that -> false));
        executor.execute(Groups.exclusive("b"), () -> ran.add("b"));
        executor.execute(new Peer("next", () -> ran.add("next"), that -> false));
        Patience.terminate(executor);
        assertThat(ran).containsExactlyInAnyOrder("uncaught on purpose", "uncaught on purpose", "b", "next");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 2, 0, 0));
    }

    @Test
    @DisplayName("while two clients and a rollup over both wait, 1,000 tasks of others finish on two threads")
    void rollupHoldsUpNobodyElse() {
        GroupedExecutor executor = GroupedExecutor.builder().threads(2).build();
        block(executor, "a");
        CompletableFuture<Integer> b = new CompletableFuture<>();
        executor.submitAsync(Groups.exclusive("b"), () -> b);
        executor.execute(Groups.exclusive("a", "b"), () -> ran.add("rollup"));
        executor.execute(Groups.exclusive("b"), () -> ran.add("b2"));
        runOnce(executor, 1000);
        assertThat(ran).isEmpty();
        b.complete(1);
        runOnce(executor, 1000);
        assertThat(ran).isEmpty();
        release.countDown();
        Patience.terminate(executor);
        assertThat(ran).containsExactly("long a", "rollup", "b2");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2004, 0, 0, 0));
    }

    @Test
    @DisplayName("what becomes ready runs on the idle thread, not behind the long one that became ready before it")
    void workIsShared() {
        GroupedExecutor executor = GroupedExecutor.builder().threads(2).build();
        CountDownLatch submitted = new CountDownLatch(1);
        CountDownLatch independent = new CountDownLatch(6);
        executor.execute(Groups.exclusive("a"), () -> Patience.await(submitted));
        executor.execute(Groups.shared("a"), () -> Patience.await(release));
        for (int i = 0; i < 6; i++) {
            executor.execute(Groups.shared("a"), () -> {
                ran.add("short");
                independent.countDown();
            });
        }
        submitted.countDown();
        Patience.await(independent);
        release.countDown();
        Patience.terminate(executor);
        assertThat(ran).hasSize(6);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 8, 0, 0, 0));
    }

    @Test
    @DisplayName("what a task makes ready by completing the stage of another does not wait for the end of that task")
    void whatIsMadeReadyInsideATaskDoesNotWaitForIt() {
        CompletableFuture<Integer> writer = new CompletableFuture<>();
        CompletableFuture<Integer> reader = new CompletableFuture<>();
        stepped.submitAsync(Groups.exclusive("a"), () -> writer);
        stepped.submitAsync(Groups.shared("a").andExclusive("c"), () -> reader);
        stepped.execute(Groups.shared("a"), () -> {
            ran.add("second reader begins");
            steps.refuse(false);
            reader.complete(1);
            // whatever could run beside this task would run here
            steps.runAll();
            ran.add("second reader ends");
        });
        stepped.execute(Groups.exclusive("c"), () -> ran.add("c"));
        steps.runAll();
        // so that the helper has to start both readers, one after the other
        steps.refuse(true);
        writer.complete(1);
        Patience.terminate(stepped);
        assertThat(ran).containsExactly("second reader begins", "c", "second reader ends");
        assertThat(stepped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 0, 0));
    }

    @Test
    @DisplayName("the lifecycle is that of an ExecutorService")
    void lifecycle() throws InterruptedException {
        ExecutorService service = stepped.asExecutorService();
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        stepped.submitAsync(Groups.exclusive("a"), () -> stage);
        steps.runAll();
        Runnable rollup = () -> ran.add("rollup");
        Peer peer = new Peer("peer", () -> ran.add("peer"), that -> false);
        stepped.execute(Groups.exclusive("a", "b"), rollup);
        stepped.execute(peer);
        stepped.shutdown();
        assertThat(service.isShutdown()).isTrue();
        assertThat(service.isTerminated()).isFalse();
        assertThat(service.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThatThrownBy(() -> service.execute(() -> ran.add("late"))).isInstanceOf(RejectedExecutionException.class);
        assertThat(service.shutdownNow()).containsExactlyInAnyOrder(rollup, peer);
        steps.runAll();
        assertThat(service.awaitTermination(1, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(ran).isEmpty();
        assertThat(stepped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 3, 1));
    }

    @Test
    @DisplayName("shutdownNow returns what conflicts in the order of submission, wherever its groups are")
    void shutdownNowKeepsTheOrder() {
        List<Runnable> submitted = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            int number = i;
            submitted.add(() -> ran.add("task " + number));
            stepped.execute(Groups.exclusive(i, i + 1), submitted.get(i));
        }
        assertThat(stepped.shutdownNow()).isEqualTo(submitted);
        steps.runAll();
        assertThat(ran).isEmpty();
        assertThat(stepped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 200, 0));
    }

    @Test
    @DisplayName("shutdown() from inside a task returns, and what was accepted is done")
    void shutdownFromInside() {
        GroupedExecutor executor = GroupedExecutor.builder().threads(1).build();
        CountDownLatch submitted = new CountDownLatch(1);
        executor.execute(Groups.exclusive("a", "b"), () -> {
            Patience.await(submitted);
            executor.shutdown();
            ran.add("inside");
        });
        executor.execute(Groups.exclusive("b", "c"), () -> ran.add("behind"));
        submitted.countDown();
        Patience.awaitTermination(executor);
        assertThat(ran).containsExactly("inside", "behind");
    }

    @Test
    @DisplayName("finished tasks are unreachable at once, though nothing is submitted behind them")
    void finishedTasksAreUnreachable() {
        List<WeakReference<Object>> payloads = new ArrayList<>();
        List<Future<?>> kept = new ArrayList<>();
        payloads.add(Reachability.submitHolding(task -> stepped.execute(Groups.exclusive("a", "b"), task)));
        payloads.add(Reachability.submitHolding(task ->
                kept.add(stepped.asExecutorService().submit((Runnable) new Peer("", task, that -> false)))));
        payloads.add(Reachability.submitHolding(task -> stepped.execute(new Peer("", task, that -> false))));
        payloads.add(
                Reachability.submitHolding(task -> stepped.asExecutorService().execute(task)));
        steps.runAll();
        assertThat(kept).allMatch(Future::isDone);
        Reachability.assertCleared(payloads);
        assertThat(stepped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 4, 0, 0, 0));
    }

    @Test
    @DisplayName("a cancelled task is gone at once, though the pool was handed it and has not come to it")
    void cancelledTasksAreGone() {
        Future<?> cancelled = stepped.submit(Groups.exclusive("a", "b"), () -> ran.add("cancelled"));
        cancelled.cancel(false);
        assertThat(stepped.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 1, 0));
        steps.runAll();
        assertThat(ran).isEmpty();
    }

    @Test
    @DisplayName("an interrupt while a rollup waits makes it neither run early nor vanish, and does not reach it")
    void interruptsWhileARollupWaits() {
        Thread test = Thread.currentThread();
        stepped.execute(Groups.exclusive("a"), () -> {
            ran.add("a");
            test.interrupt();
        });
        stepped.execute(Groups.exclusive("a", "b"), () -> ran.add("rollup " + test.isInterrupted()));
        stepped.execute(Groups.exclusive("b"), () -> ran.add("b " + test.isInterrupted()));
        steps.runAll();
        assertThat(ran).containsExactly("a", "rollup false", "b false");
        assertThat(Thread.interrupted()).isFalse();
        assertThat(stepped.inspect().stats().completed()).isEqualTo(3);
    }
}
