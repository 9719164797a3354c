package io.orderedexecutor.benchmarks;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;

/** The executors of this project. */
final class OurSubjects {

    /** More than is ever queued: bounds that are checked and hold nobody up. */
    private static final int AMPLE = 10_000_000;

    /** How many items a batch has at most. */
    static final int MAX_BATCH = 100;

    private OurSubjects() {}

    static KeyedExecutor ownThreads(int threads) {
        return new Striped(StripedExecutor.builder().threads(threads).build(), () -> {});
    }

    static KeyedExecutor onForkJoinPool(int threads) {
        ForkJoinPool pool = Pools.asyncForkJoin(threads);
        return new Striped(StripedExecutor.builder().executor(pool).build(), () -> {}, () -> Pools.end(pool));
    }

    static KeyedExecutor bounded(int threads) {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(threads)
                .capacity(AMPLE)
                .stripeCapacity(AMPLE)
                .listener(new Meters())
                .build();
        ScheduledExecutorService scraper = Executors.newSingleThreadScheduledExecutor();
        // nobody waits for it: it ends with the scraper
        var unused = scraper.scheduleAtFixedRate(executor::stats, 1, 1, TimeUnit.SECONDS);
        return new Striped(executor, scraper::shutdownNow);
    }

    static KeyedExecutor withCapacity(int threads) {
        return new Striped(
                StripedExecutor.builder().threads(threads).capacity(AMPLE).build(), () -> {});
    }

    static KeyedExecutor withStripeCapacity(int threads) {
        return new Striped(
                StripedExecutor.builder().threads(threads).stripeCapacity(AMPLE).build(), () -> {});
    }

    /** Beside so many submitters that wait for room, each in a stripe of its own. */
    static KeyedExecutor withBlockedSubmitters(int threads, int submitters) {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(threads)
                .stripeCapacity(BlockedSubmitters.STRIPE_CAPACITY)
                .overflow(Overflow.block(Duration.ofHours(1)))
                .build();
        return new Striped(executor, BlockedSubmitters.of(executor, submitters));
    }

    static KeyedExecutor listening(int threads) {
        return new Striped(
                StripedExecutor.builder()
                        .threads(threads)
                        .listener(new Meters())
                        .build(),
                () -> {});
    }

    static KeyedExecutor withTimeline(int threads) {
        return new Striped(
                StripedExecutor.builder().threads(threads).flightRecorder(false).build(), () -> {});
    }

    static KeyedExecutor recorded(int threads) {
        Recording recording = new Recording();
        recording.enable("io.orderedexecutor.Task");
        recording.setMaxSize(64 << 20);
        recording.start();
        return new Striped(
                StripedExecutor.builder().threads(threads).flightRecorder(false).build(), recording::close);
    }

    static KeyedExecutor collecting(int threads) {
        return new Collecting(threads, tasks -> tasks.forEach(Runnable::run));
    }

    static KeyedExecutor collectedCalls(int threads) {
        return new Collecting(threads, tasks -> {
            RoundTrip.make();
            tasks.forEach(Runnable::run);
        });
    }

    static KeyedExecutor queuedCalls(int threads) {
        return new Calling(StripedExecutor.builder().threads(threads).build());
    }

    private record Calling(StripedExecutor executor) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(key, () -> {
                RoundTrip.make();
                task.run();
            });
        }

        @Override
        public void end() {
            executor.close();
        }
    }

    private record Collecting(StripedExecutor executor, Batcher<Object, Runnable> batcher) implements KeyedExecutor {

        Collecting(int threads, Consumer<List<Runnable>> handler) {
            this(StripedExecutor.builder().threads(threads).build(), handler);
        }

        private Collecting(StripedExecutor executor, Consumer<List<Runnable>> handler) {
            this(
                    executor,
                    executor.<Object, Runnable>batchTo((key, tasks) -> handler.accept(tasks))
                            .maxBatch(MAX_BATCH)
                            .build());
        }

        @Override
        public void execute(Object key, Runnable task) {
            // what becomes of it, the ledger tells
            var unused = batcher.submit(key, task);
        }

        @Override
        public void end() {
            executor.close();
        }
    }

    static KeyedExecutor grouped(int threads) {
        return new Grouped(GroupedExecutor.builder().threads(threads).build());
    }

    private record Grouped(GroupedExecutor executor) implements RollupExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(Groups.exclusive(key), task);
        }

        @Override
        public void executeRollup(Object key, Object other, Runnable task) {
            executor.execute(Groups.exclusive(key, other), task);
        }

        @Override
        public void end() {
            executor.close();
        }
    }

    /**
     * @param rest what is ended before the executor
     * @param afterwards what is ended after it
     */
    private record Striped(StripedExecutor executor, Ending rest, Ending afterwards) implements KeyedExecutor {

        Striped(StripedExecutor executor, Ending rest) {
            this(executor, rest, () -> {});
        }

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(key, task);
        }

        @Override
        public void end() throws Exception {
            rest.end();
            executor.close();
            afterwards.end();
        }
    }

    /** What is to be ended besides the executor. */
    interface Ending {
        void end() throws Exception;
    }

    /** What a listener for metrics does at least: it counts, and adds up times. */
    private static final class Meters implements TaskListener {
        private final LongAdder queued = new LongAdder();
        private final LongAdder started = new LongAdder();
        private final LongAdder finished = new LongAdder();
        private final LongAdder totalNanosQueued = new LongAdder();
        private final LongAdder totalNanosRun = new LongAdder();

        @Override
        public void queued(@Nullable Object key, Object task) {
            queued.increment();
        }

        @Override
        public void started(@Nullable Object key, Object task, long nanosQueued) {
            started.increment();
            totalNanosQueued.add(nanosQueued);
        }

        @Override
        public void finished(@Nullable Object key, Object task, long nanosRun) {
            finished.increment();
            totalNanosRun.add(nanosRun);
        }
    }
}
