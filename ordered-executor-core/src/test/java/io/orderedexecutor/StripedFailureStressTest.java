package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Rounds;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Failing tasks of all kinds, while others resume, skip, pause, cancel and shut down. What must hold: order and
 * exclusion of all attempts, and one end for each task.
 *
 * <p>A failure names its seed; run it again with {@code -Dstress.seed=...}.
 */
@Tag("no-second-try")
class StripedFailureStressTest {
    private static final int PRODUCERS = 2;
    private static final int STRIPES = 4;
    private static final int SUBMISSIONS = 400;
    private static final int ROUNDS = Rounds.of("failures.rounds", 3, 15);

    private final long seed = Long.getLong("stress.seed", System.nanoTime());
    private final ExecutorService completers = Executors.newFixedThreadPool(2);

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    @BeforeEach
    void start() {
        System.out.println("StripedFailureStressTest: -Dstress.seed=" + seed);
    }

    @AfterEach
    void stop() throws InterruptedException {
        completers.shutdown();
        assertThat(completers.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"park", "retry at once, park", "retry, park", "retry, proceed"})
    @DisplayName("R1, R2, R5, R9 with failures, resume, skip, cancel and shutdownNow at random")
    void everyTaskHasOneEnd(String policy) {
        for (int round = 0; round < ROUNDS; round++) {
            new Round(seed + round, policyOf(policy), round % 3 == 0).run();
        }
    }

    private static FailurePolicy policyOf(String policy) {
        return switch (policy) {
            case "park" -> FailurePolicy.park();
            case "retry at once, park" ->
                FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ZERO)
                        .multiplier(2)
                        .thenPark();
            case "retry, park" ->
                FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofNanos(1000))
                        .multiplier(2)
                        .thenPark();
            default ->
                FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofNanos(1000))
                        .multiplier(2)
                        .thenProceed();
        };
    }

    /** The attempt whose failure is told late must not be taken for the next one's. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 15_000})
    @DisplayName("each attempt of an asynchronous task fails once, on whichever thread")
    void eachAttemptFailsOnce(int attempts) {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(attempts - 1)
                        .delay(Duration.ZERO)
                        .multiplier(2)
                        .thenProceed())
                .build();
        int tasks = 15_000 / attempts;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            futures.add(executor.submitAsync("a", () -> {
                ran.incrementAndGet();
                if (running.incrementAndGet() != 1) {
                    overlaps.incrementAndGet();
                }
                CompletableFuture<Integer> stage = new CompletableFuture<>();
                completers.execute(() -> {
                    running.decrementAndGet();
                    stage.completeExceptionally(new ThrownOnPurpose());
                });
                return stage;
            }));
        }
        Patience.terminate(executor);
        assertThat(futures).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(overlaps).as("attempts that overlap").hasValue(0);
        assertThat(ran).as("attempts").hasValue(tasks * attempts);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, tasks, 0, 0));
    }

    private final class Round {
        private final long seed;
        private final SplittableRandom random;
        private final boolean stopEarly;
        private final StripedExecutor executor;
        private final Queue<String> violations = new ConcurrentLinkedQueue<>();
        private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
        private final List<AtomicReference<Task>> inside = new ArrayList<>();
        private final AtomicInteger refused = new AtomicInteger();
        private final AtomicInteger succeeded = new AtomicInteger();
        private final CountDownLatch halfWay = new CountDownLatch(PRODUCERS);
        private final AtomicBoolean over = new AtomicBoolean();

        Round(long seed, FailurePolicy policy, boolean stopEarly) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.stopEarly = stopEarly;
            this.executor =
                    StripedExecutor.builder().threads(2).failurePolicy(policy).build();
            for (int i = 0; i < STRIPES; i++) {
                inside.add(new AtomicReference<>());
            }
        }

        /** One task, and what became of its attempts. */
        private final class Task {
            final int stripe;
            final int number;
            final int[] last;
            final int failures;
            final AtomicInteger attempts = new AtomicInteger();
            final AtomicInteger successes = new AtomicInteger();
            volatile CompletableFuture<?> future;

            Task(int stripe, int number, int[] last, int failures) {
                this.stripe = stripe;
                this.number = number;
                this.last = last;
                this.failures = failures;
            }

            /** Enters the stripe; true if this attempt is to fail. */
            boolean begin() {
                Task other = inside.get(stripe).compareAndExchange(null, this);
                // held tasks that shutdownNow cancels are still inside
                if (other != null && !stopEarly) {
                    violations.add(number + " of stripe " + stripe + " overlaps with " + other.number);
                }
                if (number < last[stripe] || successes.get() > 0) {
                    violations.add(number + " of stripe " + stripe + " runs after " + last[stripe]);
                }
                last[stripe] = number;
                return attempts.incrementAndGet() <= failures;
            }

            void end(boolean fails) {
                if (!fails) {
                    successes.incrementAndGet();
                    succeeded.incrementAndGet();
                }
                inside.get(stripe).compareAndSet(this, null);
            }

            int runNow() {
                boolean fails = begin();
                end(fails);
                if (fails) {
                    throw new ThrownOnPurpose();
                }
                return number;
            }

            CompletableFuture<Integer> start() {
                CompletableFuture<Integer> stage = new CompletableFuture<>();
                boolean fails = begin();
                Runnable completion = () -> {
                    end(fails);
                    if (fails) {
                        stage.completeExceptionally(new ThrownOnPurpose());
                    } else {
                        stage.complete(number);
                    }
                };
                if (number % 3 == 0) {
                    completion.run();
                } else {
                    completers.execute(completion);
                }
                return stage;
            }
        }

        void run() {
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < PRODUCERS; p++) {
                SplittableRandom own = random.split();
                producers.add(new Thread(() -> produce(own)));
            }
            Thread controller = new Thread(this::control);
            controller.start();
            producers.forEach(Thread::start);
            List<Runnable> unstarted = List.of();
            if (stopEarly) {
                Patience.await(halfWay);
                unstarted = executor.shutdownNow();
            }
            producers.forEach(Patience::join);
            if (!stopEarly && seed % 4 < 2) {
                for (int stripe = 0; stripe < STRIPES; stripe++) {
                    // the controller resumes and skips until all is done
                    Task last = new Task(stripe, SUBMISSIONS + 1, new int[STRIPES], 0);
                    last.future = executor.submit(stripe, last::runNow);
                    tasks.add(last);
                    Patience.get(last.future);
                }
            }
            over.set(true);
            Patience.join(controller);
            Patience.terminate(executor);
            verify(unstarted);
        }

        private void control() {
            SplittableRandom own = random.split();
            while (!over.get()) {
                int stripe = own.nextInt(STRIPES);
                switch (own.nextInt(8)) {
                    case 0 -> executor.control().skip(stripe);
                    case 1 -> executor.control().pause(stripe);
                    case 2 -> executor.control().pause();
                    case 3 -> executor.control().resume();
                    default -> executor.control().resume(stripe);
                }
            }
            executor.control().resume();
        }

        private void produce(SplittableRandom random) {
            int[] last = new int[STRIPES];
            for (int i = 1; i <= SUBMISSIONS; i++) {
                if (i == SUBMISSIONS / 2) {
                    halfWay.countDown();
                }
                int kind = random.nextInt(10);
                int failures = kind % 2 == 0 ? random.nextInt(6) : 0;
                Task task = new Task(random.nextInt(STRIPES), i, last, failures);
                try {
                    submit(task, kind);
                } catch (RejectedExecutionException refusal) {
                    refused.incrementAndGet();
                    continue;
                }
                tasks.add(task);
                if (kind >= 4 && kind < 7 && random.nextInt(3) == 0) {
                    task.future.cancel(false);
                }
            }
        }

        private void submit(Task task, int kind) {
            if (kind < 4) {
                executor.execute(task.stripe, task::runNow);
            } else if (kind < 7) {
                task.future = executor.submit(task.stripe, task::runNow);
            } else {
                task.future = executor.submitAsync(task.stripe, task::start);
            }
        }

        private void verify(List<Runnable> unstarted) {
            String round = "seed " + seed;
            assertThat(violations).as(round).isEmpty();
            for (Task task : tasks) {
                if (task.future != null) {
                    assertThat(task.future.isDone()).as(round).isTrue();
                }
                assertThat(task.successes.get()).as(round).isLessThanOrEqualTo(1);
            }
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.completed() + stats.failed() + stats.cancelled())
                    .as("ends of accepted tasks, %s", round)
                    .isEqualTo(tasks.size());
            assertThat(stats.rejected()).as(round).isEqualTo(refused.get());
            assertThat(stats.keys() + stats.queued() + stats.active()).as(round).isZero();
            assertThat(stats.completed()).as(round).isLessThanOrEqualTo(succeeded.get());
            if (!stopEarly && seed % 4 < 2) {
                int execute =
                        (int) tasks.stream().filter(task -> task.future == null).count();
                assertThat(stats.cancelled()).as(round).isLessThanOrEqualTo(tasks.size() - execute);
                assertThat(tasks).as(round).allMatch(task -> task.attempts.get() > 0 || task.future.isCancelled());
            }
            assertThat(stats.cancelled()).as(round).isGreaterThanOrEqualTo(unstarted.size());
        }
    }
}
