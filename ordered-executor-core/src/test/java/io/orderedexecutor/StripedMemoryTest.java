package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R7: what is over is unreachable. */
class StripedMemoryTest {
    private final StripedExecutor executor =
            StripedExecutor.builder().threads(2).build();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        executor.close();
    }

    private void block(Object stripe) {
        CountDownLatch running = new CountDownLatch(1);
        executor.execute(stripe, () -> {
            running.countDown();
            Patience.await(release);
        });
        Patience.await(running);
    }

    @Test
    @DisplayName("a stripe whose tasks have run is gone, key and all")
    void idleStripesAreUnreachable() {
        List<WeakReference<Object>> keys = new ArrayList<>();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 1000; i++) {
            keys.add(useAStripe(executor, ran));
        }
        Patience.letWorkersFinish(executor, 2);
        Patience.letWorkersFinish(executor, 2);
        assertThat(ran).hasValue(3000);
        Reachability.assertCleared(keys);
        assertThat(executor.inspect().stats().completed()).isGreaterThanOrEqualTo(3000);
    }

    /** In a method of its own, so that no local variable holds the key. */
    private static WeakReference<Object> useAStripe(StripedExecutor executor, AtomicInteger ran) {
        Object key = new Object();
        executor.execute(key, ran::incrementAndGet);
        executor.submit(key, ran::incrementAndGet);
        executor.submitAsync(key, () -> CompletableFuture.completedFuture(ran.incrementAndGet()));
        return new WeakReference<>(key);
    }

    @Test
    @DisplayName("an idle worker holds nothing of what it ran last")
    void idleWorkersHoldNothing() {
        AtomicInteger ran = new AtomicInteger();
        try (StripedExecutor one = StripedExecutor.builder().threads(1).build()) {
            Thread worker = Patience.get(one.submit("a", Thread::currentThread));
            for (int round = 0; round < 20; round++) {
                Patience.awaitParked(worker);
                WeakReference<Object> key = useAStripe(one, ran);
                Patience.letWorkersFinish(one, 1);
                Patience.awaitParked(worker);
                Reachability.assertCleared(List.of(key));
            }
        }
        assertThat(ran).hasValue(60);
    }

    @Test
    @DisplayName("finished tasks of a stripe that never drains are unreachable")
    void finishedTasksOfABusyStripeAreUnreachable() {
        List<WeakReference<Object>> finished = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            finished.add(Reachability.submitHolding(task -> executor.execute("busy", task)));
        }
        block("busy"); // behind them, and never over before the end of this test
        executor.execute("busy", () -> {});
        Reachability.assertCleared(finished);
        assertThat(executor.inspect().snapshot("busy"))
                .contains(new KeySnapshot("busy", 1, 0, Duration.ZERO, 1, false, false));
        assertThat(executor.inspect().stats().completed()).isEqualTo(1000);
    }

    @Test
    @DisplayName("the first task of a stripe is unreachable while the stripe lives on")
    void theFirstTaskOfABusyStripeIsUnreachable() {
        WeakReference<Object> first = Reachability.submitHolding(task -> executor.submit("busy", () -> {
            task.run();
            return null;
        }));
        CompletableFuture<Object> stage = new CompletableFuture<>();
        executor.submitAsync("busy", () -> stage);
        Patience.letWorkersFinish(executor, 2);
        assertThat(executor.inspect().snapshot("busy"))
                .contains(new KeySnapshot("busy", 0, 0, Duration.ZERO, 1, false, false));
        try {
            Reachability.assertCleared(List.of(first));
        } finally {
            stage.complete(1);
        }
    }

    @Test
    @DisplayName("what a cancelled queued task refers to is unreachable at once")
    void cancelledTasksAreUnreachable() {
        block("a");
        List<WeakReference<Object>> payloads = new ArrayList<>();
        List<CompletableFuture<Object>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            payloads.add(Reachability.submitHolding(task -> futures.add(executor.submit("a", () -> {
                task.run();
                return null;
            }))));
            payloads.add(Reachability.submitHolding(task -> futures.add(executor.submitAsync("a", () -> {
                task.run();
                return null;
            }))));
        }
        futures.forEach(future -> future.cancel(false));
        Reachability.assertCleared(payloads);
    }

    @Test
    @DisplayName("what a queued task refers to is unreachable once its future is done otherwise, by a timeout "
            + "for instance")
    void timedOutTasksAreUnreachable() {
        block("a");
        List<CompletableFuture<Object>> futures = new ArrayList<>();
        WeakReference<Object> payload = Reachability.submitHolding(task -> futures.add(executor.submit("a", () -> {
            task.run();
            return null;
        })));
        futures.get(0).completeOnTimeout("too late", 1, TimeUnit.MILLISECONDS);
        assertThat(Patience.get(futures.get(0))).isEqualTo("too late");
        Reachability.assertCleared(List.of(payload));
    }

    @Test
    @DisplayName("what a held asynchronous task was made of is unreachable while its stage is not complete")
    void theSupplierOfAHeldTaskIsUnreachable() {
        CompletableFuture<Object> stage = new CompletableFuture<>();
        WeakReference<Object> supplier = Reachability.submitHolding(task -> executor.submitAsync("a", () -> {
            task.run();
            return stage;
        }));
        Patience.letWorkersFinish(executor, 2);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 0, 0, Duration.ZERO, 1, false, false));
        try {
            Reachability.assertCleared(List.of(supplier));
        } finally {
            stage.complete(1);
        }
    }

    @Test
    @DisplayName("tasks that shutdownNow has returned are unreachable from the executor, even while one still runs")
    void takenBackTasksAreUnreachable() {
        CountDownLatch running = new CountDownLatch(1);
        executor.execute("a", () -> {
            running.countDown();
            while (release.getCount() > 0) {
                try {
                    release.await();
                } catch (InterruptedException e) {
                    // not yet
                }
            }
        });
        Patience.await(running);
        List<WeakReference<Object>> payloads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            payloads.add(Reachability.submitHolding(task -> executor.execute("a", task)));
        }
        assertThat(executor.shutdownNow()).hasSize(100);
        Reachability.assertCleared(payloads);
    }

    @Test
    @DisplayName("a future that the application keeps does not keep the stripe, whatever became of its task")
    void futuresDoNotHoldTheirStripes() {
        List<WeakReference<Object>> keys = new ArrayList<>();
        List<CompletableFuture<?>> kept = new ArrayList<>();
        CountDownLatch submitted = new CountDownLatch(1);
        for (int i = 0; i < 30; i++) {
            keys.add(keepFutures(kept, submitted));
        }
        submitted.countDown();
        kept.forEach(future -> future.handle((result, failure) -> 1).join());
        Patience.letWorkersFinish(executor, 2);
        Patience.letWorkersFinish(executor, 2);
        Reachability.assertCleared(keys);
        assertThat(kept).hasSize(90).allMatch(CompletableFuture::isDone);
    }

    private WeakReference<Object> keepFutures(List<CompletableFuture<?>> kept, CountDownLatch submitted) {
        Object key = new Object();
        executor.execute(key, () -> Patience.await(submitted));
        CompletableFuture<Integer> done = executor.submit(key, () -> 1);
        CompletableFuture<Integer> cancelled = executor.submit(key, () -> 1);
        CompletableFuture<Integer> cancelledAsync = executor.submitAsync(key, () -> null);
        cancelled.cancel(false);
        cancelledAsync.cancel(true);
        kept.addAll(List.of(done, cancelled, cancelledAsync));
        return new WeakReference<>(key);
    }

    @Test
    @DisplayName("a refused task is unreachable")
    void aRefusedTaskIsUnreachable() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor refusing = StripedExecutor.builder().executor(stepped).build();
        stepped.refuse(true);
        WeakReference<Object> refused = Reachability.submitHolding(
                task -> assertThat(RefusingExecutor.accepts(() -> refusing.execute("a", task)))
                        .isFalse());
        Reachability.assertCleared(List.of(refused));
        assertThat(refusing.inspect().stats().rejected()).isEqualTo(1);
    }

    @Test
    @DisplayName("the table shrinks: after 100,000 stripes at once it is as small as before")
    void theTableShrinks() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor wide = StripedExecutor.builder().executor(stepped).build();
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < 100_000; i++) {
            wide.execute(i, ran::incrementAndGet);
        }
        assertThat(wide.inspect().stats().keys()).isEqualTo(100_000);
        stepped.runAll();
        assertThat(ran).hasValue(100_000);
        assertThat(wide.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 100_000, 0, 0, 0));
        assertThat(slotsOf(wide)).as("a few for each of 64 bins").isBetween(1L, 64L * 64);
    }

    /** The length of all arrays of orders that the executor's table holds. */
    private static long slotsOf(StripedExecutor executor) {
        try {
            Object orders = field(executor.engine().service(), "orders");
            AtomicReferenceArray<?> bins = (AtomicReferenceArray<?>) field(orders, "bins");
            long slots = 0;
            for (int i = 0; i < bins.length(); i++) {
                slots += bins.get(i) == null ? 0 : Array.getLength(field(bins.get(i), "chains"));
            }
            return slots;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the engine is not what this test knows", e);
        }
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    @Test
    @DisplayName("a finished task is unreachable while its stripe is paused, although a listener heard of it")
    void finishedTasksOfAPausedStripeAreUnreachable() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor listened = StripedExecutor.builder()
                .executor(stepped)
                .listener(new TaskListener() {})
                .build();
        WeakReference<Object> payload = Reachability.submitHolding(task -> listened.execute("a", () -> {
            task.run();
            listened.control().pause("a");
        }));
        stepped.runAll();
        assertThat(listened.inspect().stats().completed()).isEqualTo(1);
        assertThat(listened.inspect().stats().keys()).isEqualTo(1);
        Reachability.assertCleared(List.of(payload));
        listened.shutdown();
    }

    @Test
    @DisplayName("an asynchronous task that could have been run again is unreachable when it is done")
    void doneAsynchronousTasksAreUnreachable() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor retrying = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ZERO)
                        .multiplier(2)
                        .thenProceed())
                .build();
        for (boolean fails : new boolean[] {false, true}) {
            List<CompletableFuture<Object>> stages = new ArrayList<>();
            WeakReference<Object> payload = Reachability.submitHolding(task -> retrying.submitAsync("a", () -> {
                task.run();
                stages.add(new CompletableFuture<>());
                return stages.get(stages.size() - 1);
            }));
            retrying.control().pause("a");
            retrying.control().resume("a");
            retrying.execute("a", () -> retrying.control().pause("a"));
            stepped.runAll();
            if (fails) {
                stages.get(0).completeExceptionally(new ThrownOnPurpose());
                stepped.runAll();
                stages.get(1).completeExceptionally(new ThrownOnPurpose());
            } else {
                stages.get(0).complete(1);
            }
            stepped.runAll();
            assertThat(retrying.inspect().stats().keys()).as("paused").isEqualTo(1);
            Reachability.assertCleared(List.of(payload));
            retrying.control().resume("a");
            stepped.runAll();
        }
        assertThat(retrying.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3, 1, 0, 0));
    }

    @Test
    @DisplayName("a future for which somebody has waited is unreachable when the wait is over, however it ended")
    void futuresThatWereWaitedForAreUnreachable() {
        List<Consumer<CompletableFuture<Object>>> waits = List.of(
                Patience::get,
                CompletableFuture::join,
                StripedMemoryTest::getWithoutLimit,
                StripedMemoryTest::getInVain);
        for (Consumer<CompletableFuture<Object>> wait : waits) {
            Reachability.assertCleared(List.of(waitFor(wait)));
        }
    }

    private WeakReference<CompletableFuture<Object>> waitFor(Consumer<CompletableFuture<Object>> wait) {
        CompletableFuture<Thread> waiter = new CompletableFuture<>();
        CompletableFuture<Object> future = executor.submit("a", () -> {
            Patience.awaitParked(Patience.get(waiter));
            return "done";
        });
        waiter.complete(Thread.currentThread());
        wait.accept(future);
        future.join();
        Patience.letWorkersFinish(executor, 2);
        return new WeakReference<>(future);
    }

    private static void getWithoutLimit(CompletableFuture<Object> future) {
        try {
            future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    private static void getInVain(CompletableFuture<Object> future) {
        Thread.currentThread().interrupt();
        try {
            future.get();
        } catch (InterruptedException | ExecutionException e) {
            Thread.interrupted();
        }
    }
}
