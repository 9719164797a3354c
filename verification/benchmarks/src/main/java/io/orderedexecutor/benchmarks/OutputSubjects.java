package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Core.Output;
import io.orderedexecutor.benchmarks.Core.OutputSubject;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Ways to work in parallel and write in order. Each key is a stream; the work on a piece is done by any thread and
 * makes its task, and the task is run as its output: so it is the output whose order is checked. A stream is looked up
 * without the lock that {@code computeIfAbsent} may take.
 */
final class OutputSubjects {

    /** More than the producer ever has in flight: nobody is held up by a window. */
    private static final int AMPLE = 1_000_000;

    /**
     * Reactor's own default; it makes arrays of this size for each stream. The 16 pieces that a stream has in flight on
     * average are far from it.
     */
    private static final int REACTOR_CONCURRENCY = 256;

    private OutputSubjects() {}

    static KeyedExecutor ours(int threads) {
        return new Streams(Core.PRESENT.outputs(threads, AMPLE), new ConcurrentHashMap<>());
    }

    private record Streams(OutputSubject executor, Map<Object, Output> outputs) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            Output output = outputs.get(key);
            if (output == null) {
                output = outputs.computeIfAbsent(key, ignored -> executor.open());
            }
            output.submit(task);
        }

        @Override
        public void end() {
            outputs.values().forEach(Output::close);
            executor.end();
        }
    }

    /** The futures of all streams are collected in the order of their submission, by one thread more. */
    static KeyedExecutor futuresInOrder(int threads) {
        return new FuturesInOrder(Pools.asyncForkJoin(threads));
    }

    private static final class FuturesInOrder implements KeyedExecutor {
        private final ForkJoinPool pool;
        private final BlockingQueue<Future<Runnable>> futures = new LinkedBlockingQueue<>();
        private final ExecutorService collector = Executors.newSingleThreadExecutor();
        private final Future<?> collecting;

        FuturesInOrder(ForkJoinPool pool) {
            this.pool = pool;
            this.collecting = collector.submit(this::collect);
        }

        private Void collect() throws Exception {
            while (true) {
                futures.take().get().run();
            }
        }

        @Override
        public void execute(Object key, Runnable task) {
            futures.add(pool.submit(() -> task));
        }

        @Override
        public void end() throws Exception {
            collecting.cancel(true);
            collector.shutdown();
            Pools.end(pool);
        }
    }

    /**
     * A lock for each stream: whoever has finished waits until it is its turn. The pool has to start tasks in order, or
     * all its threads might wait.
     */
    static KeyedExecutor lockAroundOutput(int threads) {
        return new LockAroundOutput(Executors.newFixedThreadPool(threads), new ConcurrentHashMap<>());
    }

    private record LockAroundOutput(ExecutorService pool, Map<Object, Turns> turns) implements KeyedExecutor {

        @Override
        public void execute(Object key, Runnable task) {
            Turns known = turns.get(key);
            Turns ofStream = known == null ? turns.computeIfAbsent(key, ignored -> new Turns()) : known;
            long ticket = ofStream.issued++;
            pool.execute(() -> ofStream.run(ticket, task));
        }

        @Override
        public void end() throws Exception {
            pool.shutdown();
            if (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("the pool has not ended");
            }
        }
    }

    private static final class Turns {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition next = lock.newCondition();

        /** Used by the producer. */
        long issued;

        /** Guarded by the lock. */
        private long turn;

        void run(long ticket, Runnable output) {
            lock.lock();
            try {
                while (turn != ticket) {
                    next.awaitUninterruptibly();
                }
                output.run();
                turn++;
                next.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    static KeyedExecutor flatMapSequential(int threads) {
        return new FlatMapSequential(Pools.asyncForkJoin(threads));
    }

    private static final class FlatMapSequential implements KeyedExecutor {
        private final ForkJoinPool pool;
        private final Scheduler scheduler;
        private final Map<Object, Sinks.Many<Runnable>> streams = new ConcurrentHashMap<>();

        FlatMapSequential(ForkJoinPool pool) {
            this.pool = pool;
            this.scheduler = Schedulers.fromExecutor(pool);
        }

        private Sinks.Many<Runnable> open() {
            Sinks.Many<Runnable> stream = Sinks.many().unicast().onBackpressureBuffer();
            var unused = stream.asFlux()
                    .flatMapSequential(
                            task -> Mono.fromCallable(() -> task).subscribeOn(scheduler), REACTOR_CONCURRENCY)
                    .subscribe(Runnable::run);
            return stream;
        }

        @Override
        public void execute(Object key, Runnable task) {
            Sinks.Many<Runnable> stream = streams.get(key);
            if (stream == null) {
                stream = streams.computeIfAbsent(key, ignored -> open());
            }
            stream.tryEmitNext(task).orThrow();
        }

        @Override
        public void end() throws Exception {
            streams.values().forEach(stream -> stream.tryEmitComplete().orThrow());
            Pools.end(pool);
        }
    }
}
