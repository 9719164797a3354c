package io.orderedexecutor.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.OrderedOutput;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.spring.fixtures.HttpEndpoint;
import io.orderedexecutor.spring.fixtures.Journal;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** R5: a scrape of the meters, the health and the endpoint run no task, whatever the pool below an executor does. */
class WhoRunsBesideScrapesTest {
    private static final int KEYS = 8;
    private static final int LOOKS = 10;
    private static final int PIECES = 500;

    enum Pool {
        FULL,
        REFUSES,
        SHUT_DOWN,
        RUNS_INLINE
    }

    enum Kind {
        STRIPED {
            @Override
            OrderedExecutor build(Below below) {
                return below.on(StripedExecutor.builder()).build();
            }

            @Override
            void begin(OrderedExecutor executor, Chains chains) {
                chains.start(((StripedExecutor) executor)::execute);
            }
        },
        GROUPED {
            @Override
            OrderedExecutor build(Below below) {
                return below.on(GroupedExecutor.builder()).build();
            }

            @Override
            void begin(OrderedExecutor executor, Chains chains) {
                GroupedExecutor grouped = (GroupedExecutor) executor;
                chains.start((key, task) -> grouped.execute(Groups.exclusive(key, "of " + key), task));
            }
        },
        OUTPUT {
            @Override
            OrderedExecutor build(Below below) {
                return below.on(OrderedOutputExecutor.builder())
                        .window(PIECES)
                        .concurrency(1)
                        .build();
            }

            @Override
            void begin(OrderedExecutor executor, Chains chains) {
                for (int key = 0; key < KEYS; key++) {
                    OrderedOutput<Runnable> output = ((OrderedOutputExecutor) executor).open(Runnable::run);
                    for (int number = 0; number < PIECES; number++) {
                        submit(output, chains, key, number);
                    }
                }
            }

            private static void submit(OrderedOutput<Runnable> output, Chains chains, int key, int number) {
                output.submit(() -> {
                    chains.threads.add(Thread.currentThread());
                    return () -> chains.run(key, number, () -> {
                        if (number == PIECES - 1) {
                            chains.ended.countDown();
                        }
                    });
                });
            }
        };

        abstract OrderedExecutor build(Below below);

        abstract void begin(OrderedExecutor executor, Chains chains);
    }

    /** For each key a task that submits the next one, until the chains are to end; or a number of pieces. */
    static final class Chains {
        private final Journal journal = new Journal();
        private final AtomicIntegerArray submitted = new AtomicIntegerArray(KEYS);
        private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        private final CountDownLatch ended = new CountDownLatch(KEYS);
        private volatile boolean end;

        void run(int key, int number, Runnable next) {
            threads.add(Thread.currentThread());
            journal.write(key, number);
            submitted.set(key, number + 1);
            next.run();
        }

        void start(BiConsumer<Integer, Runnable> submission) {
            for (int key = 0; key < KEYS; key++) {
                submit(submission, key, 0);
            }
        }

        private void submit(BiConsumer<Integer, Runnable> submission, int key, int number) {
            submission.accept(
                    key,
                    () -> run(key, number, () -> {
                        if (end) {
                            ended.countDown();
                        } else {
                            submit(submission, key, number + 1);
                        }
                    }));
        }
    }

    /** A pool of two threads, until it becomes what the test is about. */
    static final class Below implements Executor {
        private final Pool pool;
        private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
                2, 2, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), work -> new Thread(work, "below"));
        private volatile boolean armed;

        Below(Pool pool) {
            this.pool = pool;
        }

        void arm() {
            armed = true;
            if (pool == Pool.SHUT_DOWN) {
                threads.shutdown();
            }
        }

        <B extends OrderedExecutorBuilder<B>> B on(B builder) {
            return builder.name("orders").listener(new TaskListener() {}).executor(this);
        }

        /** Lets an executor begin, and arms the pool. */
        void begin(Kind kind, OrderedExecutor executor, Chains chains) {
            kind.begin(executor, chains);
            arm();
        }

        @Override
        public void execute(Runnable task) {
            if (!armed) {
                new Thread(task, "before").start();
            } else if (pool == Pool.REFUSES) {
                throw new RejectedExecutionException("refused by the test");
            } else if (pool == Pool.RUNS_INLINE) {
                task.run();
            } else {
                threads.execute(task);
            }
        }
    }

    static Stream<Arguments> all() {
        return Stream.of(Kind.values()).flatMap(kind -> Stream.of(Pool.values()).map(pool -> Arguments.of(kind, pool)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void noneOfThemRunsATask(Kind kind, Pool pool) throws Exception {
        Below below = new Below(pool);
        Chains chains = new Chains();
        OrderedExecutor executor = kind.build(below);
        Map<String, OrderedExecutor> executors = Map.of("orders", executor);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        AtomicLong now = new AtomicLong();
        // a look is shared for a while, and here that is over when the next meter is read
        new OrderedExecutorMetrics(executors, () -> now.addAndGet(TimeUnit.HOURS.toNanos(1))).bindTo(registry);
        assertThat(registry.getMeters()).isNotEmpty();
        HealthIndicator health = (HealthIndicator)
                new OrderedExecutorsHealthContributor(executors, 1, Duration.ofDays(1)).getContributor("orders");
        assertThat(health).isNotNull();
        OrderedExecutorsEndpoint endpoint =
                new OrderedExecutorsEndpoint(executors, name -> List.of(), Show.ALWAYS, List.of());
        Readers readers = new Readers(List.of(
                () -> registry.forEachMeter(meter -> assertThat(meter.measure()).isNotEmpty()),
                () -> assertThat(health.health().getStatus()).isEqualTo(Status.UP),
                () -> {
                    assertThat(endpoint.executors().executors()).containsOnlyKeys("orders");
                    assertThat(endpoint.executor("orders", null, true)).isNotNull();
                }));
        run(below, kind, executor, chains, readers);
        assertThat(chains.threads).doesNotContainAnyElementsOf(readers.threads);
    }

    /** An executor that a server shows. */
    @Configuration(proxyBeanMethods = false)
    static class Shown {
        @Bean
        Below below() {
            return new Below(Pool.FULL);
        }

        @Bean
        OrderedExecutor orders(Below below, @Value("${kind}") Kind kind) {
            return kind.build(below);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a thread of the server that answers a scrape runs no task, though the pool is full")
    void overHttp(Kind kind) throws Exception {
        try (HttpEndpoint server = HttpEndpoint.start(Shown.class, "--kind=" + kind)) {
            Below below = server.bean("below", Below.class);
            OrderedExecutor executor = server.bean("orders", OrderedExecutor.class);
            Chains chains = new Chains();
            Readers readers = new Readers(Stream.of(
                            "metrics/ordered.executor.queued", "health", "orderedexecutors", "orderedexecutors/orders")
                    .map(path ->
                            (Runnable) () -> assertThat(answerOf(server, path)).isEqualTo(200))
                    .toList());
            run(below, kind, executor, chains, readers);
            assertThat(chains.threads)
                    .extracting(Thread::getName)
                    .as("threads of the pool, or the helper")
                    .allMatch(name -> name.matches("before|below|orders-helper.*"));
        }
    }

    private static int answerOf(HttpEndpoint server, String path) {
        try {
            return server.get(path).statusCode();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Threads that look at an executor again and again, each in its way. */
    private static final class Readers {
        private final List<Thread> threads = new ArrayList<>();
        private final List<FutureTask<Void>> looks = new ArrayList<>();

        Readers(List<Runnable> ways) {
            for (Runnable look : ways) {
                FutureTask<Void> all = new FutureTask<>(
                        () -> {
                            for (int i = 0; i < LOOKS; i++) {
                                look.run();
                            }
                        },
                        null);
                looks.add(all);
                threads.add(new Thread(all, "reader"));
            }
        }

        void startAndAwait() throws Exception {
            threads.forEach(Thread::start);
            for (FutureTask<Void> all : looks) {
                all.get(30, TimeUnit.SECONDS);
            }
        }
    }

    private static void run(Below below, Kind kind, OrderedExecutor executor, Chains chains, Readers readers)
            throws Exception {
        try {
            below.begin(kind, executor, chains);
            readers.startAndAwait();
        } finally {
            // what is left runs soon
            below.armed = false;
            chains.end = true;
        }
        Journal.await(chains.ended);
        executor.shutdown();
        assertThat(executor.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        below.threads.shutdown();
        int submitted = 0;
        for (int key = 0; key < KEYS; key++) {
            chains.journal.assertInOrder(key, chains.submitted.get(key));
            submitted += chains.submitted.get(key);
        }
        assertThat(chains.threads).isNotEmpty();
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, submitted, 0, 0, 0));
    }
}
