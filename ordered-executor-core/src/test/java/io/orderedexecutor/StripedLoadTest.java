package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Much of everything: all ran exactly once or was refused, in order, and no stripe is left. */
class StripedLoadTest {
    private final OrderRecorder recorder = new OrderRecorder();

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    @Test
    @DisplayName("200,000 tasks queued on one stripe, each 1,000th throws")
    void oneStripe() {
        StripedExecutor executor = SameKind.atLeast(2).build();
        OrderRecorder.Source source = recorder.lane("a").source();
        CountDownLatch submitted = new CountDownLatch(1);
        executor.execute("a", source.next(() -> Patience.await(submitted)));
        for (int i = 1; i < 200_000; i++) {
            Runnable body = i % 1000 == 0
                    ? () -> {
                        throw new ThrownOnPurpose();
                    }
                    : () -> {};
            executor.execute("a", source.next(body));
        }
        submitted.countDown();
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 199_801, 199, 0, 0));
    }

    @Test
    @DisplayName("20 producers on 20 stripes, throwing tasks among them, on an executor that refuses every third "
            + "hand-over")
    void twentyProducersOnTwentyStripes() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        StripedExecutor executor = StripedExecutor.builder()
                .executor(new RefusingExecutor(pool, 3))
                .build();
        AtomicInteger refused = twentyProducers(executor);
        assertThat(refused).hasPositiveValue();
        pool.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("20 producers on 20 stripes, throwing tasks among them, on own threads")
    void twentyProducersOnOwnThreads() {
        assertThat(twentyProducers(SameKind.atLeast(2).build())).hasValue(0);
    }

    private AtomicInteger twentyProducers(StripedExecutor executor) {
        List<OrderRecorder.Lane> lanes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            lanes.add(recorder.lane(i));
        }
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger thrown = new AtomicInteger();
        List<Thread> producers = new ArrayList<>();
        for (int p = 0; p < 20; p++) {
            List<OrderRecorder.Source> own =
                    lanes.stream().map(OrderRecorder.Lane::source).toList();
            producers.add(SameKind.thread(() -> {
                for (int i = 0; i < 10_000; i++) {
                    int stripe = i % 20;
                    Runnable body = i % 100 == 0
                            ? () -> {
                                thrown.incrementAndGet();
                                throw new ThrownOnPurpose();
                            }
                            : () -> {};
                    OrderRecorder.Step step = own.get(stripe).next(body);
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
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(
                        0, 0, 0, 0, 0, 200_000 - refused.get() - thrown.get(), thrown.get(), 0, refused.get()));
        return refused;
    }
}
