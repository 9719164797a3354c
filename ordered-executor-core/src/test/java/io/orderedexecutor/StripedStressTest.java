package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.Rounds;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Everything at once, at random: all ways of submission, tasks that throw, are cancelled and interrupted, threads that
 * cannot be had, and a shutdownNow in the middle of it. What must hold: order and exclusion throughout, and one end for
 * each task.
 *
 * <p>A failure names its seed; run it again with {@code -Dstress.seed=...}, and longer with
 * {@code -Dstripes.rounds=...}.
 */
@Tag("no-second-try")
class StripedStressTest {
    private static final int PRODUCERS = 4;
    private static final int STRIPES = 12;
    private static final int ROUNDS = Rounds.of("stripes.rounds", 6, 30);

    private final long seed = Long.getLong("stress.seed", System.nanoTime());

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    private ExecutorService pool;
    private ExecutorService completers;

    @BeforeEach
    void start() {
        System.out.println("StripedStressTest: -Dstress.seed=" + seed);
        pool = Executors.newFixedThreadPool(3);
        completers = Executors.newFixedThreadPool(2);
    }

    @AfterEach
    void stop() throws InterruptedException {
        pool.shutdown();
        completers.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(completers.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    @DisplayName("R1, R2, R5, R9 on own threads")
    void ownThreads() {
        for (int round = 0; round < ROUNDS; round++) {
            new Round(seed + round, StripedExecutor.builder().threads(3).build()).run();
        }
    }

    @Test
    @DisplayName("R1, R2, R5, R9 on own threads whose factory fails every other time")
    void ownThreadsThatCannotAlwaysBeHad() {
        for (int round = 0; round < ROUNDS; round++) {
            AtomicInteger calls = new AtomicInteger();
            new Round(
                            seed + round,
                            StripedExecutor.builder()
                                    .threads(3)
                                    .threadFactory(worker -> {
                                        if (calls.getAndIncrement() % 2 == 0) {
                                            throw new ThrownOnPurpose();
                                        }
                                        return new Thread(worker);
                                    })
                                    .build())
                    .run();
        }
    }

    @Test
    @DisplayName("R1, R2, R5, R9 on a pool that refuses every third hand-over")
    void refusingPool() {
        for (int round = 0; round < ROUNDS; round++) {
            new Round(
                            seed + round,
                            StripedExecutor.builder()
                                    .executor(new RefusingExecutor(pool, 3))
                                    .build())
                    .run();
        }
    }

    @Test
    @DisplayName("R1, R2, R5, R9 on the submitters' threads")
    void callerRuns() {
        for (int round = 0; round < ROUNDS; round++) {
            new Round(
                            seed + round,
                            StripedExecutor.builder().executor(Runnable::run).build())
                    .run();
        }
    }

    private final class Round {
        private final SplittableRandom random;
        private final StripedExecutor executor;
        private final boolean stopEarly;
        private final OrderRecorder recorder = new OrderRecorder();
        private final List<OrderRecorder.Lane> lanes = new ArrayList<>();
        private final Queue<Runnable> takenBack = new ConcurrentLinkedQueue<>();
        private final Queue<Asynchronous> futures = new ConcurrentLinkedQueue<>();
        private final AtomicInteger accepted = new AtomicInteger();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger interruptsSeen = new AtomicInteger();
        private final CountDownLatch halfWay = new CountDownLatch(PRODUCERS);

        Round(long seed, StripedExecutor executor) {
            this.random = new SplittableRandom(seed);
            this.executor = executor;
            this.stopEarly = random.nextBoolean();
            for (int i = 0; i < STRIPES; i++) {
                lanes.add(recorder.lane(i));
            }
        }

        private record Asynchronous(CompletableFuture<?> future, OrderRecorder.Step step) {}

        void run() {
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < PRODUCERS; p++) {
                SplittableRandom own = random.split();
                producers.add(new Thread(() -> produce(own)));
            }
            producers.forEach(Thread::start);
            if (stopEarly) {
                Patience.await(halfWay);
                takenBack.addAll(executor.shutdownNow());
            }
            producers.forEach(Patience::join);
            Patience.terminate(executor);
            verify();
        }

        private void produce(SplittableRandom random) {
            List<OrderRecorder.Source> sources =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            int submissions = 2000;
            for (int i = 0; i < submissions; i++) {
                if (i == submissions / 2) {
                    halfWay.countDown();
                }
                // the square makes some stripes hot
                int stripe = (int) (STRIPES * Math.pow(random.nextDouble(), 2));
                submit(stripe, sources.get(stripe), random.nextInt(100), random.nextBoolean());
            }
        }

        private void submit(int stripe, OrderRecorder.Source source, int kind, boolean flag) {
            OrderRecorder.Step step = source.next(body(kind));
            CompletableFuture<?> future = null;
            try {
                if (kind < 40) {
                    executor.execute(stripe, step);
                } else if (kind < 50) {
                    executor.executorFor(stripe).execute(step);
                } else if (kind < 60) {
                    future = (CompletableFuture<?>) executor.asExecutorService().submit(Striped.task(stripe, step));
                } else if (kind < 75) {
                    future = executor.submit(stripe, Executors.callable(step));
                } else if (kind < 90) {
                    future = executor.submitAsync(stripe, () -> {
                        step.run();
                        return CompletableFuture.completedFuture(1);
                    });
                } else {
                    future = executor.submitAsync(stripe, () -> holding(step));
                }
            } catch (RejectedExecutionException | OutOfMemoryError | ThrownOnPurpose refusal) {
                step.exclude();
                refused.incrementAndGet();
                return;
            }
            accepted.incrementAndGet();
            if (future != null) {
                if (kind % 4 == 0 && kind < 90) {
                    future.cancel(flag);
                }
                futures.add(new Asynchronous(future, step));
            }
        }

        /** A stage that another thread completes; not cancelled by producers, since it occupies its lane until then. */
        private CompletableFuture<Integer> holding(OrderRecorder.Step step) {
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            step.run();
            completers.execute(() -> stage.complete(1));
            return stage;
        }

        private Runnable body(int kind) {
            return switch (kind % 10) {
                case 0 ->
                    () -> {
                        throw new ThrownOnPurpose();
                    };
                case 1 -> () -> Thread.currentThread().interrupt();
                default ->
                    () -> {
                        if (Thread.currentThread().isInterrupted()) {
                            interruptsSeen.incrementAndGet();
                        }
                    };
            };
        }

        private void verify() {
            recorder.assertNoViolations();
            for (Runnable task : takenBack) {
                if (task instanceof OrderRecorder.Step step) {
                    step.exclude();
                }
            }
            for (Asynchronous task : futures) {
                assertThat(task.future).isDone();
                if (task.future.isCancelled() && task.step.runs() == 0) {
                    task.step.exclude();
                }
            }
            recorder.assertAllRanOnceInOrder();
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.completed() + stats.failed() + stats.cancelled())
                    .as("ends of accepted tasks")
                    .isEqualTo(accepted.get());
            assertThat(stats.rejected()).isEqualTo(refused.get());
            assertThat(stats.keys() + stats.queued() + stats.active()).isZero();
            assertThat(interruptsSeen.get())
                    .as("tasks that saw an interrupt, which only a cancellation or shutdownNow may cause")
                    .isLessThanOrEqualTo(stopEarly ? Integer.MAX_VALUE : (int) stats.cancelled());
        }
    }
}
