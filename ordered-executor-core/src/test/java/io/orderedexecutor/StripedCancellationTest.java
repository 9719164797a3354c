package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** R7, R8: cancelled queued tasks leave nothing behind, and their neighbours run in order. */
class StripedCancellationTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();

    @Test
    @Tag("small-heap")
    @DisplayName("1,000,000 tasks of 1 KB are queued and cancelled while the stripe is busy, in a capacity of 2,000")
    void aMillionQueuedAndCancelled() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .capacity(2000)
                .keyCapacity(2000)
                .build();
        CompletableFuture<Void> stage = new CompletableFuture<>();
        CompletableFuture<CompletableFuture<Void>> busy = new CompletableFuture<>();
        // a thread that waited in a task would give up on a slow machine
        CompletableFuture<Void> held = executor.submitAsync("a", () -> {
            busy.complete(stage);
            return stage;
        });
        Patience.get(busy);
        Random random = new Random(1);
        for (int batch = 0; batch < 1000; batch++) {
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                Reachability.Payload payload = new Reachability.Payload();
                futures.add(executor.submit("a", payload::size));
                if (i == 500) {
                    executor.execute("a", source.next()); // a neighbour that stays
                }
            }
            Collections.shuffle(futures, random);
            futures.forEach(future -> future.cancel(true));
        }
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(1, 1000, 1000, 0, 1, 0, 0, 1_000_000, 0));
        stage.complete(null);
        Patience.terminate(executor);
        assertThat(held).isCompleted();
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1001, 0, 1_000_000, 0));
    }

    @Test
    @DisplayName("a task that is cancelled after it was taken, and before it has begun, does not begin: nobody "
            + "could interrupt it")
    void cancelledWhileTheListenerIsToldOfTheStart() {
        SteppedExecutor stepped = new SteppedExecutor();
        AtomicReference<CompletableFuture<Integer>> future = new AtomicReference<>();
        List<String> told = new ArrayList<>();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .listener(new TaskListener() {
                    @Override
                    public void started(@Nullable Object key, Object task, long nanosQueued) {
                        told.add("started");
                        future.get().cancel(true);
                    }

                    @Override
                    public void cancelled(@Nullable Object key, Object task) {
                        told.add("cancelled");
                    }
                })
                .build();
        AtomicInteger begun = new AtomicInteger();
        future.set(executor.submit("a", begun::incrementAndGet));
        executor.execute("a", source.next());
        stepped.runAll();
        assertThat(begun).hasValue(0);
        assertThat(future.get()).isCancelled();
        assertThat(told).containsExactly("started", "cancelled", "started");
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 1, 0));
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("Cancelling any of them, in any order, disturbs no neighbour; the counts are exact after each step")
    void neighboursAreUndisturbed() {
        long seed = Long.getLong("stress.seed", System.nanoTime());
        Random random = new Random(seed);
        SteppedExecutor stepped = new SteppedExecutor();
        for (int round = 0; round < 200; round++) {
            StripedExecutor executor =
                    StripedExecutor.builder().executor(stepped).build();
            List<CompletableFuture<Integer>> futures = new ArrayList<>();
            List<OrderRecorder.Step> steps = new ArrayList<>();
            int queued = 1 + random.nextInt(200);
            for (int i = 0; i < queued; i++) {
                OrderRecorder.Step step = source.next();
                steps.add(step);
                futures.add(executor.submit("a", () -> {
                    step.run();
                    return 1;
                }));
            }
            for (int i = random.nextInt(2 * queued); i > 0; i--) {
                int index = random.nextInt(futures.size());
                if (futures.get(index).cancel(true) && steps.get(index) != null) {
                    steps.get(index).exclude();
                    steps.set(index, null);
                    queued--;
                }
                assertThat(executor.inspect().stats().queued())
                        .as("-Dstress.seed=%d", seed)
                        .isEqualTo(queued);
            }
            stepped.runAll();
            assertThat(executor.inspect().stats().keys()).isZero();
            assertThat(executor.inspect().stats().completed()).isEqualTo(queued);
            executor.shutdown();
        }
        recorder.assertAllRanOnceInOrder();
    }
}
