package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Pause and resume, of an executor and of a stripe. */
class StripedPauseTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).build();
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final OrderRecorder.Source ofOther = recorder.lane("b").source();

    private void assertStats(long stripes, long queued, long active, long completed) {
        long deepest = executor.inspect().deepestKeys(1).stream()
                .mapToLong(KeySnapshot::queued)
                .sum();
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(stripes, queued, deepest, 0, active, completed, 0, 0, 0));
    }

    private void assertAllRan() {
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, recorder.steps().size());
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    // the executor

    @Test
    void aPausedExecutorAcceptsAndStartsNothing() {
        executor.execute("a", source.next());
        assertThat(executor.control().isPaused()).isFalse();
        executor.control().pause();
        executor.control().pause();
        assertThat(executor.control().isPaused()).isTrue();
        executor.execute("a", source.next());
        executor.submit("b", () -> {
            ofOther.next().run();
            return 1;
        });
        executor.asExecutorService().execute(recorder.lane("none").source().next());
        stepped.runAll();
        assertStats(3, 4, 0, 0);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 2, 0, Duration.ZERO, 0, false, false));
        assertThat(executor.control().resume("a"))
                .as("the stripe is not paused")
                .isFalse();
        stepped.runAll();
        assertStats(3, 4, 0, 0);
        executor.control().resume();
        assertThat(executor.control().isPaused()).isFalse();
        executor.control().resume();
        assertAllRan();
    }

    @Test
    void aPauseInsideATaskHoldsTheNextOne() {
        executor.execute("a", source.next(executor.control()::pause));
        executor.execute("a", source.next(() -> executor.control().pause("a")));
        executor.execute("a", source.next(() -> {
            executor.control().pause("a");
            assertThat(executor.control().resume("a")).isTrue();
            executor.control().pause();
            executor.control().resume();
        }));
        executor.execute("a", source.next());
        stepped.runAll();
        assertStats(1, 3, 0, 1);
        executor.control().resume();
        stepped.runAll();
        assertStats(1, 2, 0, 2);
        executor.control().resume();
        stepped.runAll();
        assertStats(1, 2, 0, 2);
        assertThat(executor.control().resume("a")).isTrue();
        assertAllRan();
    }

    @Test
    void anIdleExecutorThatIsPausedAndResumedHasNoStripes() {
        executor.control().pause();
        assertStats(0, 0, 0, 0);
        executor.control().resume();
        executor.control().resume();
        executor.execute("a", source.next());
        assertAllRan();
    }

    // a stripe

    @Test
    @DisplayName("a paused stripe holds nobody else")
    void aPausedStripeHoldsNoOther() {
        executor.control().pause("a");
        executor.control().pause("a");
        executor.execute("a", source.next());
        executor.execute("b", ofOther.next());
        executor.executorFor("a").execute(source.next());
        stepped.runAll();
        assertStats(1, 2, 0, 1);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 2, 0, Duration.ZERO, 0, true, false));
        assertThat(executor.control().isPaused()).isFalse();
        executor.control().resume();
        stepped.runAll();
        assertStats(1, 2, 0, 1);
        assertThat(executor.control().resume("b")).isFalse();
        assertThat(executor.control().resume("a")).isTrue();
        assertThat(executor.control().resume("a")).isFalse();
        assertAllRan();
    }

    @Test
    @DisplayName("an idle stripe is kept while it is paused, and nothing is left of it when it is resumed")
    void anIdlePausedStripeIsKept() {
        for (int i = 0; i < 1000; i++) {
            executor.control().pause(i);
            assertThat(executor.inspect().snapshot(i))
                    .contains(new KeySnapshot(i, 0, 0, Duration.ZERO, 0, true, false));
        }
        stepped.runAll();
        assertStats(1000, 0, 0, 0);
        for (int i = 0; i < 1000; i++) {
            assertThat(executor.control().resume(i)).isTrue();
            assertThat(executor.inspect().snapshot(i)).isEmpty();
        }
        assertStats(0, 0, 0, 0);
        executor.execute("a", source.next());
        assertAllRan();
    }

    @Test
    void aStripeThatBecomesIdleWhilePausedIsKept() {
        CompletableFuture<Integer> future = executor.submit("a", () -> {
            executor.control().pause("a");
            return 1;
        });
        stepped.runAll();
        assertThat(future).isCompletedWithValue(1);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 0, 0, Duration.ZERO, 0, true, false));
        assertStats(1, 0, 0, 1);
        CompletableFuture<Integer> cancelled = executor.submit("a", () -> 2);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 1, 0, Duration.ZERO, 0, true, false));
        cancelled.cancel(false);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 0, 0, Duration.ZERO, 0, true, false));
        assertThat(executor.control().resume("a")).isTrue();
        stepped.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    void theExecutorAndTheStripeAreResumedOneByOne() {
        executor.control().pause();
        executor.control().pause("a");
        executor.execute("a", source.next());
        executor.execute("b", ofOther.next());
        stepped.runAll();
        assertThat(executor.control().resume("a")).isTrue();
        stepped.runAll();
        assertStats(2, 2, 0, 0);
        executor.control().pause("a");
        executor.control().resume();
        stepped.runAll();
        assertStats(1, 1, 0, 1);
        assertThat(executor.control().resume("a")).isTrue();
        assertAllRan();
    }

    @Test
    void stripesAreComparedAsTheExecutorDoes() {
        String one = new String("a");
        String equal = new String("a");
        StripedExecutor identity =
                StripedExecutor.builder().executor(stepped).identityStripes().build();
        identity.control().pause(one);
        identity.execute(one, source.next());
        OrderRecorder.Step free = ofOther.next();
        identity.execute(equal, free);
        stepped.runAll();
        assertThat(free.runs()).isEqualTo(1);
        assertThat(identity.inspect().snapshot(one)).isPresent();
        assertThat(identity.inspect().snapshot(equal)).isEmpty();
        assertThat(identity.control().resume(equal)).isFalse();
        assertThat(identity.control().resume(one)).isTrue();
        stepped.runAll();
        assertThat(identity.inspect().stats().keys()).isZero();

        executor.control().pause(one);
        executor.execute(equal, source.next());
        stepped.runAll();
        assertStats(1, 1, 0, 0);
        assertThat(executor.control().resume(equal)).isTrue();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 1);
    }

    // asynchronous tasks

    @Test
    void aHeldTaskEndsWhileItsStripeIsPaused() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        CompletableFuture<Integer> held = executor.submitAsync("a", () -> stage);
        executor.execute("a", source.next());
        stepped.runAll();
        executor.control().pause("a");
        assertStats(1, 1, 1, 0);
        stage.complete(1);
        stepped.runAll();
        assertThat(held).isCompletedWithValue(1);
        assertStats(1, 1, 0, 1);
        assertThat(executor.control().resume("a")).isTrue();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 2);
    }

    @Test
    void resumingAStripeThatIsHeldDoesNotStartItsNextTask() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync("a", () -> stage);
        executor.execute("a", source.next());
        stepped.runAll();
        executor.control().pause("a");
        executor.control().pause();
        assertThat(executor.control().resume("a")).isTrue();
        executor.control().resume();
        stepped.runAll();
        assertStats(1, 1, 1, 0);
        stage.complete(1);
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertStats(0, 0, 0, 2);
    }

    @Test
    void aPauseHoldsTheNextAttemptAndLeavesAParkedTaskParked() {
        HandTimer timer = new HandTimer();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .platform(timer)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(java.time.Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark())
                .build();
        List<Integer> attempts = new ArrayList<>();
        CompletableFuture<Integer> future = executor.submit("a", () -> {
            attempts.add(attempts.size() + 1);
            if (attempts.size() < 3) {
                throw new ThrownOnPurpose();
            }
            return attempts.size();
        });
        executor.execute("a", source.next());
        stepped.runAll();
        executor.control().pause();
        timer.fire();
        stepped.runAll();
        assertThat(attempts).containsExactly(1);
        executor.control().resume();
        stepped.runAll();
        assertThat(attempts).containsExactly(1, 2);
        executor.control().pause();
        executor.control().resume();
        stepped.runAll();
        assertThat(attempts).as("it is parked now").containsExactly(1, 2);
        executor.control().pause("a");
        assertThat(executor.control().resume("a")).as("both").isTrue();
        stepped.runAll();
        assertThat(future).isCompletedWithValue(3);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }

    // the end of the executor

    @Test
    @DisplayName("shutdown lets what is paused go on")
    void shutdownWhilePaused() {
        executor.control().pause();
        executor.control().pause("a");
        executor.control().pause("idle");
        executor.execute("a", source.next());
        executor.execute("a", source.next());
        executor.execute("b", ofOther.next());
        stepped.runAll();
        executor.shutdown();
        assertThat(executor.control().isPaused()).isFalse();
        assertThat(executor.isTerminated()).isFalse();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.isTerminated()).isTrue();
        assertStats(0, 0, 0, 3);
    }

    @Test
    void anIdlePausedStripeDoesNotKeepTheExecutorFromTerminating() {
        executor.control().pause("a");
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
        executor.control().pause("a");
        executor.control().pause();
        assertThat(executor.control().isPaused()).isFalse();
        assertThat(executor.inspect().snapshot("a")).isEmpty();
        assertStats(0, 0, 0, 0);
    }

    @Test
    void aPauseAfterTheShutdownHasNoEffect() {
        executor.execute("a", source.next());
        executor.execute("a", source.next());
        executor.shutdown();
        executor.control().pause();
        executor.control().pause("a");
        executor.control().pause("b");
        assertThat(executor.control().isPaused()).isFalse();
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.isTerminated()).isTrue();
        assertStats(0, 0, 0, 2);
    }

    @Test
    @DisplayName("shutdownNow takes back what waits in a paused executor, whoever would run it")
    void shutdownNowWhilePaused() {
        for (StripedExecutor executor : List.of(
                this.executor,
                StripedExecutor.builder().executor(Runnable::run).build(),
                SameKind.exactly(1).build())) {
            executor.control().pause();
            List<Runnable> waiting = new ArrayList<>();
            OrderRecorder.Source source = recorder.lane("a").source();
            for (int i = 0; i < 10; i++) {
                OrderRecorder.Step step = source.next();
                step.exclude();
                waiting.add(step);
                executor.execute("a", step);
            }
            List<Runnable> unstarted = executor.shutdownNow();
            stepped.runAll();
            Patience.awaitTermination(executor);
            assertThat(unstarted).isEqualTo(waiting);
            assertThat(executor.control().isPaused()).isFalse();
            recorder.assertAllRanOnceInOrder();
            assertThat(executor.inspect().stats().cancelled()).isEqualTo(10);
        }
    }

    // many threads

    @Test
    @DisplayName("what many threads submit during a pause runs once, in order, when it is over")
    void submittedDuringAPause() {
        StripedExecutor executor = SameKind.exactly(2).build();
        executor.control().pause();
        executor.control().pause(0);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            producers.add(SameKind.thread(() -> {
                Patience.await(go);
                for (int stripe = 0; stripe < 5; stripe++) {
                    OrderRecorder.Source own = lanes.get(stripe).source();
                    for (int i = 0; i < 500; i++) {
                        executor.execute(stripe, own.next());
                    }
                }
            }));
        }
        producers.forEach(Thread::start);
        go.countDown();
        producers.forEach(Patience::join);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(5, 10_000, 2_000, 0, 0, 0, 0, 0, 0));
        executor.control().resume();
        Patience.letWorkersFinish(executor, 2);
        assertThat(executor.inspect().snapshot(0)).contains(new KeySnapshot(0, 2000, 0, Duration.ZERO, 0, true, false));
        assertThat(executor.control().resume(0)).isTrue();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats().completed()).isEqualTo(10_002);
    }

    private final List<OrderRecorder.Lane> lanes = lanes(5);

    private List<OrderRecorder.Lane> lanes(int count) {
        List<OrderRecorder.Lane> lanes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lanes.add(recorder.lane(i));
        }
        return lanes;
    }

    @Test
    @DisplayName("pauses and resumes that race with submissions and with the end of stripes lose nothing")
    void pausesRaceWithEverything() {
        SameKind.assumeTimeSharing();
        long seed = Long.getLong("stress.seed", System.nanoTime());
        System.out.println("StripedPauseTest: -Dstress.seed=" + seed);
        for (int round = 0; round < 40; round++) {
            StripedExecutor executor = SameKind.exactly(2).build();
            SplittableRandom random = new SplittableRandom(seed + round);
            AtomicBoolean over = new AtomicBoolean();
            CyclicBarrier start = new CyclicBarrier(3);
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < 2; p++) {
                SplittableRandom own = random.split();
                producers.add(SameKind.thread(() -> {
                    List<OrderRecorder.Source> sources =
                            lanes.stream().map(OrderRecorder.Lane::source).toList();
                    Patience.meet(start);
                    for (int i = 0; i < 1000; i++) {
                        int stripe = own.nextInt(5);
                        executor.execute(stripe, sources.get(stripe).next());
                    }
                }));
            }
            Thread controller = SameKind.thread(() -> {
                Patience.meet(start);
                while (!over.get()) {
                    int stripe = random.nextInt(5);
                    switch (random.nextInt(6)) {
                        case 0 -> executor.control().pause();
                        case 1, 2 -> executor.control().pause(stripe);
                        case 3 -> executor.control().resume();
                        default -> executor.control().resume(stripe);
                    }
                }
            });
            producers.forEach(Thread::start);
            controller.start();
            producers.forEach(Patience::join);
            boolean shutDownPaused = round % 2 == 0;
            if (shutDownPaused) {
                executor.shutdown();
            }
            over.set(true);
            Patience.join(controller);
            if (!shutDownPaused) {
                executor.control().resume();
                for (int stripe = 0; stripe < 5; stripe++) {
                    executor.control().resume(stripe);
                    Patience.get(executor.submit(stripe, () -> 1));
                }
                Patience.letWorkersFinish(executor, 2);
            }
            Patience.terminate(executor);
            assertThat(executor.inspect().stats())
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, shutDownPaused ? 2000 : 2007, 0, 0, 0));
        }
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(80_000);
    }

    @Test
    void aPausedExecutorKeepsNoStripeWithoutTasks() {
        SteppedExecutor steps = new SteppedExecutor();
        StripedExecutor paused = StripedExecutor.builder().executor(steps).build();
        OrderRecorder recorder = new OrderRecorder();
        paused.execute("a", recorder.lane("a").source().next(paused.control()::pause));
        steps.runAll();
        assertThat(paused.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 0));
        recorder.assertAllRanOnceInOrder();
        paused.submit("a", () -> 1).cancel(false);
        steps.runAll();
        assertThat(paused.inspect().stats())
                .as("after a task that was cancelled in the pause")
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        paused.control().resume();
        assertThat(steps.waiting()).isZero();
    }
}
