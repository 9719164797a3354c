package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.BusyModel;
import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.Rounds;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random submissions of all modes, with cancellations, failures, retries, limits, pauses and a shutdown half-way,
 * against a sequential {@linkplain BusyModel reference}: after each operation, both have run the same tasks, their
 * figures are the same, and so are the ends of all futures.
 *
 * <p>A failure names the seed of its round; run it again with {@code -Dstress.seed=...}, and longer with
 * {@code -Dbusy.rounds=...}.
 */
@Tag("no-second-try")
@Timeout(600)
class WhenBusyModelTest {
    private static final int ROUNDS = Rounds.of("busy.rounds", 80, 400);
    private static final int OPERATIONS = 250;
    private static final String[] STRIPES = {"a", "b", "c"};
    private static final Object[] SLOTS = {"view", "search"};

    private final long seed = Long.getLong("stress.seed", System.nanoTime());

    @Test
    @DisplayName("all modes at random do as a sequential reference does")
    void agreesWithTheReference() {
        System.out.println("WhenBusyModelTest: -Dstress.seed=" + seed);
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler(
                (where, failure) -> assertThat(failure).isInstanceOf(ThrownOnPurpose.class));
        Map<String, Long> met = new HashMap<>();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                Round round = new Round(seed + i);
                try {
                    round.run();
                } catch (Throwable failure) {
                    throw new AssertionError(
                            "-Dstress.seed=" + (seed + i) + " -Dbusy.rounds=1\n" + round.history(), failure);
                }
                round.count(met);
            }
        } finally {
            thread.setUncaughtExceptionHandler(before);
        }
        System.out.println("WhenBusyModelTest: " + met);
        if (Long.getLong("stress.seed") == null) {
            assertThat(met)
                    .hasSize(11)
                    .allSatisfy((what, times) -> assertThat(times).as(what).isPositive());
        }
    }

    /** One executor and its reference. */
    private static final class Round {
        private final Random random;
        private final SteppedExecutor steps = new SteppedExecutor();
        private final AtomicLong clock = new AtomicLong();
        private final HandTimer timer = new HandTimer(clock::get);
        private final List<Batcher<String, BusyModel.Plan>> batchers;
        private final BusyModel model;
        private final StripedExecutor executor;
        private final Map<String, List<Integer>> ran = new TreeMap<>();
        private final Map<Integer, CompletableFuture<?>> futures = new HashMap<>();
        private final Map<Integer, CompletableFuture<Integer>> stages = new HashMap<>();
        private final List<String> history = new ArrayList<>();

        /** How often an item was run behind another one of its batch. */
        private final Map<Integer, Integer> notFirst = new HashMap<>();

        private int tasks;

        Round(long seed) {
            random = new Random(seed);
            model = new BusyModel(random);
            StripedExecutorBuilder builder = StripedExecutor.builder()
                    .executor(steps)
                    .platform(timer)
                    .failurePolicy(model.policy())
                    .overflow(model.discards() ? Overflow.discardOldest() : Overflow.reject());
            if (model.capacity() < Integer.MAX_VALUE) {
                builder.capacity(model.capacity()).keyCapacity(model.stripeCapacity());
            }
            if (random.nextBoolean()) {
                builder.listener(new TaskListener() {});
            }
            executor = builder.build();
            batchers = BusyModel.BATCHINGS.stream().map(this::batcher).toList();
        }

        private Batcher<String, BusyModel.Plan> batcher(BusyModel.Batching batching) {
            BatcherBuilder<String, BusyModel.Plan> builder =
                    batching.isAsync() ? executor.batchToAsync(this::startBatch) : executor.batchTo(this::attemptBatch);
            builder.maxBatch(batching.maxBatch());
            if (batching.isWeighed()) {
                builder.weigher(plan -> batching.weigh(plan.number()));
            }
            if (batching.hasKeys()) {
                builder.batchKey(plan -> batching.keyOf(plan.number()));
            }
            if (batching.lingers()) {
                builder.linger(BusyModel.LINGER).lingerLimit(BusyModel.LINGER.multipliedBy(BusyModel.LINGER_LIMIT));
            }
            return builder.build();
        }

        String history() {
            return String.join("\n", history) + "\nreference: " + model;
        }

        void run() {
            for (int i = 0; i < OPERATIONS; i++) {
                operate();
                assertAgreement();
                if (i == OPERATIONS * 3 / 4 && random.nextInt(3) == 0) {
                    shutdown(random.nextBoolean());
                }
            }
            shutdown(random.nextBoolean());
            while (!executor.isTerminated()) {
                finish();
            }
            steps.runAll();
            assertAgreement();
        }

        private void operate() {
            String stripe = STRIPES[random.nextInt(STRIPES.length)];
            int what = random.nextInt(100);
            if (what < 55) {
                submit(stripe, model.plan(random, tasks, tasks + 1, SLOTS));
                tasks += 2;
            } else if (what < 70) {
                history.add("run");
                steps.runAll();
                model.run();
            } else if (what < 78) {
                endStage(stripe);
            } else if (what < 84) {
                cancel();
            } else if (what < 89) {
                history.add("fire");
                fire();
            } else if (what < 92) {
                history.add("resume " + stripe);
                assertThat(executor.control().resume(stripe)).isEqualTo(model.resume(stripe));
            } else if (what < 94) {
                history.add("skip " + stripe);
                assertThat(executor.control().skip(stripe)).isEqualTo(model.skip(stripe));
            } else if (what < 96) {
                history.add("pause " + stripe);
                executor.control().pause(stripe);
                model.pause(stripe);
            } else if (what < 97) {
                history.add("pause");
                executor.control().pause();
                model.pause();
            } else {
                history.add("resume");
                executor.control().resume();
                model.resume();
            }
        }

        private void fire() {
            clock.addAndGet(BusyModel.LINGER.toNanos());
            timer.fire();
            model.fire();
        }

        private void submit(String stripe, BusyModel.Plan plan) {
            history.add("submit " + stripe + " " + plan);
            boolean accepted = model.submit(stripe, plan);
            try {
                switch (plan.kind()) {
                    case EXECUTE -> executor.with(plan.whenBusy()).execute(stripe, () -> attempt(stripe, plan));
                    case SUBMIT -> {
                        Callable<Integer> task = () -> attempt(stripe, plan);
                        futures.put(
                                plan.number(), executor.with(plan.whenBusy()).submit(stripe, task));
                    }
                    case ASYNC -> {
                        Supplier<CompletableFuture<Integer>> task = () -> {
                            ran.computeIfAbsent(stripe, name -> new ArrayList<>())
                                    .add(plan.number());
                            CompletableFuture<Integer> stage = new CompletableFuture<>();
                            stages.put(plan.number(), stage);
                            return stage;
                        };
                        futures.put(
                                plan.number(), executor.with(plan.whenBusy()).submitAsync(stripe, task));
                    }
                    case ITEM ->
                        futures.put(plan.number(), batchers.get(plan.batcher()).submit(stripe, plan));
                }
                assertThat(accepted).as("accepted").isTrue();
            } catch (RejectedExecutionException refusal) {
                assertThat(accepted).as("rejected, but not by the reference").isFalse();
            }
        }

        private int attempt(String stripe, BusyModel.Plan plan) {
            List<Integer> ranHere = ran.computeIfAbsent(stripe, name -> new ArrayList<>());
            ranHere.add(plan.number());
            long attempt =
                    ranHere.stream().filter(number -> number == plan.number()).count();
            BusyModel.Plan nested = plan.nested();
            if (nested != null && attempt == 1) {
                try {
                    Callable<Integer> task = () -> attempt(stripe, nested);
                    futures.put(
                            nested.number(), executor.with(nested.whenBusy()).submit(stripe, task));
                } catch (RejectedExecutionException refusal) {
                    history.add("rejected within a task: " + nested);
                }
            }
            if (plan.fails(attempt)) {
                throw new ThrownOnPurpose();
            }
            return plan.number();
        }

        private void attemptBatch(String stripe, List<BusyModel.Plan> batch) {
            note(stripe, batch);
            BusyModel.Plan first = batch.get(0);
            long attempt = ran.get(stripe).stream()
                    .filter(number -> number == first.number())
                    .count();
            if (first.fails(attempt - notFirst.getOrDefault(first.number(), 0))) {
                throw new ThrownOnPurpose();
            }
        }

        private CompletableFuture<Integer> startBatch(String stripe, List<BusyModel.Plan> batch) {
            note(stripe, batch);
            CompletableFuture<Integer> stage = new CompletableFuture<>();
            stages.put(batch.get(0).number(), stage);
            return stage;
        }

        private void note(String stripe, List<BusyModel.Plan> batch) {
            List<Integer> ranHere = ran.computeIfAbsent(stripe, name -> new ArrayList<>());
            batch.forEach(plan -> ranHere.add(plan.number()));
            ranHere.add(-batch.size());
            batch.stream().skip(1).forEach(plan -> notFirst.merge(plan.number(), 1, Integer::sum));
        }

        private void endStage(String stripe) {
            Integer number = model.activeIn(stripe);
            if (number == null) {
                return;
            }
            boolean fails = random.nextInt(3) == 0;
            history.add("end stage of " + number + (fails ? " with a failure" : ""));
            CompletableFuture<Integer> stage = stages.get(number);
            if (fails) {
                stage.completeExceptionally(new ThrownOnPurpose());
            } else {
                stage.complete(number);
            }
            model.endStage(stripe, fails);
        }

        private void cancel() {
            List<Integer> open = model.open();
            if (!open.isEmpty()) {
                int number = open.get(random.nextInt(open.size()));
                history.add("cancel " + number);
                assertThat(futures.get(number).cancel(true)).isTrue();
                model.cancel(number);
            }
        }

        private void shutdown(boolean now) {
            history.add(now ? "shutdownNow" : "shutdown");
            if (now) {
                assertThat(executor.shutdownNow()).hasSize(model.shutdownNow());
            } else {
                executor.shutdown();
                model.shutdown();
            }
            assertAgreement();
        }

        private void finish() {
            steps.runAll();
            model.run();
            fire();
            for (String stripe : STRIPES) {
                Integer number = model.activeIn(stripe);
                if (number != null) {
                    stages.get(number).complete(number);
                    model.endStage(stripe, false);
                }
            }
            assertAgreement();
        }

        private void assertAgreement() {
            assertThat(ran).isEqualTo(model.ran());
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(List.of(
                            stats.queued(),
                            stats.active(),
                            stats.completed(),
                            stats.failed(),
                            stats.cancelled(),
                            stats.rejected()))
                    .isEqualTo(model.figures());
            assertThat(executor.inspect().whenBusyStats()).isEqualTo(model.whenBusyStats());
            futures.forEach((number, future) ->
                    assertThat(stateOf(future)).as("future of %s", number).isEqualTo(model.stateOf(number)));
        }

        private static BusyModel.State stateOf(CompletableFuture<?> future) {
            if (!future.isDone()) {
                return BusyModel.State.OPEN;
            }
            if (future.isCancelled()) {
                return BusyModel.State.CANCELLED;
            }
            return future.isCompletedExceptionally() ? BusyModel.State.FAILED : BusyModel.State.COMPLETED;
        }

        void count(Map<String, Long> met) {
            WhenBusyStats busy = executor.inspect().whenBusyStats();
            OrderedExecutorStats stats = executor.inspect().stats();
            met.merge("operations", (long) OPERATIONS, Long::sum);
            met.merge("run", ran.values().stream().mapToLong(List::size).sum(), Long::sum);
            met.merge("replaced", busy.replaced(), Long::sum);
            met.merge("interrupted", busy.interrupted(), Long::sum);
            met.merge("refused", busy.refused(), Long::sum);
            met.merge("batches", busy.batches(), Long::sum);
            met.merge("batched items", busy.batchedItems(), Long::sum);
            met.merge("completed", stats.completed(), Long::sum);
            met.merge("failed", stats.failed(), Long::sum);
            met.merge("cancelled", stats.cancelled(), Long::sum);
            met.merge("rejected", stats.rejected(), Long::sum);
        }
    }
}
