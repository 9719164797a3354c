package io.orderedexecutor;

import static io.orderedexecutor.fixtures.Tickets.numberOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * R5: a thread that looks at an executor runs none of its tasks. While it looks, threads that serve the executor leave
 * with it what they would do to the same keys; so it may be the one that grants a place.
 */
@Tag("no-second-try")
class WhoRunsBesideReadersTest {
    private static final int KEYS = 8;
    private static final int TASKS = 10_000;

    /** Time flies, so that the helper does not wait for a second before it runs what the pool refuses. */
    private static final Platform FAST = new Platform() {
        @Override
        public long nanoTime() {
            return 1_000 * super.nanoTime();
        }
    };

    enum Pool {
        FULL,
        REFUSES,
        SHUT_DOWN,
        RUNS_INLINE,
        /** The executor has threads of its own, and none of them starts. */
        STARTS_NO_THREAD
    }

    /** What has run, and where. */
    private static final class Runs {
        private final AtomicIntegerArray runs = new AtomicIntegerArray(TASKS);
        private final int[] last = new int[KEYS];
        private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        private final List<Integer> overtaken = Collections.synchronizedList(new ArrayList<>());
        private final CountDownLatch all = new CountDownLatch(TASKS);

        Runs() {
            Arrays.fill(last, -1);
        }

        void run(int task) {
            int key = task % KEYS;
            if (last[key] > task) {
                overtaken.add(task);
            }
            last[key] = task;
            runs.incrementAndGet(task);
            threads.add(Thread.currentThread());
            all.countDown();
        }

        CompletableFuture<Integer> run(int task, CompletableFuture<Integer> stage) {
            run(task);
            return stage;
        }

        void check() {
            assertThat(overtaken).isEmpty();
            for (int i = 0; i < TASKS; i++) {
                assertThat(runs.get(i)).as("runs of task %d", i).isEqualTo(1);
            }
        }
    }

    /** Threads that look, one look after the other, until they are stopped. */
    private static final class Readers {
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();
        private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

        Readers(Runnable... looks) {
            for (Runnable look : looks) {
                threads.add(new Thread(
                        () -> {
                            while (!stopped.get()) {
                                look.run();
                            }
                        },
                        "reader"));
            }
            threads.forEach(each -> each.setUncaughtExceptionHandler((thread, failure) -> failures.add(failure)));
            threads.forEach(Thread::start);
        }

        void stop() {
            stopped.set(true);
            threads.forEach(Patience::join);
            // a reader may be the one that has tried to start a thread
            assertThat(failures).allMatch(ThrownOnPurpose.class::isInstance);
        }
    }

    private static void lookAt(OrderedExecutor executor, Object key) {
        ExecutorInspection inspection = executor.inspect();
        assertThat(inspection.stats().failed()).isZero();
        assertThat(inspection.snapshot(key).isEmpty()).isIn(true, false);
        assertThat(inspection.explain(key)).isNotNull();
        assertThat(inspection.deepestKeys(3)).hasSizeLessThanOrEqualTo(3);
        assertThat(inspection.parkedTasks()).isEmpty();
        assertThat(inspection.queuedTasks(3)).hasSizeLessThanOrEqualTo(3);
        assertThat(inspection.runningTasks()).doesNotContainNull();
    }

    /** A pool that runs what it is given, until it becomes what the test is about. */
    private static final class Below implements Executor, ThreadFactory {
        private final Pool pool;
        private final ThreadPoolExecutor threads =
                new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
        private final List<Thread> before = new CopyOnWriteArrayList<>();
        private volatile boolean armed;

        Below(Pool pool) {
            this.pool = pool;
        }

        @Override
        public Thread newThread(Runnable work) {
            if (armed) {
                throw new ThrownOnPurpose();
            }
            Thread next = new Thread(work, "before");
            before.add(next);
            return next;
        }

        @Override
        public void execute(Runnable task) {
            if (!armed) {
                newThread(task).start();
            } else if (pool == Pool.REFUSES) {
                throw new RejectedExecutionException("refused by the test");
            } else if (pool == Pool.RUNS_INLINE) {
                task.run();
            } else {
                threads.execute(task);
            }
        }

        void arm() {
            Patience.awaitEnds(before, () -> {});
            armed = true;
            if (pool == Pool.SHUT_DOWN) {
                threads.shutdown();
            }
        }

        <B extends OrderedExecutorBuilder<B>> B on(B builder) {
            builder.platform(FAST);
            return pool == Pool.STARTS_NO_THREAD ? builder.threads(2).threadFactory(this) : builder.executor(this);
        }
    }

    private static void check(
            OrderedExecutor executor, Below pool, Runs runs, List<CompletableFuture<Integer>> stages) {
        pool.arm();
        Readers readers =
                new Readers(() -> assertThat(executor.inspect().stats()).isNotNull(), () -> lookAt(executor, 0));
        for (int i = 0; i < KEYS; i++) {
            stages.get(i).complete(i);
        }
        Patience.await(runs.all);
        readers.stop();
        Patience.terminate(executor);
        pool.threads.shutdown();
        runs.check();
        assertThat(runs.threads).doesNotContainAnyElementsOf(readers.threads).doesNotContain(Thread.currentThread());
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, TASKS, 0, 0, 0));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("readers of a striped executor run no task, whatever the pool does")
    void striped(Pool pool) {
        Below below = new Below(pool);
        StripedExecutor executor = below.on(StripedExecutor.builder()).build();
        Runs runs = new Runs();
        List<CompletableFuture<Integer>> stages = stages();
        for (int i = 0; i < TASKS; i++) {
            int task = i;
            if (i < KEYS) {
                executor.submitAsync(i, () -> runs.run(task, stages.get(task)));
            } else {
                executor.execute(i % KEYS, () -> runs.run(task));
            }
        }
        check(executor, below, runs, stages);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("readers of a grouped executor run no task, whatever the pool does")
    void grouped(Pool pool) {
        Below below = new Below(pool);
        GroupedExecutor executor = below.on(GroupedExecutor.builder()).build();
        Runs runs = new Runs();
        List<CompletableFuture<Integer>> stages = stages();
        for (int i = 0; i < TASKS; i++) {
            int task = i;
            Groups groups = Groups.exclusive(i % KEYS, -1 - i % KEYS);
            if (i < KEYS) {
                executor.submitAsync(groups, () -> runs.run(task, stages.get(task)));
            } else {
                executor.execute(groups, () -> runs.run(task));
            }
        }
        check(executor, below, runs, stages);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("readers of an ordered output executor neither work nor write, whatever the pool does")
    void output(Pool pool) {
        Below below = new Below(pool);
        OrderedOutputExecutor executor = below.on(OrderedOutputExecutor.builder())
                .window(TASKS)
                .concurrency(1)
                .build();
        Runs runs = new Runs();
        List<CompletableFuture<Integer>> stages = stages();
        List<OrderedOutput<Integer>> outputs = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            int task = i;
            if (i < KEYS) {
                outputs.add(executor.open(runs::run));
                outputs.get(i).submitAsync(() -> stages.get(task));
            } else {
                outputs.get(i % KEYS).submit(() -> {
                    runs.threads.add(Thread.currentThread());
                    return task;
                });
            }
        }
        check(executor, below, runs, stages);
    }

    private static List<CompletableFuture<Integer>> stages() {
        return Stream.generate(CompletableFuture<Integer>::new).limit(KEYS).toList();
    }

    @Test
    @DisplayName("who looks at a sequencer of tickets runs no output")
    void tickets() {
        TicketSequencer sequencer = TicketSequencer.builder()
                .window(TASKS)
                .executor(task -> {
                    throw new RejectedExecutionException("refused by the test");
                })
                .build();
        Runs runs = new Runs();
        Readers readers = new Readers(
                () -> assertThat(sequencer.snapshot().open()).isNotNegative(),
                () -> assertThat(sequencer.toString()).startsWith("TicketSequencer"));
        List<Thread> bringers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            bringers.add(new Thread(() -> {
                for (int n = 0; n < TASKS / 2; n++) {
                    Reservation ticket = sequencer.tryNext();
                    int number = (int) numberOf(ticket);
                    ticket.execute(() -> runs.run(number));
                }
            }));
        }
        bringers.forEach(Thread::start);
        bringers.forEach(Patience::join);
        Patience.await(runs.all);
        readers.stop();
        runs.check();
        assertThat(bringers).containsAll(runs.threads);
    }

    @Test
    @DisplayName("the timer of the JVM, which ends the lease of a lost ticket, runs no output")
    void theTimerOfALease() {
        CompletableFuture<Thread> timer = new CompletableFuture<>();
        CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(() -> timer.complete(Thread.currentThread()));
        List<Throwable> lost = new CopyOnWriteArrayList<>();
        TicketSequencer sequencer = TicketSequencer.builder()
                .lease(Duration.ofMillis(1))
                .onFailure((number, failure) -> lost.add(failure))
                .build();
        assertThat(sequencer.tryNext()).isNotNull();
        CompletableFuture<Thread> ran = sequencer.tryNext().submit(Thread::currentThread);
        assertThat(Patience.get(ran)).isNotSameAs(Patience.get(timer));
        Patience.get(sequencer.flush());
        assertThat(lost).hasSize(1);
    }
}
