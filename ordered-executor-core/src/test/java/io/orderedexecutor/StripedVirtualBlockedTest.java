package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.VirtualThreads;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Virtual threads that wait by the thousand, in each place where this library lets threads wait. */
@EnabledForJreRange(min = JRE.JAVA_21)
class StripedVirtualBlockedTest {
    private static final int MANY = 1000;
    private static final Duration LONG = Duration.ofDays(1);

    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private StripedExecutor executor;

    @BeforeEach
    void build() {
        executor = StripedExecutor.builder()
                .executor(VirtualThreads.executor())
                .capacity(MANY)
                .overflow(Overflow.block(LONG))
                .build();
    }

    private interface Wait {
        void perform() throws Exception;
    }

    /** A task that is interrupted sooner or later. */
    private void waitForInterrupt(CountDownLatch started) {
        ran.incrementAndGet();
        started.countDown();
        try {
            assertThat(new CountDownLatch(1).await(Patience.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
            Thread.currentThread().interrupt(); // as good tasks do
        }
    }

    private void start(int count, Wait wait) {
        for (int i = 0; i < count; i++) {
            threads.add(VirtualThreads.start(() -> {
                try {
                    wait.perform();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }));
        }
    }

    /** Submits, and counts what becomes of it. */
    private void submitOne() {
        try {
            executor.execute(Thread.currentThread(), ran::incrementAndGet);
        } catch (RejectedExecutionException e) {
            refused.incrementAndGet();
            interrupted.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
        }
    }

    /** Makes the executor full behind one task that runs until it is released. */
    private CountDownLatch fillUp() {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        executor.execute("busy", () -> {
            ran.incrementAndGet();
            started.countDown();
            Patience.await(release);
        });
        Patience.await(started);
        for (int i = 0; i < MANY; i++) {
            executor.execute("busy", ran::incrementAndGet);
        }
        return release;
    }

    /** What ends the wait of blocked submitters. */
    enum End {
        ROOM,
        HIGHER_CAPACITY,
        INTERRUPT,
        SHUTDOWN
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("1,000 submitters wait in Overflow.block, and hold up no other thread")
    void blockedSubmitters(End end) {
        CountDownLatch release = fillUp();
        start(MANY, this::submitOne);
        threads.forEach(Patience::awaitParked);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(1, MANY, MANY, 0, 1, 0, 0, 0, 0));
        assertThat(Patience.get(VirtualThreads.executor().submit(() -> "free"))).isEqualTo("free");
        switch (end) {
            case ROOM -> release.countDown();
            case HIGHER_CAPACITY -> executor.control().setCapacity(2 * MANY);
            case INTERRUPT -> threads.forEach(Thread::interrupt);
            case SHUTDOWN -> executor.shutdown();
        }
        threads.forEach(Patience::join);
        release.countDown();
        Patience.terminate(executor);
        boolean accepted = end == End.ROOM || end == End.HIGHER_CAPACITY;
        assertThat(refused).hasValue(accepted ? 0 : MANY);
        assertThat(interrupted).hasValue(end == End.INTERRUPT ? MANY : 0);
        assertThat(ran).hasValue(1 + MANY + (accepted ? MANY : 0));
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, ran.get(), 0, 0, refused.get()));
    }

    @Test
    @DisplayName("cancel(true) of 1,000 blocked tasks interrupts each of them, and no task behind it")
    void cancelledWhileBlocked() {
        CountDownLatch started = new CountDownLatch(MANY);
        AtomicInteger leaked = new AtomicInteger();
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (int stripe = 0; stripe < MANY; stripe++) {
            futures.add(executor.submit(stripe, () -> {
                waitForInterrupt(started);
                return null;
            }));
        }
        Patience.await(started);
        for (int stripe = 0; stripe < MANY; stripe++) {
            executor.execute(stripe, () -> {
                ran.incrementAndGet();
                leaked.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
            });
        }
        futures.forEach(future -> threads.add(VirtualThreads.start(() -> future.cancel(true))));
        threads.forEach(Patience::join);
        Patience.terminate(executor);
        assertThat(interrupted).hasValue(MANY);
        assertThat(leaked).hasValue(0);
        assertThat(ran).hasValue(2 * MANY);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, MANY, 0, MANY, 0));
    }

    @Test
    @DisplayName("a chain of 1,000 tasks that wait for each other is no cycle until it is closed, and then it "
            + "is broken")
    void aLongChainOfWaits() {
        CountDownLatch started = new CountDownLatch(MANY);
        CountDownLatch close = new CountDownLatch(1);
        List<CompletableFuture<Integer>> futures = new ArrayList<>();
        futures.add(executor.submit(0, () -> {
            ran.incrementAndGet();
            started.countDown();
            Patience.await(close);
            try {
                return futures.get(MANY - 1).get();
            } catch (SelfWaitException told) {
                refused.incrementAndGet();
                return 0;
            }
        }));
        for (int i = 1; i < MANY; i++) {
            CompletableFuture<Integer> before = futures.get(i - 1);
            futures.add(executor.submit(i, () -> {
                ran.incrementAndGet();
                started.countDown();
                return before.get() + 1;
            }));
        }
        Patience.await(started);
        // each waits for the one before by then, and not for a turn to look at its place
        futures.subList(0, MANY - 1).forEach(Patience::awaitWaiter);
        assertThat(futures).noneMatch(CompletableFuture::isDone);
        close.countDown();
        assertThat(Patience.get(futures.get(MANY - 1))).isEqualTo(MANY - 1);
        Patience.terminate(executor);
        assertThat(refused).as("tasks that were told").hasValue(1);
        assertThat(ran).hasValue(MANY);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("shutdownNow, from inside a task too, ends every wait: of tasks, submitters, and for results or ends")
    void shutdownNowEndsAllWaits(boolean inside) {
        CountDownLatch started = new CountDownLatch(MANY);
        CountDownLatch go = new CountDownLatch(1);
        List<CompletableFuture<Integer>> queued = new ArrayList<>();
        for (int stripe = 0; stripe < MANY; stripe++) {
            executor.execute(stripe, () -> waitForInterrupt(started));
        }
        Patience.await(started);
        AtomicInteger takenBack = new AtomicInteger();
        Wait end = () -> {
            Patience.await(go);
            takenBack.set(executor.shutdownNow().size());
        };
        AtomicInteger ender = new AtomicInteger();
        if (inside) {
            CompletableFuture<Object> begun = new CompletableFuture<>();
            executor.submit("ender", () -> {
                begun.complete(1);
                end.perform();
                ender.addAndGet(Thread.interrupted() ? 1 : 0);
                executor.close();
                return ender.addAndGet(executor.awaitTermination(1, TimeUnit.DAYS) ? 0 : 1);
            });
            Patience.get(begun);
        } else {
            start(1, end);
        }
        for (int stripe = 0; stripe < MANY; stripe++) {
            queued.add(executor.submit(stripe, ran::incrementAndGet));
        }
        start(100, this::submitOne);
        AtomicInteger cancelled = new AtomicInteger();
        for (CompletableFuture<Integer> future : queued) {
            start(1, () -> {
                try {
                    future.get();
                } catch (CancellationException e) {
                    cancelled.incrementAndGet();
                }
            });
        }
        AtomicInteger ended = new AtomicInteger();
        start(100, () -> ended.addAndGet(executor.awaitTermination(1, TimeUnit.DAYS) ? 1 : 0));
        start(100, () -> ended.addAndGet(executor.awaitIdle(LONG) ? 1 : 0));
        start(100, () -> ended.addAndGet(executor.control().awaitIdle(1, LONG) ? 1 : 0));
        threads.forEach(Patience::awaitParked);
        go.countDown();
        threads.forEach(Patience::join);
        Patience.awaitTermination(executor);
        assertThat(takenBack).hasValue(MANY);
        assertThat(cancelled).hasValue(MANY);
        assertThat(refused).hasValue(100);
        assertThat(ended).hasValue(300);
        assertThat(interrupted).hasValue(MANY);
        assertThat(ran).as("of the running ones, none of the others").hasValue(MANY);
        assertThat(ender).as("interrupted, and not made to wait").hasValue(inside ? 2 : 0);
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, MANY + (inside ? 1 : 0), 0, MANY, 100));
    }
}
