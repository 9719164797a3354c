package io.orderedexecutor.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Hashes keys to threads, as applications write it themselves. */
final class SingleThreadsExecutor implements KeyedExecutor {
    private final List<ExecutorService> threads = new ArrayList<>();

    SingleThreadsExecutor(int threads) {
        for (int i = 0; i < threads; i++) {
            this.threads.add(Executors.newSingleThreadExecutor());
        }
    }

    @Override
    public void execute(Object key, Runnable task) {
        threads.get(Math.floorMod(key.hashCode(), threads.size())).execute(task);
    }

    @Override
    public void end() throws InterruptedException {
        for (ExecutorService thread : threads) {
            Pools.end(thread);
        }
    }
}
