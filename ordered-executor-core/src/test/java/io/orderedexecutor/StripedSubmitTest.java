package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code submit} and what can be done with its future. */
class StripedSubmitTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor =
            StripedExecutor.builder().executor(stepped).build();

    @Test
    void resultsNullAndFailures() {
        CompletableFuture<Integer> number = executor.submit("a", () -> 42);
        CompletableFuture<Object> nothing = executor.submit("a", () -> null);
        CompletableFuture<Integer> failed = executor.submit("a", () -> {
            throw new java.io.IOException("thrown by the test");
        });
        stepped.runAll();
        assertThat(number).isCompletedWithValue(42);
        assertThat(nothing).isCompletedWithValue(null);
        assertThatThrownBy(failed::get).hasRootCauseMessage("thrown by the test");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 1, 0, 0));
    }

    @Test
    void aDependentActionThatThrowsHarmsNobody() {
        CompletableFuture<Void> dependent = executor.submit("a", () -> 1).thenRun(() -> {
            throw new IllegalStateException("thrown by the test");
        });
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(dependent).isCompletedExceptionally();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }

    @Test
    void aCancelledTaskNeverStarts() {
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Integer> future = executor.submit("a", ran::incrementAndGet);
        executor.execute("a", source.next());
        assertThat(future.cancel(false)).isTrue();
        assertThat(future.cancel(true))
                .as("as CompletableFuture has it: still cancelled")
                .isTrue();
        stepped.runAll();
        assertThat(ran).hasValue(0);
        assertThatThrownBy(future::get).isInstanceOf(CancellationException.class);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
    }

    @Test
    void aTaskWhoseFutureIsCompletedByTheApplicationIsNotStarted() {
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Integer> future = executor.submit("a", ran::incrementAndGet);
        assertThat(future.complete(7)).isTrue();
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(ran).hasValue(0);
        assertThat(future).isCompletedWithValue(7);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("cancel(true) interrupts the running task; its stripe goes on when it has returned, uninterrupted")
    void cancelTrueInterruptsTheRunningTask() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayReturn = new CountDownLatch(1);
        AtomicBoolean wasInterrupted = new AtomicBoolean();
        AtomicBoolean nextInterrupted = new AtomicBoolean();
        OrderRecorder.Step first = source.next(() -> {
            running.countDown();
            try {
                new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                wasInterrupted.set(true);
            }
            Patience.await(mayReturn);
            Thread.currentThread().interrupt(); // as good tasks do
        });
        CompletableFuture<?> future = executor.submit("a", Executors.callable(first));
        OrderRecorder.Step next =
                source.next(() -> nextInterrupted.set(Thread.currentThread().isInterrupted()));
        executor.execute("a", next);
        Patience.await(running);
        assertThat(future.cancel(true)).isTrue();
        assertThat(Patience.get(executor.submit("b", () -> "free"))).isEqualTo("free");
        assertThat(next.runs()).as("the running task has not returned").isZero();
        mayReturn.countDown();
        Patience.terminate(executor);
        assertThat(wasInterrupted).isTrue();
        assertThat(nextInterrupted).isFalse();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 1, 0));
    }

    @Test
    void cancelFalseDoesNotInterrupt() {
        StripedExecutor executor = SameKind.atLeast(1).build();
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicBoolean undisturbed = new AtomicBoolean();
        CompletableFuture<Integer> future = executor.submit("a", () -> {
            running.countDown();
            undisturbed.set(cancelled.await(Patience.SECONDS, TimeUnit.SECONDS)
                    && !Thread.currentThread().isInterrupted());
            return 1;
        });
        Patience.await(running);
        future.cancel(false);
        cancelled.countDown();
        Patience.terminate(executor);
        assertThat(undisturbed).isTrue();
    }

    @Test
    @DisplayName("the interrupt of cancel(true) never reaches the next task of the thread, however late it comes")
    void interruptsOfCancellationsDoNotLeak() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        int rounds = SameKind.some(20_000);
        AtomicInteger leaked = new AtomicInteger();
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        Thread canceller = SameKind.thread(() -> futures.forEach(future -> future.cancel(true)));
        for (int i = 0; i < rounds; i++) {
            int stripe = i % 5;
            futures.add(executor.submit(stripe, () -> 1));
            Runnable watcher = () -> {
                ran.incrementAndGet();
                if (Thread.currentThread().isInterrupted()) {
                    leaked.incrementAndGet();
                }
            };
            executor.execute(stripe, watcher);
            executor.execute(-i - 1, watcher); // a stripe of its own, after the others on the same threads
        }
        canceller.start();
        Patience.join(canceller);
        Patience.terminate(executor);
        assertThat(ran).hasValue(2 * rounds);
        assertThat(leaked).hasValue(0);
    }

    @Test
    @DisplayName("the next task of a thread does not start while the interrupt of a cancellation is on its way "
            + "to that thread")
    void anInterruptOnItsWayIsAwaited() {
        CountDownLatch interrupting = new CountDownLatch(1);
        CountDownLatch nextStarted = new CountDownLatch(1);
        class SlowlyInterrupted extends Thread {
            SlowlyInterrupted(Runnable worker) {
                super(worker);
            }

            @Override
            public void interrupt() {
                interrupting.countDown();
                // until this thread waits for the interrupter, as it should, or goes on regardless
                while (getState() != State.BLOCKED && nextStarted.getCount() > 0) {
                    try {
                        nextStarted.await(1, TimeUnit.MILLISECONDS);
                    } catch (InterruptedException e) {
                        throw new AssertionError("the canceller is interrupted", e);
                    }
                }
                super.interrupt();
            }
        }
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .threadFactory(SlowlyInterrupted::new)
                .build();
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Integer> future = executor.submit("a", () -> {
            running.countDown();
            Patience.await(interrupting);
            return 1;
        });
        CompletableFuture<Boolean> next = executor.submit("a", () -> {
            nextStarted.countDown();
            try {
                return new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                return true;
            }
        });
        Patience.await(running);
        assertThat(future.cancel(true)).isTrue();
        assertThat(Patience.get(next))
                .as("whether the next task was interrupted")
                .isFalse();
        Patience.terminate(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
    }

    /** A key that lets something happen while it is being looked up. */
    private static final class MeddlingKey {
        private final Runnable[] lookUps;
        private int next;

        MeddlingKey(Runnable... lookUps) {
            this.lookUps = lookUps;
        }

        @Override
        public boolean equals(Object other) {
            if (next < lookUps.length) {
                lookUps[next++].run();
            }
            return other instanceof MeddlingKey;
        }

        @Override
        public int hashCode() {
            return "a".hashCode();
        }
    }

    @Test
    @DisplayName(
            "a task whose stripe opened and ended under its submission is cancelled once, in the place where it is")
    void aStripeThatOpensAndEndsDuringTheSubmission() {
        CompletableFuture<Integer> stage = new CompletableFuture<>();
        executor.submitAsync("a", () -> stage); // of the same hash code, and therefore compared with
        stepped.runAll();
        Object same = new MeddlingKey();
        Object key = new MeddlingKey(
                () -> executor.execute(same, source.next()), // it opens
                stepped::runAll); // it ends
        AtomicInteger ran = new AtomicInteger();
        CompletableFuture<Integer> future = executor.submit(key, ran::incrementAndGet);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(2, 1, 1, 0, 1, 1, 0, 0, 0));
        assertThat(future.cancel(false)).isTrue();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 0, 0, 0, 1, 1, 0, 1, 0));
        stepped.runAll();
        stage.complete(1);
        assertThat(ran).hasValue(0);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 1, 0));
    }

    @Test
    @DisplayName("many cancellations, in all orders, are each counted once; what is left runs in order")
    void cancellationsRaceWithTheStripe() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        OrderRecorder.Lane lane = recorder.lane("hot");
        int tasks = SameKind.some(20_000);
        AtomicInteger cancelled = new AtomicInteger();
        CountDownLatch half = new CountDownLatch(1);
        // nothing runs before this, so that what is cancelled until then still waits
        executor.execute("hot", () -> Patience.await(half));
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            OrderRecorder.Source own = lane.source();
            int producer = p;
            producers.add(SameKind.thread(() -> {
                List<CompletableFuture<Object>> batch = new ArrayList<>();
                for (int i = 0; i < tasks; i++) {
                    if (producer == 0 && i == tasks / 2) {
                        half.countDown();
                    }
                    OrderRecorder.Step step = own.next();
                    batch.add(executor.submit("hot", Executors.callable(step)));
                    if (batch.size() > (i * 31 + producer) % 100) {
                        for (int j = batch.size() - 1; j >= 0; j -= 1 + i % 3) {
                            if (batch.get(j).cancel(false)) {
                                cancelled.incrementAndGet();
                            }
                        }
                        batch.clear();
                    }
                }
            }));
        }
        producers.forEach(Thread::start);
        producers.forEach(Patience::join);
        Patience.terminate(executor);
        recorder.assertNoViolations();
        long ran = recorder.steps().stream().filter(step -> step.runs() == 1).count();
        assertThat(recorder.steps()).hasSize(4 * tasks).allMatch(step -> step.runs() <= 1);
        assertThat(cancelled).hasPositiveValue();
        // one that was cancelled while it ran did run
        assertThat(4L * tasks - ran).isLessThanOrEqualTo(cancelled.get());
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(
                        0, 0, 0, 0, 0, 4L * tasks + 1 - cancelled.get(), 0, cancelled.get(), 0));
    }

    @Test
    @DisplayName("a task that waits for a later task of its own stripe is told, and does not hang")
    void selfWait() {
        try (StripedExecutor executor = SameKind.atLeast(2).build()) {
            CompletableFuture<Object> outer =
                    executor.submit("a", () -> executor.submit("a", () -> 1).get());
            assertThatThrownBy(() -> outer.get(Patience.SECONDS, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(SelfWaitException.class)
                    .hasMessageContaining("key a");
        }
    }

    @Test
    @DisplayName("cancel(true) interrupts nobody if the task has run, waits to run again or is held by its stage")
    void cancelTrueInterruptsNobodyElse() {
        SteppedExecutor stepped = new SteppedExecutor();
        HandTimer timer = new HandTimer();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(1)
                        .delay(Duration.ofSeconds(1))
                        .multiplier(2)
                        .thenPark())
                .platform(timer)
                .build();
        List<CompletableFuture<Integer>> self = new ArrayList<>();
        List<Boolean> inside = new ArrayList<>();
        self.add(executor.submit("a", () -> {
            inside.add(self.get(0).complete(7));
            inside.add(self.get(0).cancel(true));
            inside.add(Thread.currentThread().isInterrupted());
            return 1;
        }));
        CompletableFuture<Integer> held = executor.submitAsync("b", () -> new CompletableFuture<Integer>());
        CompletableFuture<Integer> failing = executor.submit("c", () -> {
            throw new ThrownOnPurpose();
        });
        stepped.runAll();
        assertThat(self.get(0)).isCompletedWithValue(7);
        assertThat(inside).as("completed, cancelled, interrupted").containsExactly(true, false, false);
        assertThat(timer.waiting()).isEqualTo(1);
        for (CompletableFuture<Integer> future : List.of(held, failing)) {
            assertThat(future.cancel(true)).isTrue();
            assertThat(Thread.interrupted()).as("the thread that ran it").isFalse();
            assertThat(future.completeExceptionally(new ThrownOnPurpose())).isFalse();
        }
        assertThat(executor.submit("d", () -> 1).completeExceptionally(new ThrownOnPurpose()))
                .isTrue();
        stepped.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 1, 2, 0));
    }
}
