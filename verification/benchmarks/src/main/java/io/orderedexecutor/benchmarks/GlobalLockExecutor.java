package io.orderedexecutor.benchmarks;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The classic striped executor, written down once more: one lock over a map of serial queues. A key without tasks is
 * not in the map; a key with tasks has one of them in the pool.
 */
final class GlobalLockExecutor implements KeyedExecutor {
    private final ForkJoinPool pool;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. What waits behind the task that is in the pool. */
    private final Map<Object, Queue<Runnable>> queues = new HashMap<>();

    GlobalLockExecutor(int threads) {
        this.pool = Pools.asyncForkJoin(threads);
    }

    @Override
    public void execute(Object key, Runnable task) {
        lock.lock();
        try {
            Queue<Runnable> queue = queues.get(key);
            if (queue != null) {
                queue.add(task);
                return;
            }
            queues.put(key, new ArrayDeque<>(4));
        } finally {
            lock.unlock();
        }
        pool.execute(() -> runInTurn(key, task));
    }

    private void runInTurn(Object key, Runnable task) {
        try {
            task.run();
        } finally {
            Runnable next = next(key);
            if (next != null) {
                pool.execute(() -> runInTurn(key, next));
            }
        }
    }

    private @Nullable Runnable next(Object key) {
        lock.lock();
        try {
            Queue<Runnable> queue = queues.get(key);
            Runnable next = queue == null ? null : queue.poll();
            if (next == null) {
                queues.remove(key);
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void end() throws InterruptedException {
        Pools.end(pool);
    }
}
