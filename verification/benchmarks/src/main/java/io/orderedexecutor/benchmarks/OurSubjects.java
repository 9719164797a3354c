package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Core.Build;
import io.orderedexecutor.benchmarks.Core.StripedSubject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The executors of this project. */
final class OurSubjects {

    /** More than is ever queued: bounds that are checked and hold nobody up. */
    private static final int AMPLE = 10_000_000;

    /** How many items a batch has at most. */
    static final int MAX_BATCH = 100;

    private OurSubjects() {}

    static KeyedExecutor ownThreads(int threads) {
        return Core.PRESENT.striped(Build.threads(threads));
    }

    static KeyedExecutor onForkJoinPool(int threads) {
        ForkJoinPool pool = Pools.asyncForkJoin(threads);
        return new Beside(Core.PRESENT.striped(Build.on(pool)), () -> {}, () -> Pools.end(pool));
    }

    static KeyedExecutor bounded(int threads) {
        StripedSubject executor = Core.PRESENT.striped(
                Build.threads(threads).capacity(AMPLE).keyCapacity(AMPLE).metered());
        ScheduledExecutorService scraper = Executors.newSingleThreadScheduledExecutor();
        // nobody waits for it: it ends with the scraper
        var unused = scraper.scheduleAtFixedRate(executor::look, 1, 1, TimeUnit.SECONDS);
        return new Beside(executor, scraper::shutdownNow, () -> {});
    }

    static KeyedExecutor withCapacity(int threads) {
        return Core.PRESENT.striped(Build.threads(threads).capacity(AMPLE));
    }

    static KeyedExecutor withKeyCapacity(int threads) {
        return Core.PRESENT.striped(Build.threads(threads).keyCapacity(AMPLE));
    }

    /** Beside so many submitters that wait for room, each in a stripe of its own. */
    static KeyedExecutor withBlockedSubmitters(int threads, int submitters) {
        StripedSubject executor = Core.PRESENT.striped(Build.threads(threads)
                .keyCapacity(BlockedSubmitters.STRIPE_CAPACITY)
                .blockFor(Duration.ofHours(1)));
        return new Beside(executor, BlockedSubmitters.of(executor, submitters), () -> {});
    }

    static KeyedExecutor discarding(int threads, int capacity) {
        return Core.PRESENT.striped(Build.threads(threads).capacity(capacity).discardingOldest());
    }

    static KeyedExecutor listening(int threads) {
        return Core.PRESENT.striped(Build.threads(threads).metered());
    }

    static KeyedExecutor collecting(int threads) {
        return collecting(threads, tasks -> tasks.forEach(Runnable::run));
    }

    static KeyedExecutor collectedCalls(int threads) {
        return collecting(threads, tasks -> {
            RoundTrip.make();
            tasks.forEach(Runnable::run);
        });
    }

    private static KeyedExecutor collecting(int threads, Consumer<List<Runnable>> handler) {
        return Core.PRESENT.striped(Build.threads(threads)).collecting(MAX_BATCH, handler);
    }

    static KeyedExecutor queuedCalls(int threads) {
        return new Calling(Core.PRESENT.striped(Build.threads(threads)));
    }

    private record Calling(KeyedExecutor executor) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(key, () -> {
                RoundTrip.make();
                task.run();
            });
        }

        @Override
        public void end() throws Exception {
            executor.end();
        }
    }

    static KeyedExecutor grouped(int threads) {
        return Core.PRESENT.grouped(threads);
    }

    static KeyedExecutor stripesOfGroups(int threads) {
        return Core.PRESENT.stripesOfGroups(threads);
    }

    /**
     * An executor with something beside it.
     *
     * @param rest what is ended before the executor
     * @param afterwards what is ended after it
     */
    private record Beside(KeyedExecutor executor, Ending rest, Ending afterwards) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(key, task);
        }

        @Override
        public void end() throws Exception {
            rest.end();
            executor.end();
            afterwards.end();
        }
    }

    /** What is to be ended besides the executor. */
    interface Ending {
        void end() throws Exception;
    }
}
