package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Threads of its own: their number, and a factory that fails. */
class GroupedThreadsTest {
    private final AtomicInteger ran = new AtomicInteger();

    @Test
    @DisplayName("no thread can be started: the submitter is refused, and nothing is left of its rollup")
    void aFactoryThatFails() {
        GroupedExecutor executor = GroupedExecutor.builder()
                .threads(2)
                .keyCapacity(1)
                .threadFactory(task -> {
                    throw new OutOfMemoryError("says the test");
                })
                .build();
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> executor.execute(Groups.exclusive("a", "b"), ran::incrementAndGet))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThatThrownBy(() -> executor.submit(Groups.all(), ran::incrementAndGet))
                    .isInstanceOf(OutOfMemoryError.class);
        }
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 0, 0, 0, 20));
        assertThat(ran).hasValue(0);
        executor.close();
        assertThat(executor.isTerminated()).isTrue();
    }

    @Test
    @DisplayName("what was accepted while a thread was being started in vain is run by the helper, without recursion")
    void manyAreLeftToTheHelper() {
        int rollups = 20_000;
        AtomicReference<GroupedExecutor> executor = new AtomicReference<>();
        AtomicInteger starts = new AtomicInteger();
        ThreadFactory factory = task -> {
            if (starts.getAndIncrement() == 0) {
                for (int i = 0; i < rollups; i++) {
                    executor.get().execute(Groups.exclusive("a" + i, "b" + i), ran::incrementAndGet);
                    // two successors: one goes on here, the other one is handed over
                    executor.get().execute(Groups.exclusive("a" + i), ran::incrementAndGet);
                    executor.get().execute(Groups.exclusive("b" + i), ran::incrementAndGet);
                }
            }
            throw new OutOfMemoryError("says the test");
        };
        Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
        Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {});
        try {
            executor.set(
                    GroupedExecutor.builder().threads(2).threadFactory(factory).build());
            assertThatThrownBy(() -> executor.get().execute(Groups.exclusive("first"), ran::incrementAndGet))
                    .isInstanceOf(OutOfMemoryError.class);
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(before);
        }
        Patience.terminate(executor.get());
        assertThat(ran).hasValue(3 * rollups);
        assertThat(executor.get().inspect().stats())
                .isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, 3L * rollups, 0, 0, 1));
    }

    @Test
    @DisplayName("setThreads: as many rollups run at a time as there are threads, and no more")
    void setThreads() {
        GroupedExecutor executor = GroupedExecutor.builder().threads(1).build();
        for (int threads : List.of(1, 2, 4)) {
            executor.control().setThreads(threads);
            Semaphore running = new Semaphore(0);
            CountDownLatch end = new CountDownLatch(1);
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                all.add(executor.submit(Groups.exclusive(i).andShared("a"), () -> {
                    running.release();
                    Patience.await(end);
                    return ran.incrementAndGet();
                }));
            }
            Patience.acquire(running, threads);
            assertThat(running.tryAcquire()).isFalse();
            assertThat(executor.inspect().runningTasks()).hasSize(threads);
            end.countDown();
            all.forEach(Patience::get);
        }
        assertThat(ran).hasValue(18);
        assertThatThrownBy(() -> executor.control().setThreads(0)).hasMessageContainingAll("threads", "0");
        Patience.terminate(executor);
    }
}
