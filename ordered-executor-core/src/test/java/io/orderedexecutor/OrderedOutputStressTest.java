package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.HeardTasks;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.Written;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.OutputSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Everything at once and at random: what was written of each output must be in order and what the futures say.
 *
 * <p>A failure names its seed; run it again with {@code -Doutput.seed=...}.
 */
@Tag("no-second-try")
class OrderedOutputStressTest {
    private static final int PIECES = 600;

    private final long seed = Long.getLong("output.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final ExecutorService completer = Executors.newSingleThreadExecutor();

    @RegisterExtension
    final DefaultHandler handler = DefaultHandler.quiet();

    @AfterEach
    void endThreads() throws InterruptedException {
        completer.shutdown();
        assertThat(completer.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    /** One output of a round, and who submits to it. */
    private final class Stream {
        final int window = 1 + random.nextInt(random.nextInt(3) == 0 ? 3 : 40);
        final int concurrency = random.nextBoolean() ? 1_000_000 : 1 + random.nextInt(3);
        final SplittableRandom own = random.split();
        final AtomicInteger working = new AtomicInteger();
        final AtomicInteger finished = new AtomicInteger();
        volatile String violation;
        final Written<Integer> written = new Written<>(this::write);
        final List<CompletableFuture<Integer>> futures = new ArrayList<>();

        /** The numbers of those that nobody but their work and output completes. */
        final boolean[] undisturbed = new boolean[PIECES];

        final boolean cancels = random.nextBoolean();

        /**
         * Whether pieces are cancelled while others may come: by the test, or by {@code shutdownNow}, which does not
         * see a piece that is placed at the same time before it has cancelled those that are worked on.
         */
        final boolean givesUp;

        OrderedOutput<Integer> output;

        Stream(boolean shutsDownNow) {
            this.givesUp = cancels || shutsDownNow;
        }

        private void write(int number) {
            finished.decrementAndGet();
            if (number % 31 == 30) {
                throw new ThrownOnPurpose();
            }
        }

        /** What a stage does goes on when its future is cancelled, beside the work that takes its slot. */
        private int workElsewhere(int number) {
            return givesUp ? result(number) : work(number);
        }

        private int work(int number) {
            check("worked on", working.incrementAndGet(), concurrency);
            try {
                return result(number);
            } finally {
                working.decrementAndGet();
            }
        }

        private int result(int number) {
            if (number % 17 == 16) {
                throw new ThrownOnPurpose();
            }
            // what is cancelled when it is finished is not seen to be given up
            check("finished", finished.incrementAndGet(), givesUp ? Integer.MAX_VALUE : window);
            return number;
        }

        private void check(String what, int now, int limit) {
            if (now > limit) {
                violation = now + " pieces were " + what + ", of at most " + limit;
            }
        }

        void submitAll() {
            for (int i = 0; i < PIECES; i++) {
                int number = i;
                try {
                    futures.add(
                            switch (own.nextInt(4)) {
                                case 0 ->
                                    output.submitAsync(() ->
                                            CompletableFuture.supplyAsync(() -> workElsewhere(number), completer));
                                case 1 -> output.submitAsync(() -> CompletableFuture.completedFuture(work(number)));
                                default -> output.submit(() -> work(number));
                            });
                } catch (RejectedExecutionException ended) {
                    return;
                }
                undisturbed[i] = true;
                if (cancels && own.nextInt(4) == 0) {
                    disturb();
                }
            }
        }

        private void disturb() {
            int number = Math.max(0, futures.size() - 1 - own.nextInt(20));
            undisturbed[number] = false;
            CompletableFuture<Integer> future = futures.get(number);
            switch (own.nextInt(4)) {
                case 0 -> future.cancel(true);
                case 1 -> future.cancel(false);
                case 2 -> future.complete(-1);
                default -> completer.execute(() -> future.cancel(true));
            }
        }

        /** Asserts what holds whatever has happened. */
        void assertRight(String context, boolean ended) {
            assertThat(violation).as(context).isNull();
            assertThat(written.all()).as(context).isSorted().doesNotHaveDuplicates();
            assertThat(futures).as(context).allMatch(CompletableFuture::isDone);
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < futures.size(); i++) {
                if (undisturbed[i] && !(ended && futures.get(i).isCancelled())) {
                    assertEnd(context, i);
                    if (i % 17 != 16) {
                        expected.add(i);
                    }
                }
            }
            assertThat(written.all()).as(context).containsAll(expected);
            assertThat(output.snapshot().open()).as(context).isZero();
        }

        private void assertEnd(String context, int number) {
            boolean fails = number % 17 == 16 || number % 31 == 30;
            try {
                assertThat(futures.get(number).join()).as(context).isEqualTo(number);
                assertThat(fails).as("%s: %d has not failed", context, number).isFalse();
            } catch (CompletionException failure) {
                assertThat(fails)
                        .as("%s: %d has failed with %s", context, number, failure)
                        .isTrue();
            }
        }
    }

    /** The ways to end a round. */
    private enum End {
        CLOSE,
        SHUTDOWN,
        STOP,
        SHUTDOWN_NOW
    }

    @RepeatedTest(12)
    @DisplayName("R1 to R9: random pieces, settings, disturbances and ends")
    void everything() throws InterruptedException {
        int threads = 1 + random.nextInt(4);
        boolean own = random.nextBoolean();
        End end = End.values()[random.nextInt(End.values().length)];
        HeardTasks heard = new HeardTasks();
        ExecutorService pool = SameKind.pool(threads);
        OrderedOutputExecutorBuilder builder = OrderedOutputExecutor.builder()
                .listener(heard)
                .turn(1 + random.nextInt(20), Duration.ofNanos(1 + random.nextInt(200_000)))
                .overflow(Overflow.block(Duration.ofSeconds(Patience.SECONDS)));
        if (random.nextBoolean()) {
            builder.capacity(1 + random.nextInt(50));
        }
        if (random.nextBoolean()) {
            builder.failurePolicy(FailurePolicy.retry()
                    .maxRetries(1)
                    .delay(Duration.ofNanos(random.nextInt(2000)))
                    .multiplier(2)
                    .thenProceed());
        }
        OrderedOutputExecutor executor = (own ? builder.threads(threads) : builder.executor(pool)).build();
        List<Stream> streams = new ArrayList<>();
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            Stream stream = new Stream(end == End.SHUTDOWN_NOW);
            stream.output = executor.outputTo(stream.written)
                    .window(stream.window)
                    .concurrency(stream.concurrency)
                    .open();
            streams.add(stream);
            producers.add(SameKind.thread(stream::submitAll));
        }
        String context = "seed " + seed + ", " + end + ", " + (own ? "own" : "pool of") + " threads " + threads;
        producers.forEach(Thread::start);
        interfere(executor, streams);
        if (end == End.SHUTDOWN_NOW) {
            executor.shutdownNow();
        } else if (end == End.STOP) {
            streams.forEach(stream -> stream.output.stop());
        }
        producers.forEach(Patience::join);
        if (end == End.SHUTDOWN) {
            executor.shutdown();
        }
        streams.forEach(stream -> stream.output.close());
        Patience.terminate(executor);
        completer.submit(() -> {});
        pool.shutdown();
        assertThat(pool.awaitTermination(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        streams.forEach(stream -> stream.assertRight(context, end == End.STOP || end == End.SHUTDOWN_NOW));
        int accepted =
                streams.stream().mapToInt(stream -> stream.futures.size()).sum();
        OrderedExecutorStats stats = executor.inspect().stats();
        assertThat(stats.completed() + stats.failed() + stats.cancelled())
                .as(context)
                .isEqualTo(accepted);
        heard.assertOneEndEach(context);
        assertThat(heard.count(HeardTasks.Kind.QUEUED)).as(context).isEqualTo(accepted);
    }

    private void interfere(OrderedOutputExecutor executor, List<Stream> streams) throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            OrderedOutput<Integer> output = streams.get(random.nextInt(streams.size())).output;
            switch (random.nextInt(8)) {
                case 0 -> executor.control().pause();
                case 1, 2 -> executor.control().resume();
                case 3 -> {
                    OutputSnapshot snapshot = output.snapshot();
                    assertThat(snapshot.open()).as(snapshot.toString()).isBetween(0L, (long) snapshot.window());
                }
                case 4 -> executor.oldestOutputs(2);
                case 5 -> output.flush();
                case 6 -> executor.inspect().runningTasks();
                default -> executor.awaitIdle(Duration.ofNanos(random.nextInt(100_000)));
            }
        }
        executor.control().resume();
        assertThat(executor.control().isPaused()).isFalse();
    }
}
