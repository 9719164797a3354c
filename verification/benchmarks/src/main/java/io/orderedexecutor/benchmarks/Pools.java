package io.orderedexecutor.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/** What subjects that bring no threads run on. */
final class Pools {

    private Pools() {}

    /** The fastest pool of the JDK for small tasks from outside: all subjects that need one get this. */
    static ForkJoinPool asyncForkJoin(int threads) {
        return new ForkJoinPool(threads, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
    }

    static void end(ExecutorService pool) throws InterruptedException {
        pool.shutdown();
        if (!pool.awaitTermination(10, TimeUnit.SECONDS)) {
            pool.shutdownNow();
        }
    }
}
