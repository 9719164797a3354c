package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: nothing wedges a stripe. */
class StripedProgressTest {
    private final OrderRecorder recorder = new OrderRecorder();

    @Test
    @DisplayName("exceptions and errors reach handler or future, and the stripe goes on")
    void goesOnAfterFailures() {
        Queue<Throwable> told = new ConcurrentLinkedQueue<>();
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .threadFactory(worker -> {
                    Thread thread = new Thread(worker);
                    thread.setUncaughtExceptionHandler((t, failure) -> {
                        told.add(failure);
                        throw new IllegalStateException("the handler fails, too");
                    });
                    return thread;
                })
                .build();
        OrderRecorder.Source source = recorder.lane("a").source();
        List<Throwable> thrown = List.of(
                new IllegalStateException("thrown by the test"),
                new java.io.IOException("thrown by the test"),
                new AssertionError("thrown by the test"),
                new StackOverflowError("thrown by the test"),
                new OutOfMemoryError("thrown by the test"));
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (Throwable failure : thrown) {
            executor.execute("a", source.next(() -> SerialExecutorTest.sneakyThrow(failure)));
            OrderRecorder.Step step = source.next();
            futures.add(executor.submit("a", () -> {
                step.run();
                SerialExecutorTest.<RuntimeException>sneakyThrow(failure);
                return null;
            }));
            executor.execute("a", source.next());
        }
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(told).containsExactlyElementsOf(thrown);
        for (int i = 0; i < thrown.size(); i++) {
            CompletableFuture<?> future = futures.get(i);
            assertThatThrownBy(future::get)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isSameAs(thrown.get(i));
        }
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 5, 10, 0, 0));
    }

    @Test
    @DisplayName("a task that interrupts its thread, or is interrupted, does not interrupt the next one")
    void interruptsStayWithTheirTask() {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        Queue<Boolean> interrupted = new ConcurrentLinkedQueue<>();
        CountDownLatch submitted = new CountDownLatch(1);
        executor.execute("a", () -> Patience.await(submitted));
        for (int i = 0; i < 100; i++) {
            int stripe = i % 3;
            executor.execute(stripe, () -> {
                interrupted.add(Thread.currentThread().isInterrupted());
                Thread.currentThread().interrupt();
                if (stripe == 2) {
                    throw new IllegalStateException("thrown by the test");
                }
            });
        }
        submitted.countDown();
        Patience.terminate(executor);
        assertThat(interrupted).hasSize(100).containsOnly(false);
    }

    @Test
    @DisplayName("cancelled futures in a stripe's queue are passed over")
    void cancelledTasksArePassedOver() {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        OrderRecorder.Source source = recorder.lane("a").source();
        CountDownLatch cancelled = new CountDownLatch(1);
        executor.execute("a", source.next(() -> Patience.await(cancelled)));
        for (int i = 0; i < 300; i++) {
            OrderRecorder.Step step = source.next();
            CompletableFuture<?> future = executor.submit("a", Executors.callable(step));
            if (i % 3 != 0) {
                step.exclude();
                assertThat(future.cancel(i % 3 == 1)).isTrue();
            }
        }
        cancelled.countDown();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 101, 0, 200, 0));
    }

    @Test
    @DisplayName("an executor underneath that refuses every third hand-over wedges no stripe")
    void everyThirdHandOverRefused() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        StripedExecutor executor = StripedExecutor.builder()
                .executor(new RefusingExecutor(pool, 3))
                .build();
        List<OrderRecorder.Lane> lanes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lanes.add(recorder.lane(i));
        }
        AtomicInteger refused = new AtomicInteger();
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            List<OrderRecorder.Source> own =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            producers.add(new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    OrderRecorder.Step step = own.get(i % 20).next();
                    int stripe = i % 20;
                    if (!RefusingExecutor.accepts(() -> executor.execute(stripe, step))) {
                        step.exclude();
                        refused.incrementAndGet();
                    }
                }
            }));
        }
        producers.forEach(Thread::start);
        producers.forEach(Patience::join);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(refused).hasPositiveValue();
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 80_000 - refused.get(), 0, 0, refused.get()));
        assertThat(pool.isShutdown()).as("the caller's executor").isFalse();
        pool.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("a refused submission leaves no stripe, and the next one opens it anew")
    void aRefusalLeavesNothing() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        OrderRecorder.Source source = recorder.lane("a").source();
        stepped.refuse(true);
        OrderRecorder.Step refused = source.next();
        refused.exclude();
        assertThatThrownBy(() -> executor.execute("a", refused))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("refused by the test");
        assertThatThrownBy(() -> executor.submit("a", () -> 1)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.submitAsync("a", () -> null)).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> executor.asExecutorService().execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 0, 4));
        stepped.refuse(false);
        executor.execute("a", source.next());
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("a refusal at the end of a turn loses nothing of a stripe: the thread at hand goes on")
    void aRefusalAtTheEndOfATurn() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        OrderRecorder.Source source = recorder.lane("a").source();
        for (int i = 0; i < 1000; i++) {
            executor.execute("a", source.next());
        }
        stepped.refuse(true);
        stepped.runNext();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1000, 0, 0, 0));
    }

    @Test
    @DisplayName("a refused hand-over takes back its own task only, not those that others have placed behind it")
    void tasksBehindARefusedOneRun() {
        OrderRecorder.Source source = recorder.lane("a").source();
        OrderRecorder.Step refused = source.next();
        OrderRecorder.Step behind = source.next();
        refused.exclude();
        SteppedExecutor stepped = new SteppedExecutor();
        AtomicInteger handOvers = new AtomicInteger();
        StripedExecutor[] executor = new StripedExecutor[1];
        executor[0] = StripedExecutor.builder()
                .executor(step -> {
                    if (handOvers.incrementAndGet() == 1) {
                        executor[0].execute("a", behind);
                        throw new RejectedExecutionException("refused by the test");
                    }
                    stepped.execute(step);
                })
                .build();
        assertThatThrownBy(() -> executor[0].execute("a", refused)).isInstanceOf(RejectedExecutionException.class);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor[0].inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 1));
    }

    // Keys

    @Test
    @DisplayName("what equals or hashCode throw reaches the submitter, and the executor goes on")
    void hostileKeys() {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        class Hostile {
            final boolean throwing;

            Hostile(boolean throwing) {
                this.throwing = throwing;
            }

            @Override
            public boolean equals(Object other) {
                if (throwing) {
                    throw new IllegalStateException("equals");
                }
                return other instanceof Hostile;
            }

            @Override
            public int hashCode() {
                return 42;
            }
        }
        OrderRecorder.Source source = recorder.lane("hostile").source();
        CountDownLatch release = new CountDownLatch(1);
        executor.execute(new Hostile(false), source.next(() -> Patience.await(release)));
        OrderRecorder.Step failing = source.next();
        failing.exclude();
        assertThatThrownBy(() -> executor.execute(new Hostile(true), failing)).hasMessage("equals");
        Object noHash = new Object() {
            @Override
            public boolean equals(Object other) {
                return this == other;
            }

            @Override
            public int hashCode() {
                throw new IllegalStateException("hashCode");
            }
        };
        assertThatThrownBy(() -> executor.submit(noHash, () -> 1)).hasMessage("hashCode");
        assertThatThrownBy(() -> executor.executorFor(noHash).execute(() -> {})).hasMessage("hashCode");
        executor.execute(new Hostile(false), source.next());
        release.countDown();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats().completed()).isEqualTo(2);
    }

    @Test
    @DisplayName("keys that change while they have tasks do not lose them, and leave no stripe")
    void mutableKeys() {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger ran = new AtomicInteger();
        List<List<Integer>> keys = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            List<Integer> key = new ArrayList<>(List.of(i));
            keys.add(key);
            executor.execute(key, () -> {
                Patience.await(release);
                ran.incrementAndGet();
            });
            executor.execute(key, ran::incrementAndGet);
        }
        keys.forEach(key -> key.add(1));
        keys.forEach(key -> executor.execute(key, ran::incrementAndGet)); // a new stripe, since the key is another
        keys.forEach(List::clear); // now all of them are equal
        release.countDown();
        Patience.terminate(executor);
        assertThat(ran).hasValue(300);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 300, 0, 0, 0));
    }
}
