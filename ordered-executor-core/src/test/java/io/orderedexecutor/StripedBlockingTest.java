package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link Overflow#block}: who waits for room, for how long, and in which order. */
class StripedBlockingTest {
    private static final Duration LONG = Duration.ofDays(1);

    /** Where there is no room. */
    enum Full {
        EXECUTOR,
        STRIPE;

        StripedExecutorBuilder builder(Duration limit) {
            StripedExecutorBuilder builder =
                    StripedExecutor.builder().name("till").overflow(Overflow.block(limit));
            return this == EXECUTOR ? builder.capacity(1) : builder.keyCapacity(1);
        }
    }

    private final SteppedExecutor stepped = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();

    /** A thread that submits a task to stripe a. */
    private final class Submitter {
        final AtomicReference<Throwable> refusal = new AtomicReference<>();
        final AtomicReference<CompletableFuture<Integer>> accepted = new AtomicReference<>();
        volatile boolean interruptedAfterwards;
        final Thread thread;

        Submitter(StripedExecutor executor, Runnable afterwards) {
            thread = SameKind.thread(() -> {
                try {
                    accepted.set(executor.submit("a", ran::incrementAndGet));
                    afterwards.run();
                } catch (RejectedExecutionException refused) {
                    refusal.set(refused);
                }
                interruptedAfterwards = Thread.currentThread().isInterrupted();
            });
            thread.setDaemon(true);
            thread.start();
        }

        void awaitEnd() {
            Patience.join(thread);
        }
    }

    private Submitter blocked(StripedExecutor executor) {
        Submitter submitter = new Submitter(executor, () -> {});
        Patience.awaitParked(submitter.thread);
        return submitter;
    }

    private void finish(StripedExecutor executor, int ends) {
        stepped.runAll();
        assertThat(ran).hasValue(ends);
        assertThat(executor.inspect().stats().keys()).isZero();
        executor.shutdown();
        assertThat(executor.isTerminated()).isTrue();
    }

    private static Throwable refusal(StripedExecutor executor) {
        try {
            executor.execute("a", () -> {});
        } catch (RejectedExecutionException refused) {
            return refused;
        }
        throw new AssertionError("accepted");
    }

    @ParameterizedTest
    @EnumSource
    void waitsUntilATaskStarts(Full full) {
        StripedExecutor executor = full.builder(LONG).executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        Submitter submitter = blocked(executor);
        assertThat(executor.inspect().stats().rejected()).isZero();
        stepped.runNext();
        submitter.awaitEnd();
        assertThat(submitter.refusal).hasNullValue();
        finish(executor, 2);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A blocked submitter is let in while the task that made room is still running")
    void theStartMakesRoomNotTheEnd(Full full) {
        StripedExecutor executor = full.builder(LONG).executor(stepped).build();
        AtomicReference<Submitter> submitter = new AtomicReference<>();
        executor.execute("a", () -> {
            submitter.get().awaitEnd();
            ran.incrementAndGet();
        });
        submitter.set(blocked(executor));
        finish(executor, 2);
    }

    @ParameterizedTest
    @EnumSource
    void waitsUntilATaskIsCancelled(Full full) {
        StripedExecutor executor = full.builder(LONG).executor(stepped).build();
        CompletableFuture<?> queued = executor.submit("a", ran::incrementAndGet);
        Submitter submitter = blocked(executor);
        queued.cancel(false);
        submitter.awaitEnd();
        assertThat(executor.inspect().stats().queued()).isEqualTo(1);
        finish(executor, 1);
    }

    @ParameterizedTest
    @EnumSource
    void refusesWhenTheTimeIsOver(Full full) {
        Duration limit = Duration.ofMillis(20);
        StripedExecutor executor = full.builder(limit).executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        long start = System.nanoTime();
        assertThat(refusal(executor)).hasMessageContainingAll("till", "capacity", "1", "within PT0.02S");
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(limit.toNanos());
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, 1, 1, 0, 0, 0, 0, 0, 1));
        stepped.runAll();
        executor.execute("a", ran::incrementAndGet);
        refusal(executor);
        finish(executor, 2);
    }

    @ParameterizedTest
    @EnumSource
    void aLimitOfZeroDoesNotWait(Full full) {
        StripedExecutor executor = full.builder(Duration.ZERO).executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        assertThat(refusal(executor)).hasMessageContaining("capacity");
        finish(executor, 1);
    }

    @ParameterizedTest
    @EnumSource
    void anInterruptedSubmitterIsRefusedAndStaysInterrupted(Full full) {
        StripedExecutor executor = full.builder(LONG).executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        Submitter submitter = blocked(executor);
        submitter.thread.interrupt();
        submitter.awaitEnd();
        assertThat(submitter.refusal.get())
                .hasMessageContaining("interrupted")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(submitter.interruptedAfterwards).isTrue();
        assertThat(executor.inspect().stats().rejected()).isEqualTo(1);
        stepped.runAll();
        Thread.currentThread().interrupt();
        executor.execute("a", ran::incrementAndGet);
        assertThat(Thread.interrupted())
                .as("after a submission for which there was room")
                .isTrue();
        finish(executor, 2);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a shutdown wakes and refuses the blocked at once, and the executor terminates with its last task")
    void aShutdownWakesTheBlocked(Full full) {
        for (int blocked = 1; blocked <= 3; blocked++) {
            ran.set(0);
            StripedExecutor executor = full.builder(LONG).executor(stepped).build();
            executor.execute("a", ran::incrementAndGet);
            List<Submitter> submitters = new ArrayList<>();
            for (int i = 0; i < blocked; i++) {
                submitters.add(blocked(executor));
            }
            executor.shutdown();
            for (Submitter submitter : submitters) {
                submitter.awaitEnd();
                assertThat(submitter.refusal.get()).hasMessageContaining("shut down");
            }
            assertThat(executor.inspect().stats().rejected()).isEqualTo(blocked);
            finish(executor, 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shutdownNowWakesTheBlocked(Full full) {
        StripedExecutor executor = full.builder(LONG).executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        List<Submitter> submitters = List.of(blocked(executor), blocked(executor));
        assertThat(executor.shutdownNow()).hasSize(1);
        submitters.forEach(Submitter::awaitEnd);
        assertThat(submitters).allMatch(submitter -> submitter.refusal.get() != null);
        finish(executor, 0);
    }

    /** Equal to all of its kind; shuts down when it is compared. */
    private record ShuttingDown(Runnable shutdown) {
        @Override
        public boolean equals(Object other) {
            shutdown.run();
            return other instanceof ShuttingDown;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A shutdown after the submission has begun and before it waits is not overlooked")
    void aShutdownJustBeforeTheWait(Full full) {
        StripedExecutor executor = full.builder(LONG).executor(stepped).build();
        executor.execute(new ShuttingDown(() -> {}), ran::incrementAndGet);
        Thread submitter = SameKind.thread(() -> {
            try {
                executor.execute(new ShuttingDown(executor::shutdown), ran::incrementAndGet);
            } catch (RejectedExecutionException refused) {
                // as it should be
            }
        });
        submitter.setDaemon(true);
        submitter.start();
        if (full == Full.EXECUTOR) {
            // it waits before it compares
            Patience.awaitParked(submitter);
            executor.shutdown();
        }
        Patience.join(submitter);
        finish(executor, 1);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("First come, first served")
    void firstComeFirstServed(Full full) {
        StripedExecutor executor = full.builder(LONG).executor(stepped).build();
        CompletableFuture<?> queued = executor.submit("a", ran::incrementAndGet);
        BlockingQueue<Integer> order = new LinkedBlockingQueue<>();
        List<Submitter> submitters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            Submitter submitter = new Submitter(executor, () -> order.add(number));
            Patience.awaitParked(submitter.thread);
            submitters.add(submitter);
        }
        for (int i = 0; i < 5; i++) {
            queued.cancel(false);
            assertThat(poll(order)).isEqualTo(i);
            queued = submitters.get(i).accepted.get();
        }
        finish(executor, 1);
    }

    private static <T> T poll(BlockingQueue<T> queue) {
        try {
            T first = queue.poll(Patience.SECONDS, TimeUnit.SECONDS);
            if (first == null) {
                throw Patience.hang("nobody came");
            }
            return first;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("First come, first served: who comes when room is made does not overtake the one who waits")
    void nobodyBarges(Full full) {
        int rounds = 100;
        int overtaken = 0;
        for (int i = 0; i < rounds; i++) {
            StripedExecutor executor = full.builder(LONG).executor(stepped).build();
            CompletableFuture<?> queued = executor.submit("a", ran::incrementAndGet);
            BlockingQueue<String> order = new LinkedBlockingQueue<>();
            AtomicReference<Submitter> self = new AtomicReference<>();
            Submitter waiting = new Submitter(executor, () -> {
                order.add("waiting");
                self.get().accepted.get().cancel(false);
            });
            self.set(waiting);
            Patience.awaitParked(waiting.thread);
            queued.cancel(false);
            CompletableFuture<?> late = executor.submit("a", ran::incrementAndGet);
            order.add("late");
            late.cancel(false);
            waiting.awaitEnd();
            if (!order.remove().equals("waiting")) {
                overtaken++;
            }
            finish(executor, 0);
        }
        assertThat(overtaken)
                .as("times of %d that one who waited was overtaken", rounds)
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a task that submits to its own full executor is refused at once")
    void aTaskDoesNotWaitForItsOwnExecutor(Full full) {
        StripedExecutor borrowed = full.builder(LONG).executor(stepped).build();
        StripedExecutor own = SameKind.exactly(1, full.builder(LONG)).build();
        for (StripedExecutor executor : List.of(borrowed, own)) {
            CompletableFuture<Throwable> plain = new CompletableFuture<>();
            executor.execute("a", () -> {
                executor.execute("a", ran::incrementAndGet);
                plain.complete(refusal(executor));
            });
            stepped.runAll();
            assertThat(Patience.get(plain)).hasMessageContainingAll("till", "capacity", "task of this executor");
            CompletableFuture<Throwable> ofSupplier = new CompletableFuture<>();
            if (executor == own) {
                Patience.letWorkersFinish(executor, 1);
            }
            stepped.runAll();
            executor.submitAsync("a", () -> {
                executor.execute("a", ran::incrementAndGet);
                ofSupplier.complete(refusal(executor));
                return CompletableFuture.completedFuture(1);
            });
            stepped.runAll();
            assertThat(Patience.get(ofSupplier)).hasMessageContaining("task of this executor");
            Patience.terminate(executor);
        }
        assertThat(ran).hasValue(4);
    }

    @Test
    @DisplayName("A task may wait for room in another executor")
    void aTaskMayWaitForAnotherExecutor() {
        StripedExecutor full = Full.EXECUTOR.builder(LONG).executor(stepped).build();
        full.execute("a", ran::incrementAndGet);
        try (StripedExecutor other =
                SameKind.atLeast(1, Full.EXECUTOR.builder(LONG)).build()) {
            CompletableFuture<Thread> inside = new CompletableFuture<>();
            CompletableFuture<?> waits = other.submit("a", () -> {
                inside.complete(Thread.currentThread());
                full.execute("a", ran::incrementAndGet);
                return 1;
            });
            Patience.awaitParked(Patience.get(inside));
            stepped.runAll();
            Patience.get(waits);
        }
        finish(full, 2);
    }

    @Test
    @DisplayName("who waits for room in one stripe holds up nobody else's stripe, and holds no permit")
    void waitingForOneStripeHoldsUpNoOther() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .capacity(3)
                .keyCapacity(1)
                .overflow(Overflow.block(LONG))
                .build();
        executor.execute("a", ran::incrementAndGet);
        List<Submitter> submitters = List.of(blocked(executor), blocked(executor), blocked(executor));
        Thread others = SameKind.thread(() -> {
            executor.execute("b", ran::incrementAndGet);
            executor.execute("c", ran::incrementAndGet);
        });
        others.setDaemon(true);
        others.start();
        Patience.join(others);
        for (Submitter submitter : submitters) {
            assertThat(submitter.accepted).hasNullValue();
        }
        for (int i = 0; i < 3; i++) {
            stepped.runAll();
            awaitAny(submitters, i + 1);
        }
        submitters.forEach(Submitter::awaitEnd);
        finish(executor, 6);
    }

    @Test
    @DisplayName("who has found room in the executor and none in its stripe lets in those who came after it")
    void aFullStripeBehindAFullExecutorHoldsUpNoOther() {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .capacity(2)
                .keyCapacity(1)
                .overflow(Overflow.block(LONG))
                .build();
        executor.execute("b", ran::incrementAndGet);
        executor.execute("a", ran::incrementAndGet);
        Submitter ofFullStripe = blocked(executor);
        Thread ofAnother = new Thread(() -> executor.execute("c", ran::incrementAndGet));
        ofAnother.setDaemon(true);
        ofAnother.start();
        Patience.awaitParked(ofAnother);
        stepped.runNext();
        Patience.join(ofAnother);
        assertThat(ofFullStripe.accepted).hasNullValue();
        stepped.runNext();
        ofFullStripe.awaitEnd();
        assertThat(ofFullStripe.refusal).hasNullValue();
        finish(executor, 4);
    }

    @Test
    @DisplayName("a task may submit to its own executor while others wait, if there is room for it")
    void aTaskFindsRoomWhileOthersWait() {
        StripedExecutor executor = Full.STRIPE.builder(LONG).executor(stepped).build();
        AtomicReference<Submitter> waiting = new AtomicReference<>();
        executor.execute("b", () -> {
            executor.execute("a", ran::incrementAndGet);
            waiting.set(blocked(executor));
            executor.execute("c", ran::incrementAndGet);
        });
        stepped.runNext();
        assertThat(executor.inspect().stats().completed()).isEqualTo(1);
        stepped.runNext();
        waiting.get().awaitEnd();
        finish(executor, 3);
    }

    private static void awaitAny(List<Submitter> submitters, int ended) {
        for (long left = Patience.SECONDS * 1000; left > 0; left--) {
            if (submitters.stream()
                            .filter(submitter -> !submitter.thread.isAlive())
                            .count()
                    >= ended) {
                return;
            }
            submitters.stream()
                    .filter(submitter -> submitter.thread.isAlive())
                    .findFirst()
                    .ifPresent(waiting -> {
                        try {
                            waiting.thread.join(1);
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    });
        }
        throw Patience.hang(ended + " submitters have not been let in");
    }

    @Test
    @DisplayName("a stripe ends and is opened anew while submitters wait for it: each gets in")
    void theStripeEndsWhileSubmittersWait() {
        for (int round = 0; round < 50; round++) {
            StripedExecutor executor =
                    Full.STRIPE.builder(LONG).executor(stepped).build();
            ran.set(0);
            executor.execute("a", ran::incrementAndGet);
            Semaphore accepted = new Semaphore(0);
            List<Submitter> submitters = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                submitters.add(new Submitter(executor, accepted::release));
                Patience.awaitParked(submitters.get(i).thread);
            }
            for (int i = 0; i < 3; i++) {
                stepped.runAll();
                Patience.acquire(accepted, 1);
            }
            submitters.forEach(Submitter::awaitEnd);
            finish(executor, 4);
        }
    }
}
