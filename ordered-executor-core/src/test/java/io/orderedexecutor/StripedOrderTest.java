package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.Striped;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R1, R2 and R3, and what a stripe is. */
class StripedOrderTest {
    private final OrderRecorder recorder = new OrderRecorder();

    /** A key that is equal to others of its number, with a hash code of the test's choice. */
    private record Key(int number, int hash) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && key.number == number;
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    @Test
    @DisplayName("four producers on eight shared stripes, on four threads")
    void producersShareStripes() {
        StripedExecutor executor = StripedExecutor.builder().threads(4).build();
        List<OrderRecorder.Lane> lanes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            lanes.add(recorder.lane("stripe " + i));
        }
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            List<OrderRecorder.Source> own =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            producers.add(new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    executor.execute("stripe " + i % 8, own.get(i % 8).next());
                }
            }));
        }
        producers.forEach(Thread::start);
        producers.forEach(Patience::join);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(80_000);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 80_000, 0, 0, 0));
    }

    @Test
    @DisplayName("all ways of submission share the order of a stripe")
    void allWaysOfSubmissionAreInOneOrder() {
        try (StripedExecutor executor = StripedExecutor.builder().threads(4).build()) {
            OrderRecorder.Source source = recorder.lane("a").source();
            Executor view = executor.executorFor("a");
            CountDownLatch submitted = new CountDownLatch(1);
            executor.execute("a", source.next(() -> Patience.await(submitted)));
            for (int i = 0; i < 1000; i++) {
                OrderRecorder.Step step = source.next();
                switch (i % 5) {
                    case 0 -> executor.execute("a", step);
                    case 1 ->
                        executor.submit("a", () -> {
                            step.run();
                            return null;
                        });
                    case 2 -> view.execute(step);
                    case 3 -> executor.asExecutorService().submit(Striped.task("a", step));
                    default ->
                        executor.submitAsync("a", () -> {
                            step.run();
                            return CompletableFuture.completedFuture(1);
                        });
                }
            }
            submitted.countDown();
            Patience.terminate(executor);
            recorder.assertAllRanOnceInOrder();
        }
    }

    @Test
    @DisplayName("equal strings are one stripe")
    void equalKeysAreOneStripe() {
        StripedExecutor executor = StripedExecutor.builder().threads(4).build();
        OrderRecorder.Source source = recorder.lane("client").source();
        for (int i = 0; i < 1000; i++) {
            executor.execute(new String("client"), source.next());
        }
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("with identityStripes, equal strings are two stripes that run side by side, and each is in order")
    void identityStripes() {
        StripedExecutor executor =
                StripedExecutor.builder().threads(2).identityStripes().build();
        String one = new String("client");
        String other = new String("client");
        CyclicBarrier sideBySide = new CyclicBarrier(2);
        AtomicInteger met = new AtomicInteger();
        Runnable meeting = () -> {
            Patience.meet(sideBySide);
            met.incrementAndGet();
        };
        executor.execute(one, meeting);
        executor.execute(other, meeting);
        OrderRecorder.Source sourceOfOne = recorder.lane("one").source();
        OrderRecorder.Source sourceOfOther = recorder.lane("other").source();
        for (int i = 0; i < 500; i++) {
            executor.execute(one, sourceOfOne.next());
            executor.executorFor(other).execute(sourceOfOther.next());
        }
        Patience.terminate(executor);
        assertThat(met).hasValue(2);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    void identityStripesNeverCallEqualsOrHashCode() {
        Object hostile = new Object() {
            @Override
            public boolean equals(Object other) {
                throw new AssertionError("equals called");
            }

            @Override
            public int hashCode() {
                throw new AssertionError("hashCode called");
            }
        };
        StripedExecutor executor =
                StripedExecutor.builder().threads(1).identityStripes().build();
        OrderRecorder.Source source = recorder.lane("hostile").source();
        for (int i = 0; i < 100; i++) {
            executor.execute(hostile, source.next());
        }
        assertThat(executor.inspect().snapshot(hostile)).isNotNull();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("keys of one hash code are stripes of their own")
    void collidingHashes() {
        StripedExecutor executor = StripedExecutor.builder().threads(3).build();
        CyclicBarrier sideBySide = new CyclicBarrier(3);
        AtomicInteger met = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            executor.execute(new Key(i, 42), () -> {
                Patience.meet(sideBySide);
                met.incrementAndGet();
            });
        }
        List<OrderRecorder.Source> sources = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sources.add(recorder.lane(i).source());
        }
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 200; i++) {
                executor.execute(new Key(i, 42), sources.get(i).next());
            }
        }
        Patience.terminate(executor);
        assertThat(met).hasValue(3);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats().completed()).isEqualTo(20_003);
    }

    @Test
    @DisplayName("a stripe that closes and opens with nearly every task stays in order while the table grows and "
            + "shrinks")
    void stripesThatComeAndGo() {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        int stripes = 500;
        List<OrderRecorder.Lane> lanes = new ArrayList<>();
        for (int i = 0; i < stripes; i++) {
            lanes.add(recorder.lane(i));
        }
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 3; p++) {
            List<OrderRecorder.Source> own =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            producers.add(new Thread(() -> {
                for (int i = 0; i < 60_000; i++) {
                    int stripe = (i & 1023) < 512 ? i % 3 : i % stripes; // few, then many
                    executor.execute(stripe, own.get(stripe).next());
                }
            }));
        }
        producers.forEach(Thread::start);
        producers.forEach(Patience::join);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(180_000);
    }

    @Test
    @DisplayName("tasks of a stripe see each other's plain writes, and the submitter's")
    void visibility() {
        StripedExecutor executor = StripedExecutor.builder().threads(4).build();
        int[][] plain = new int[16][1];
        for (int i = 0; i < 200_000; i++) {
            int stripe = i % 16;
            executor.execute(stripe, () -> plain[stripe][0]++);
        }
        Patience.terminate(executor);
        for (int[] count : plain) {
            assertThat(count[0])
                    .as("plain increments, read after awaitTermination")
                    .isEqualTo(12_500);
        }
    }

    @Test
    @DisplayName("what a task did is visible to whoever has its future")
    void visibilityThroughTheFuture() {
        try (StripedExecutor executor = StripedExecutor.builder().threads(2).build()) {
            int[] plain = new int[1];
            for (int i = 1; i <= 1000; i++) {
                Patience.get(executor.submit(i % 3, () -> plain[0]++));
                assertThat(plain[0]).isEqualTo(i);
            }
        }
    }

    @Test
    void executorForIsEquivalentToExecute() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor =
                StripedExecutor.builder().name("n").executor(stepped).build();
        Executor view = executor.executorFor("a");
        OrderRecorder.Source source = recorder.lane("a").source();
        view.execute(source.next());
        executor.execute("a", source.next());
        view.execute(source.next());
        assertThat(executor.inspect().stats().keys()).isEqualTo(1);
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 3, 0, Duration.ZERO, 0, false, false));
        assertThat(view.toString()).contains("n").contains("a");
        stepped.runAll();
        recorder.assertAllRanOnceInOrder();
        executor.shutdown();
        assertThatThrownBy(() -> view.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("'n'");
    }

    @Test
    void nullsAreNamedAndLeaveNothingBehind() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        assertThatThrownBy(() -> executor.execute(null, () -> {})).hasMessage("stripe");
        assertThatThrownBy(() -> executor.execute("a", null)).hasMessage("task");
        assertThatThrownBy(() -> executor.submit(null, () -> 1)).hasMessage("stripe");
        assertThatThrownBy(() -> executor.submit("a", null)).hasMessage("task");
        assertThatThrownBy(() -> executor.submitAsync(null, () -> null)).hasMessage("stripe");
        assertThatThrownBy(() -> executor.submitAsync("a", null)).hasMessage("task");
        assertThatThrownBy(() -> executor.executorFor(null)).hasMessage("stripe");
        assertThatThrownBy(() -> executor.executorFor("a").execute(null)).hasMessage("task");
        assertThatThrownBy(() -> executor.inspect().snapshot(null)).hasMessage("key");
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 0, 0));
        assertThat(stepped.waiting()).isZero();
    }
}
