package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Many threads that submit in all modes to few stripes. A failure names its seed, {@code -Dstress.seed=...}. */
@Tag("no-second-try")
@Timeout(120)
class WhenBusyStressTest {
    private static final int SUBMITTERS = 4;
    private static final int SUBMISSIONS = 5_000;
    private static final int STRIPES = 2;

    private final long seed = Long.getLong("stress.seed", System.nanoTime());
    private final AtomicReference<String> wrong = new AtomicReference<>();
    private final AtomicLong runs = new AtomicLong();
    private final Queue<CompletableFuture<Integer>> futures = new ConcurrentLinkedQueue<>();

    /** One stripe: what its last submitters wanted to be seen, and what was seen. */
    private final class Watched {
        final AtomicLong written = new AtomicLong();
        final AtomicInteger inside = new AtomicInteger();

        /** By tasks only, one at a time. */
        long seen;

        int[] lastOf = new int[SUBMITTERS];

        /**
         * Runs a task.
         *
         * @param number its number among those of its submitter that are never replaced; negative for others
         */
        int run(int submitter, int number) {
            if (inside.getAndIncrement() != 0) {
                wrong.set("two tasks at a time");
            }
            runs.incrementAndGet();
            seen = written.get();
            if (number >= 0) {
                if (number <= lastOf[submitter]) {
                    wrong.set(number + " after " + lastOf[submitter]);
                }
                lastOf[submitter] = number;
            }
            inside.decrementAndGet();
            return number;
        }
    }

    @RepeatedTest(6)
    @DisplayName("whatever replaces, interrupts and skips, the last one gets a run that sees it")
    void allModesFromManyThreads() {
        System.out.println("WhenBusyStressTest: -Dstress.seed=" + seed);
        Random random = new Random(seed);
        StripedExecutorBuilder builder = StripedExecutor.builder().threads(3);
        if (random.nextBoolean()) {
            builder.capacity(1 + random.nextInt(20)).overflow(Overflow.block(Duration.ofMinutes(1)));
        }
        StripedExecutor executor = builder.build();
        List<Watched> stripes = new ArrayList<>();
        for (int i = 0; i < STRIPES; i++) {
            stripes.add(new Watched());
        }
        CyclicBarrier begin = new CyclicBarrier(SUBMITTERS);
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            int submitter = i;
            Random own = new Random(random.nextLong());
            Thread thread = new Thread(() -> {
                Patience.meet(begin);
                for (int number = 1; number <= SUBMISSIONS; number++) {
                    int stripe = own.nextInt(STRIPES);
                    submit(executor, stripe, stripes.get(stripe), submitter, number, own);
                }
            });
            submitters.add(thread);
            thread.start();
        }
        submitters.forEach(Patience::join);
        Patience.terminate(executor);
        assertThat(wrong.get()).as("-Dstress.seed=%s", seed).isNull();
        assertAllEnded(executor.inspect().stats(), executor.inspect().whenBusyStats());
        for (Watched stripe : stripes) {
            assertThat(stripe.seen).as("-Dstress.seed=%s", seed).isEqualTo(stripe.written.get());
        }
    }

    private void submit(
            StripedExecutor executor, int stripe, Watched watched, int submitter, int number, Random random) {
        switch (random.nextInt(8)) {
            case 0 -> futures.add(executor.with(WhenBusy.queue()).submit(stripe, () -> watched.run(submitter, number)));
            case 1 -> futures.add(executor.with(WhenBusy.refuse()).submit(stripe, () -> watched.run(submitter, -1)));
            case 2 -> {
                watched.written.incrementAndGet();
                futures.add(executor.with(WhenBusy.interrupt("all")).submit(stripe, () -> watched.run(submitter, -1)));
            }
            case 3 -> {
                watched.written.incrementAndGet();
                futures.add(executor.with(WhenBusy.interrupt("all"))
                        .submitAsync(stripe, () -> CompletableFuture.completedFuture(watched.run(submitter, -1))));
            }
            case 4 -> {
                CompletableFuture<Integer> future =
                        executor.with(WhenBusy.latest("cancelled")).submit(stripe, () -> watched.run(submitter, -1));
                futures.add(future);
                future.cancel(random.nextBoolean());
            }
            default -> {
                watched.written.incrementAndGet();
                futures.add(executor.with(WhenBusy.latest("all")).submit(stripe, () -> watched.run(submitter, -1)));
            }
        }
    }

    /** Each future has one end, and the figures say the same. */
    private void assertAllEnded(OrderedExecutorStats stats, WhenBusyStats busy) {
        long completed = 0;
        long cancelled = 0;
        long skipped = 0;
        for (CompletableFuture<Integer> future : futures) {
            assertThat(future).isDone();
            if (!future.isCompletedExceptionally()) {
                completed++;
                continue;
            }
            try {
                future.join();
            } catch (TaskRefusedException expected) {
                skipped++;
            } catch (CancellationException expected) {
                cancelled++;
            }
        }
        assertThat(stats)
                .as("-Dstress.seed=%s", seed)
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, completed, 0, cancelled, 0));
        assertThat(busy.refused()).isEqualTo(skipped);
        assertThat(completed + cancelled + skipped).isEqualTo((long) SUBMITTERS * SUBMISSIONS);
        assertThat(runs.get()).isBetween(completed, completed + busy.interrupted() + cancelled);
        assertThat(busy.replaced()).isPositive();
    }
}
