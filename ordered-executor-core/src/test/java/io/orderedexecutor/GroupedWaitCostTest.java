package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Proportion;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** To wait for a task costs in proportion to the tasks ahead of it, not to their square. */
class GroupedWaitCostTest {
    /** More than the compiler needs: what runs interpreted for a while is not in proportion to anything. */
    private static final int LOOKS = 10;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final AtomicInteger ran = new AtomicInteger();

    private interface Look {
        void at(GroupedExecutor executor, CompletableFuture<Integer> last) throws Exception;
    }

    /** The least processor time of {@link #LOOKS} looks at so many rollups, of which each waits for the one before. */
    private long nanosBehind(int rollups, IntFunction<Groups> groups, Look look) throws Exception {
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder().executor(steps).build();
        CompletableFuture<Integer> last = null;
        for (int i = 0; i < rollups; i++) {
            last = executor.submit(groups.apply(i), ran::incrementAndGet);
        }
        long least = Long.MAX_VALUE;
        for (int i = 0; i < LOOKS; i++) {
            long before = threads.getCurrentThreadCpuTime();
            look.at(executor, last);
            least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
        }
        ran.set(0);
        steps.runAll();
        assertThat(ran).hasValue(rollups);
        Patience.terminate(executor);
        return least;
    }

    private void assertInProportion(Look look) throws Exception {
        // 1,000 would be in the processor's caches, and each of 32,000 costs twice what each of those does
        Proportion.assertForEightTimes(
                4000, rollups -> nanosBehind(rollups, i -> Groups.exclusive("total", "part " + i), look));
    }

    @Test
    @DisplayName("get behind 32,000 rollups costs eight times what it costs behind 4,000")
    void get() throws Exception {
        assertInProportion((executor, last) ->
                assertThatThrownBy(() -> last.get(1, TimeUnit.NANOSECONDS)).isInstanceOf(TimeoutException.class));
    }

    @Test
    @DisplayName("inside a task, too, which has to make sure that none of the rollups waits for it")
    void getInsideATask() throws Exception {
        StripedExecutor here = StripedExecutor.builder().executor(Runnable::run).build();
        assertInProportion((executor, last) -> {
            CompletableFuture<Throwable> thrown = here.submit("inside", () -> {
                try {
                    return new AssertionError("result " + last.get(1, TimeUnit.NANOSECONDS));
                } catch (TimeoutException expected) {
                    return expected;
                }
            });
            assertThat(Patience.get(thrown)).isInstanceOf(TimeoutException.class);
        });
        Patience.terminate(here);
    }

    @Test
    @DisplayName("to list 80,000 readers behind a writer costs eight times what it costs to list 10,000")
    void queuedReaders() throws Exception {
        // fewer would hide a walk for each: it takes a nanosecond a step
        Proportion.assertForEightTimes(
                10_000,
                tasks -> nanosBehind(
                        tasks,
                        i -> i == 0 ? Groups.exclusive("total") : Groups.shared("total"),
                        (executor, last) -> executor.inspect().queuedTasks(Integer.MAX_VALUE)));
    }

    @Test
    @DisplayName("to list 32,000 queued rollups costs eight times what it costs to list 4,000")
    void queuedTasks() throws Exception {
        assertInProportion((executor, last) -> executor.inspect().queuedTasks(Integer.MAX_VALUE));
    }
}
