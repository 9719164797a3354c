package io.orderedexecutor.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Pools that keep no order. */
final class LimitSubjects {

    private LimitSubjects() {}

    static KeyedExecutor forkJoinPool(int threads) {
        return new Unordered(Pools.asyncForkJoin(threads));
    }

    static KeyedExecutor fixedPool(int threads) {
        return new Unordered(Executors.newFixedThreadPool(threads));
    }

    private record Unordered(ExecutorService pool) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            pool.execute(task);
        }

        @Override
        public void end() throws InterruptedException {
            Pools.end(pool);
        }
    }
}
