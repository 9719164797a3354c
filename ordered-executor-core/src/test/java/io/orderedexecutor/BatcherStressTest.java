package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Rounds;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Many threads that submit items to few stripes, and cancel some. A failure names its {@code -Dstress.seed=...}. */
@Tag("no-second-try")
@Timeout(120)
class BatcherStressTest {
    private static final int SUBMITTERS = 4;
    private static final int SUBMISSIONS = Rounds.of("batches.items", 1_000, 4_000);
    private static final int STRIPES = 3;
    private static final int MAX_BATCH = 7;
    private static final int CAPACITY = 40;

    private final long seed = Long.getLong("stress.seed", System.nanoTime());
    private final AtomicReference<String> wrong = new AtomicReference<>();

    private record Item(int submitter, int number) {}

    /** One stripe, used by its tasks only, one at a time. */
    private static final class Watched {
        final AtomicInteger inside = new AtomicInteger();
        final int[] lastOf = new int[SUBMITTERS];
        int batches;
    }

    private final Map<Integer, Watched> stripes = new ConcurrentHashMap<>();
    private final Map<Item, AtomicInteger> ended = new ConcurrentHashMap<>();
    private final Queue<CompletableFuture<?>> futures = new ConcurrentLinkedQueue<>();

    private void run(int stripe, List<Item> items) {
        Watched watched = stripes.get(stripe);
        if (watched.inside.getAndIncrement() != 0) {
            wrong.set("two batches at a time");
        }
        if (items.isEmpty() || items.size() > MAX_BATCH) {
            wrong.set("a batch of " + items.size());
        }
        // an attempt that fails runs again with the same items, or fewer
        boolean fails = ++watched.batches % 50 == 0;
        for (Item item : items) {
            if (item.number <= watched.lastOf[item.submitter]) {
                wrong.set(item + " after " + watched.lastOf[item.submitter]);
            }
            if (!fails) {
                watched.lastOf[item.submitter] = item.number;
                ended.computeIfAbsent(item, none -> new AtomicInteger()).incrementAndGet();
            }
        }
        watched.inside.decrementAndGet();
        if (fails) {
            throw new ThrownOnPurpose();
        }
    }

    @RepeatedTest(4)
    @DisplayName("each item is in one batch, in order, and no permit is lost")
    void itemsFromManyThreads() {
        System.out.println("BatcherStressTest: -Dstress.seed=" + seed);
        Random random = new Random(seed);
        StripedExecutor executor = StripedExecutor.builder()
                .threads(3)
                .capacity(CAPACITY)
                .overflow(Overflow.block(Duration.ofMinutes(1)))
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ZERO)
                        .multiplier(2)
                        .thenProceed())
                .build();
        BatcherBuilder<Integer, Item> builder = random.nextBoolean()
                ? executor.batchTo(this::run)
                : executor.batchToAsync((stripe, items) -> {
                    run(stripe, items);
                    return CompletableFuture.supplyAsync(() -> items);
                });
        builder.maxBatch(MAX_BATCH);
        if (random.nextBoolean()) {
            builder.linger(Duration.ofNanos(1 + random.nextInt(100_000)));
        }
        Batcher<Integer, Item> batcher = builder.build();
        for (int i = 0; i < STRIPES; i++) {
            stripes.put(i, new Watched());
        }
        CyclicBarrier begin = new CyclicBarrier(SUBMITTERS);
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            int submitter = i;
            Random own = new Random(random.nextLong());
            Thread thread = new Thread(() -> {
                Patience.meet(begin);
                for (int number = 1; number <= SUBMISSIONS; number++) {
                    submit(executor, batcher, new Item(submitter, number), own);
                }
            });
            submitters.add(thread);
            thread.start();
        }
        submitters.forEach(Patience::join);
        futures.forEach(BatcherStressTest::awaitEnd);
        refill(executor, batcher);
        Patience.terminate(executor);
        assertThat(wrong.get()).as("-Dstress.seed=%s", seed).isNull();
        assertAllEnded(executor);
    }

    private void submit(StripedExecutor executor, Batcher<Integer, Item> batcher, Item item, Random random) {
        int stripe = random.nextInt(STRIPES);
        CompletableFuture<Void> future = batcher.submit(stripe, item);
        futures.add(future);
        switch (random.nextInt(10)) {
            case 0 -> futures.add(executor.submit(stripe, () -> null));
            case 1, 2 -> future.cancel(random.nextBoolean());
            default -> {
                // it stays
            }
        }
    }

    private static void awaitEnd(CompletableFuture<?> future) {
        Patience.get(future.handle((value, failure) -> true));
    }

    /** Takes all permits at the same time: none was lost, and none was given back twice. */
    private static void refill(StripedExecutor executor, Batcher<Integer, Item> batcher) {
        executor.control().pause();
        List<CompletableFuture<?>> last = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            last.add(batcher.submit(0, new Item(0, SUBMISSIONS + 1 + i)));
        }
        assertThat(executor.inspect().stats().queued()).isEqualTo(CAPACITY);
        Thread tooMany = new Thread(() -> executor.submit(1, () -> null));
        tooMany.start();
        Patience.awaitParked(tooMany);
        executor.control().resume();
        Patience.join(tooMany);
        last.forEach(BatcherStressTest::awaitEnd);
    }

    private void assertAllEnded(StripedExecutor executor) {
        long cancelled = futures.stream().filter(CompletableFuture::isCancelled).count();
        long completed = futures.size() - cancelled + CAPACITY + 1;
        assertThat(futures)
                .allSatisfy(future -> assertThat(!future.isCompletedExceptionally() || future.isCancelled())
                        .isTrue());
        assertThat(executor.inspect().stats())
                .as("-Dstress.seed=%s", seed)
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, completed, 0, cancelled, 0));
        assertThat(ended.values()).allSatisfy(times -> assertThat(times.get()).isEqualTo(1));
        assertThat(executor.inspect().whenBusyStats().batchedItems())
                .isBetween((long) ended.size(), (long) SUBMITTERS * SUBMISSIONS + CAPACITY);
        assertThat(executor.inspect().whenBusyStats().batches()).isLessThan(ended.size());
    }
}
