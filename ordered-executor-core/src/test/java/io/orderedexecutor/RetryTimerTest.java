package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.admit.KeyedEngine.KeyType;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.WorkerPool;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.fixtures.BusyCommonPool;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SameKind;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The timer of retries hands over, and does nothing else. */
class RetryTimerTest {
    private static final Duration PAUSE = Duration.ofMinutes(1);

    @Test
    @DisplayName("retries go on while the common pool is full of tasks that wait")
    void aBusyCommonPoolStopsNoRetry(@TempDir Path directory) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2",
                        "-Dpatience=" + Patience.SECONDS,
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BusyCommonPool.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(3 * Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(ended).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
            assertThat(Files.readString(output, StandardCharsets.UTF_8))
                    .endsWith("all went on" + System.lineSeparator());
        }
        assertThat(process.exitValue()).isZero();
    }

    /** What the timer was asked to do; the test is the timer's thread. */
    private final BlockingQueue<Runnable> due = new LinkedBlockingQueue<>();

    /** The helper's timers are not the test's. */
    private final Platform retriesByHand = new Platform() {
        @Override
        public Runnable scheduleAsync(long nanos, Runnable action) {
            if (nanos < PAUSE.toNanos()) {
                return super.scheduleAsync(nanos, action);
            }
            due.add(action);
            return () -> {};
        }
    };

    private final List<Thread> runners = new CopyOnWriteArrayList<>();

    private int failTwice() {
        runners.add(Thread.currentThread());
        if (runners.size() < 3) {
            throw new ThrownOnPurpose();
        }
        return runners.size();
    }

    private void fire() throws InterruptedException {
        Runnable action = due.poll(Patience.SECONDS, TimeUnit.SECONDS);
        assertThat(action).isNotNull();
        action.run();
    }

    private void assertRetriesElsewhere(StripedExecutor executor, CompletableFuture<Integer> future)
            throws InterruptedException {
        fire();
        fire();
        assertThat(Patience.get(future)).isEqualTo(3);
        assertThat(runners.subList(1, 3)).hasSize(2).doesNotContain(Thread.currentThread());
        assertThat(due).isEmpty();
        Patience.terminate(executor);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 1, 0, 0, 0));
    }

    @Test
    @DisplayName("a retry that the executor refuses, or runs inline, runs all the same, and not on the timer's thread")
    void whatNobodyTakesRunsElsewhere() throws InterruptedException {
        for (boolean refuses : List.of(true, false)) {
            runners.clear();
            SteppedExecutor first = new SteppedExecutor();
            AtomicInteger handOvers = new AtomicInteger();
            StripedExecutor executor = StripedExecutor.builder()
                    .failurePolicy(FailurePolicy.retry()
                            .maxRetries(2)
                            .delay(PAUSE)
                            .multiplier(2)
                            .thenProceed())
                    .platform(retriesByHand)
                    .executor(step -> {
                        if (handOvers.incrementAndGet() == 1) {
                            first.execute(step);
                        } else if (refuses) {
                            throw new RejectedExecutionException("on purpose");
                        } else {
                            step.run();
                        }
                    })
                    .build();
            CompletableFuture<Integer> future = executor.submit("a", this::failTwice);
            first.runAll();
            assertRetriesElsewhere(executor, future);
        }
    }

    @Test
    @DisplayName("a retry, or a batch that has lingered, does not call the executor on the JDK's timer thread")
    void theTimerCallsNoExecutor() {
        ExecutorService pool = SameKind.pool(1);
        List<String> callers = new CopyOnWriteArrayList<>();
        AtomicLong clock = new AtomicLong();
        StripedExecutor executor = StripedExecutor.builder()
                // time passes for timers only: so the batch lingers, however late it gets a thread
                .platform(new Platform() {
                    @Override
                    public long nanoTime() {
                        return clock.get();
                    }

                    @Override
                    public Runnable scheduleAsync(long nanos, Runnable action) {
                        return super.scheduleAsync(nanos, () -> {
                            clock.addAndGet(nanos);
                            action.run();
                        });
                    }
                })
                .failurePolicy(FailurePolicy.retry()
                        .maxRetries(2)
                        .delay(Duration.ofMillis(1))
                        .multiplier(2)
                        .thenProceed())
                .executor(step -> {
                    callers.add(Thread.currentThread().getName());
                    pool.execute(step);
                })
                .build();
        CompletableFuture<Integer> retried = executor.submit("a", this::failTwice);
        assertThat(Patience.get(retried)).isEqualTo(3);
        List<Integer> ran = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> lingered = executor.<String, Integer>batchTo((stripe, items) -> ran.addAll(items))
                .linger(Duration.ofMillis(1))
                .build()
                .submit("b", 1);
        Patience.get(lingered);
        assertThat(ran).containsExactly(1);
        Patience.terminate(executor);
        pool.shutdown();
        assertThat(callers)
                .hasSize(5)
                .filteredOn("ordered-executor-timer"::equals)
                .as("two retries and a batch")
                .hasSize(3);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 2, 0, 0, 0));
    }

    @Test
    @DisplayName("a retry for which no thread can be started runs all the same, and not on the timer's thread")
    void noThreadCanBeStarted() throws InterruptedException {
        List<Thread> started = new CopyOnWriteArrayList<>();
        ThreadFactory once = worker -> {
            if (!started.isEmpty()) {
                throw new ThrownOnPurpose();
            }
            started.add(SameKind.thread(worker));
            return started.get(0);
        };
        Settings settings = new Settings(
                "orders",
                Settings.UNLIMITED,
                Settings.UNLIMITED,
                false,
                Overflow.reject(),
                FailurePolicy.retry().maxRetries(2).delay(PAUSE).multiplier(2).thenProceed(),
                List.of(),
                retriesByHand);
        WorkerPool pool = new WorkerPool("pool", 1, once, Turn.DEFAULT, settings.platform(), 1);
        StripedExecutor executor = new StripedExecutor(new KeyedEngine(KeyType.STRIPE, settings, pool, pool::close));
        CompletableFuture<Integer> future = executor.submit("a", this::failTwice);
        Patience.join(started.get(0));
        assertRetriesElsewhere(executor, future);
    }
}
