package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.orderedexecutor.fixtures.Allocation;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Proportion;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What barriers cost that wait in a backlog, and what stands between them. */
class BarrierCostTest {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SteppedExecutor steps = new SteppedExecutor();
    private final GroupedExecutor executor =
            GroupedExecutor.builder().executor(steps).build();
    private final AtomicInteger ran = new AtomicInteger();

    private void finish(int tasks) {
        steps.runAll();
        assertThat(ran).hasValue(tasks);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("a task behind a barrier takes fewer than 100 bytes more than one that waits behind a task")
    void bytesBehindABarrier() {
        int tasks = 10_000;
        executor.execute(Groups.all(), ran::incrementAndGet);
        long[] bytes = new long[1];
        AtomicInteger rounds = new AtomicInteger();
        bytes[0] = Allocation.ofLeastRound(() -> {
            rounds.incrementAndGet();
            for (int i = 0; i < tasks; i++) {
                executor.execute(Groups.exclusive("a"), ran::incrementAndGet);
            }
        });
        assertThat(bytes[0] / tasks).as("bytes for each task").isLessThan(150);
        finish(1 + rounds.get() * tasks);
    }

    /** Processor time of so many barriers with ten tasks between two of them, from the first submission to the end. */
    private long nanosOf(int barriers, Groups barrier) {
        ran.set(0);
        long before = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < barriers; i++) {
            executor.execute(barrier, ran::incrementAndGet);
            for (int key = 0; key < 10; key++) {
                executor.execute(Groups.exclusive(key), ran::incrementAndGet);
            }
        }
        steps.runAll();
        long nanos = threads.getCurrentThreadCpuTime() - before;
        assertThat(ran).hasValue(barriers * 11);
        return nanos;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("3,200 barriers in a backlog cost eight times what 400 cost")
    void backlog(boolean shared) throws Exception {
        Groups barrier = shared ? Groups.allShared() : Groups.all();
        Proportion.assertForEightTimes(400, barriers -> nanosOf(barriers, barrier));
        Patience.terminate(executor);
    }

    /** Processor time that a task of another executor takes to see that it may wait for what stands behind barriers. */
    private long nanosOfWaitBehind(int barriers) throws Exception {
        StripedExecutor here = StripedExecutor.builder().executor(Runnable::run).build();
        ran.set(0);
        CompletableFuture<Integer> last = new CompletableFuture<>();
        for (int i = 0; i < barriers; i++) {
            executor.execute(Groups.all(), ran::incrementAndGet);
            last = executor.submit(Groups.exclusive(i), ran::incrementAndGet);
        }
        CompletableFuture<Integer> future = last;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long nanos = here.submit("inside", () -> {
                        long before = threads.getCurrentThreadCpuTime();
                        assertThatThrownBy(() -> future.get(1, TimeUnit.NANOSECONDS))
                                .isInstanceOf(TimeoutException.class);
                        return threads.getCurrentThreadCpuTime() - before;
                    })
                    .get();
            least = Math.min(least, nanos);
        }
        steps.runAll();
        assertThat(ran).hasValue(2 * barriers);
        Patience.terminate(here);
        return least;
    }

    @Test
    @DisplayName("to wait behind 1,600 barriers costs eight times what it costs behind 200")
    void waitBehindBarriers() throws Exception {
        Proportion.assertForEightTimes(200, this::nanosOfWaitBehind);
        Patience.terminate(executor);
    }
}
