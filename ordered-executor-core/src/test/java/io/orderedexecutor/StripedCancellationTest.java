package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** R7, R8: cancelled queued tasks leave nothing behind, and their neighbours run in order. */
class StripedCancellationTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final OrderRecorder.Source source = recorder.lane("a").source();

    @Test
    @Tag("small-heap")
    @DisplayName(
            "R7: 1,000,000 tasks of 1 KB are queued and cancelled while the stripe is busy, in a capacity of 2,000")
    void aMillionQueuedAndCancelled() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(1)
                .capacity(2000)
                .stripeCapacity(2000)
                .build();
        CountDownLatch busy = new CountDownLatch(1);
        CompletableFuture<Integer> stage = new CompletableFuture<>(); // which waits as long as it takes
        executor.submitAsync("a", () -> {
            busy.countDown();
            return stage;
        });
        Patience.await(busy);
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
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(1, 1000, 1, 0, 0, 1_000_000, 0));
        stage.complete(1);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.stats()).isEqualTo(new StripedExecutorStats(0, 0, 0, 1001, 0, 1_000_000, 0));
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
                assertThat(executor.stats().queued())
                        .as("-Dstress.seed=%d", seed)
                        .isEqualTo(queued);
            }
            stepped.runAll();
            assertThat(executor.stats().stripes()).isZero();
            assertThat(executor.stats().completed()).isEqualTo(queued);
            executor.shutdown();
        }
        recorder.assertAllRanOnceInOrder();
    }
}
