package io.orderedexecutor.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.fixtures.Journal;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** A task that is stuck is found without a clock in each task. */
class BlockedThreadsTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5); // nanoTime may overflow
    private final AtomicLong used = new AtomicLong(1);

    @Test
    void aThreadThatHasNotUsedTheProcessorIsBlocked() {
        BlockedThreads blocked = new BlockedThreads(thread -> used.get(), now::get);
        assertThat(look(blocked, Thread.currentThread())).isZero();
        now.addAndGet(10);
        assertThat(look(blocked, Thread.currentThread())).isEqualTo(Duration.ofNanos(10));
        now.addAndGet(10);
        assertThat(look(blocked, Thread.currentThread())).isEqualTo(Duration.ofNanos(20));
        used.incrementAndGet();
        now.addAndGet(10);
        assertThat(look(blocked, Thread.currentThread())).isZero();
    }

    @Test
    void aThreadThatRanNoTaskInBetweenIsSeenAnew() {
        BlockedThreads blocked = new BlockedThreads(thread -> used.get(), now::get);
        look(blocked, Thread.currentThread());
        now.addAndGet(10);
        assertThat(blocked.longest(Stream.of())).isZero();
        now.addAndGet(10);
        assertThat(look(blocked, Thread.currentThread())).isZero();
    }

    @Test
    void whatIsNotKnownIsNotBlocked() {
        BlockedThreads blocked = new BlockedThreads(thread -> -1, now::get);
        look(blocked, Thread.currentThread());
        now.addAndGet(10);
        assertThat(look(blocked, Thread.currentThread())).isZero();
    }

    private static Duration look(BlockedThreads blocked, Thread thread) {
        return blocked.longest(Stream.of(thread));
    }

    /** Of an executor without a listener, and with the processor time of real threads. */
    @Test
    void anExecutorWithAStuckTaskIsDownUntilItGoesOn() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder().threads(1).build()) {
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            CompletableFuture<Thread> task = executor.submit("a", () -> {
                started.countDown();
                Journal.await(end);
                return Thread.currentThread();
            });
            Journal.await(started);
            BlockedThreads threads =
                    new BlockedThreads(ManagementFactory.getThreadMXBean()::getThreadCpuTime, now::get);
            OrderedExecutorHealthIndicator indicator = new OrderedExecutorHealthIndicator(
                    ManagedExecutor.require("orders", executor),
                    new HealthThresholds(1, 1, null, Duration.ofMinutes(10)),
                    threads);
            awaitBlocked(executor);
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            now.addAndGet(TimeUnit.MINUTES.toNanos(9));
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            now.addAndGet(TimeUnit.MINUTES.toNanos(1));
            Health health = indicator.health();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails())
                    .containsEntry("reason", "the thread of a task has been blocked for PT10M, and so may be stuck");
            end.countDown();
            task.get(30, TimeUnit.SECONDS);
            assertThat(executor.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);
            assertThat(executor.stats().completed()).isEqualTo(1);
        }
    }

    private static void awaitBlocked(StripedExecutor executor) {
        org.awaitility.Awaitility.await()
                .until(() -> executor.runningTasks().stream()
                        .allMatch(task -> task.thread() != null
                                && task.thread().getState() != Thread.State.RUNNABLE
                                && task.thread().getState() != Thread.State.NEW));
    }
}
