package io.orderedexecutor.benchmarks;

import com.github.phantomthief.pool.KeyAffinityExecutor;
import com.google.common.util.concurrent.MoreExecutors;
import com.jano7.executor.KeySequentialRunner;
import io.netty.util.concurrent.NonStickyEventExecutorGroup;
import io.netty.util.concurrent.UnorderedThreadPoolEventExecutor;
import io.vertx.core.impl.TaskQueue;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.activemq.artemis.utils.actors.OrderedExecutorFactory;
import org.apache.bookkeeper.common.util.OrderedExecutor;

/**
 * The peers. Those that offer an executor for one sequence get a map from key to executor, as an application would keep
 * it; those that run on a pool of the caller's get the fastest there is.
 */
final class PeerSubjects {

    /** KeyAffinityExecutor's queues are bounded, and its submitters wait: never here. */
    private static final int AMPLE = 10_000_000;

    private PeerSubjects() {}

    static KeyedExecutor jano7(int threads) {
        ForkJoinPool pool = Pools.asyncForkJoin(threads);
        KeySequentialRunner<Object> runner = new KeySequentialRunner<>(pool);
        return new Adapter(runner::run, () -> Pools.end(pool));
    }

    static KeyedExecutor guava(int threads) {
        ForkJoinPool pool = Pools.asyncForkJoin(threads);
        return new ExecutorForEachKey(() -> MoreExecutors.newSequentialExecutor(pool), pool);
    }

    static KeyedExecutor artemis(int threads) {
        ForkJoinPool pool = Pools.asyncForkJoin(threads);
        OrderedExecutorFactory factory = new OrderedExecutorFactory(pool);
        return new ExecutorForEachKey(factory::getExecutor, pool);
    }

    static KeyedExecutor vertx(int threads) {
        ForkJoinPool pool = Pools.asyncForkJoin(threads);
        return new ExecutorForEachKey(
                () -> {
                    TaskQueue queue = new TaskQueue();
                    return task -> queue.execute(task, pool);
                },
                pool);
    }

    /** On the only one of its pools that hands tasks to any idle thread, as the group is meant to be used. */
    @SuppressWarnings("deprecation")
    static KeyedExecutor netty(int threads) {
        UnorderedThreadPoolEventExecutor pool = new UnorderedThreadPoolEventExecutor(threads);
        NonStickyEventExecutorGroup group = new NonStickyEventExecutorGroup(pool);
        return new ExecutorForEachKey(group::next, pool);
    }

    /** Its threads never say that they have ended: the wait for that takes all the time that it is given. */
    static KeyedExecutor bookkeeper(int threads) {
        OrderedExecutor executor = OrderedExecutor.newBuilder()
                .name("bookkeeper")
                .numThreads(threads)
                .build();
        return new Adapter(executor::executeOrdered, () -> executor.forceShutdown(100, TimeUnit.MILLISECONDS));
    }

    static KeyedExecutor moreLambdas(int threads) {
        KeyAffinityExecutor<Object> executor =
                KeyAffinityExecutor.newSerializingExecutor(threads, AMPLE, "more-lambdas-%d");
        return new Adapter((key, task) -> executor.executeEx(key, task::run), executor::close);
    }

    private interface Ending {
        void end() throws Exception;
    }

    private interface Execution {
        void execute(Object key, Runnable task);
    }

    private record Adapter(Execution execution, Ending ending) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            execution.execute(key, task);
        }

        @Override
        public void end() throws Exception {
            ending.end();
        }
    }

    private static final class ExecutorForEachKey implements KeyedExecutor {
        private final Map<Object, Executor> executors = new ConcurrentHashMap<>();
        private final Supplier<Executor> factory;
        private final ExecutorService pool;

        ExecutorForEachKey(Supplier<Executor> factory, ExecutorService pool) {
            this.factory = factory;
            this.pool = pool;
        }

        @Override
        public void execute(Object key, Runnable task) {
            Executor executor = executors.get(key);
            if (executor == null) {
                executor = executors.computeIfAbsent(key, k -> factory.get());
            }
            executor.execute(task);
        }

        @Override
        public void end() throws InterruptedException {
            Pools.end(pool);
        }
    }
}
