package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.admit.KeyedEngine.KeyType;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.WorkerPool;
import io.orderedexecutor.engine.run.Settings;
import io.orderedexecutor.fixtures.BusyCommonPool;
import io.orderedexecutor.fixtures.HandTimer;
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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
                    .platform(HandTimer.of((nanos, action) -> due.add(action)))
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
                HandTimer.of((nanos, action) -> due.add(action)));
        WorkerPool pool = new WorkerPool("pool", 1, once, Turn.DEFAULT, settings.platform(), 1);
        StripedExecutor executor = new StripedExecutor(new KeyedEngine(KeyType.STRIPE, settings, pool, pool::close));
        CompletableFuture<Integer> future = executor.submit("a", this::failTwice);
        Patience.join(started.get(0));
        assertRetriesElsewhere(executor, future);
    }
}
