package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.TimedTask;
import io.orderedexecutor.fixtures.TimedTasks;
import io.orderedexecutor.fixtures.Touch;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several producers, all kinds of tasks at random, some of which fail or are cancelled. What was noted of each is then
 * compared with what a sequential executor could have done.
 *
 * <p>A failure names its seed; run it again with {@code -Dmodel.seed=...}, and longer with {@code -Dmodel.rounds=...}.
 */
@Tag("no-second-try")
class GroupedModelTest {
    private static final int PRODUCERS = 3;
    private static final int TASKS_OF_EACH = 2000;
    private static final int ROUNDS = Integer.getInteger("model.rounds", 1);

    private final long seed = Long.getLong("model.seed", System.nanoTime());

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    private ExecutorService completer;
    private ExecutorService pool;

    @BeforeEach
    void start() {
        System.out.println("GroupedModelTest: -Dmodel.seed=" + seed);
        completer = Executors.newSingleThreadExecutor();
        pool = Executors.newFixedThreadPool(2);
    }

    @AfterEach
    void stop() throws InterruptedException {
        completer.shutdown();
        pool.shutdown();
        assertThat(completer.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                .isTrue();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest(name = "R1, R2, R5, R7 on {0} own threads")
    @ValueSource(ints = {1, 2, 3, 4})
    void ownThreads(int threads) {
        for (int round = 0; round < ROUNDS; round++) {
            GroupedExecutor executor =
                    GroupedExecutor.builder().threads(threads).build();
            Round played = new Round(seed + round, executor);
            played.produce();
            played.awaitIdle(threads);
            Patience.terminate(executor);
            played.verify();
        }
    }

    @Test
    @DisplayName("R1, R2, R5, R7 on a pool that refuses every third hand-over")
    void refusingPool() {
        for (int round = 0; round < ROUNDS; round++) {
            GroupedExecutor executor = GroupedExecutor.builder()
                    .executor(new RefusingExecutor(pool, 3))
                    .build();
            Round played = new Round(seed + round, executor);
            played.produce();
            Patience.terminate(executor);
            played.verify();
        }
    }

    @Test
    @DisplayName("R1, R2, R5, R9 with a shutdownNow in the middle")
    void shutdownNow() {
        for (int round = 0; round < ROUNDS; round++) {
            GroupedExecutor executor = GroupedExecutor.builder().threads(2).build();
            Round played = new Round(seed + round, executor);
            played.stopHalfWay();
            played.produce();
            Patience.awaitTermination(executor);
            played.verify();
        }
    }

    private final class Round {
        private final SplittableRandom random;
        private final GroupedExecutor executor;
        private final AtomicLong clock = new AtomicLong();
        private final Queue<TimedTask> tasks = new ConcurrentLinkedQueue<>();
        private final CountDownLatch halfWay = new CountDownLatch(PRODUCERS);
        private boolean stopsHalfWay;

        Round(long seed, GroupedExecutor executor) {
            this.random = new SplittableRandom(seed);
            this.executor = executor;
        }

        void stopHalfWay() {
            stopsHalfWay = true;
        }

        void produce() {
            List<Thread> producers = new ArrayList<>();
            for (int producer = 0; producer < PRODUCERS; producer++) {
                int number = producer;
                SplittableRandom own = random.split();
                producers.add(new Thread(() -> produce(number, own)));
            }
            producers.forEach(Thread::start);
            if (stopsHalfWay) {
                Patience.await(halfWay);
                for (Runnable task : executor.shutdownNow()) {
                    if (task instanceof TimedTask.Submitted submitted) {
                        submitted.task.isTakenBack = true;
                    }
                }
            }
            producers.forEach(Patience::join);
        }

        private void produce(int producer, SplittableRandom random) {
            List<TimedTask> own = new ArrayList<>();
            for (int number = 0; number < TASKS_OF_EACH; number++) {
                if (number == TASKS_OF_EACH / 2) {
                    halfWay.countDown();
                }
                Touch touch = Touch.random(random, 10);
                boolean isHeld = random.nextInt(6) == 0 && !touch.wants().isEmpty();
                TimedTask task = new TimedTask(producer, number, touch, isHeld, body(random.nextInt(10)), clock);
                boolean wantsFuture = random.nextBoolean();
                tasks.add(task);
                own.add(task);
                try {
                    task.submit(executor, completer, wantsFuture);
                } catch (RejectedExecutionException | OutOfMemoryError refusal) {
                    // it says so itself
                }
                if (random.nextInt(4) == 0) {
                    cancel(own.get(number - random.nextInt(Math.min(number + 1, 40))), random.nextBoolean());
                }
            }
        }

        /** Not what is held, since it may end at any moment then, and could not note when. */
        private void cancel(TimedTask task, boolean mayInterrupt) {
            if (task.future != null && !task.isHeld) {
                task.future.cancel(mayInterrupt);
            }
        }

        private Runnable body(int kind) {
            return switch (kind) {
                case 0 ->
                    () -> {
                        throw new ThrownOnPurpose();
                    };
                case 1 -> () -> Thread.currentThread().interrupt();
                default -> () -> {};
            };
        }

        /** R7, while the executor is alive: no task, no group, and the threads hold nothing. */
        void awaitIdle(int threads) {
            try {
                assertThat(executor.awaitIdle(Duration.ofSeconds(Patience.SECONDS)))
                        .isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
            for (int twice = 0; twice < 2; twice++) {
                CyclicBarrier allThreads = new CyclicBarrier(threads + 1);
                for (int i = 0; i < threads; i++) {
                    executor.asExecutorService().execute(() -> Patience.meet(allThreads));
                }
                Patience.meet(allThreads);
            }
            Reachability.assertCleared(
                    tasks.stream().map(task -> task.whatWasSubmitted).toList());
        }

        void verify() {
            Patience.get(completer.submit(() -> {}));
            List<TimedTask> all = List.copyOf(tasks);
            if (stopsHalfWay) {
                // what is held is cancelled then, and notes its end afterwards: nobody knows for how long it had its
                // groups
                all.stream()
                        .filter(task -> task.isHeld && task.starts() == 1)
                        .forEach(task -> task.ended = task.started);
            }
            assertThat(TimedTasks.overlaps(all)).as("R2, -Dmodel.seed=" + seed).isEmpty();
            assertThat(TimedTasks.inversions(all))
                    .as("R1, -Dmodel.seed=" + seed)
                    .isEmpty();
            int cancelled = 0;
            int refused = 0;
            for (TimedTask task : all) {
                boolean neverStarts = !task.wasAccepted() || task.isTakenBack;
                if (!task.isCancelled() || neverStarts || task.starts() > 1) {
                    assertThat(task.starts()).as("runs of %s", task).isEqualTo(neverStarts ? 0 : 1);
                }
                assertThat(task.ended == TimedTask.NEVER).as("%s", task).isEqualTo(task.starts() == 0);
                assertThat(task.future == null || task.future.isDone())
                        .as("%s", task)
                        .isTrue();
                cancelled += task.isCancelled() || task.isTakenBack ? 1 : 0;
                refused += task.wasAccepted() ? 0 : 1;
            }
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.keys() + stats.queued() + stats.active()).isZero();
            assertThat(executor.inspect().deepestKeys(1)).isEmpty();
            assertThat(stats.cancelled()).isEqualTo(cancelled).isPositive();
            assertThat(stats.rejected()).isEqualTo(refused);
        }
    }
}
