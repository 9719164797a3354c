package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What groups cost to make, which is part of each submission that does not keep them. */
class GroupPathCostTest {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Groups made;

    private GroupPath path(int depth) {
        Object[] elements = new Object[depth - 1];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = i;
        }
        return GroupPath.of("root", elements);
    }

    private long nanosOfDepth(int depth) {
        GroupPath path = path(depth);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = threads.getCurrentThreadCpuTime();
            made = Groups.exclusive(path);
            least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
        }
        assertThat(made.touch(path)).isTrue();
        return least;
    }

    @Test
    @DisplayName("A path of 16,000 levels costs sixteen times what one of 1,000 costs")
    void depth() {
        nanosOfDepth(1000);
        double shallow = nanosOfDepth(1000);
        double deep = nanosOfDepth(16_000);
        assertThat(deep / shallow)
                .as("times as much for sixteen times as deep: %.0f and %.0f ns", shallow, deep)
                .isLessThan(64);
    }

    private long nanosToSubmit(int depth) {
        Groups groups = Groups.exclusive(path(depth));
        SteppedExecutor steps = new SteppedExecutor();
        GroupedExecutor executor = GroupedExecutor.builder().executor(steps).build();
        AtomicInteger ran = new AtomicInteger();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            long before = threads.getCurrentThreadCpuTime();
            executor.execute(groups, (Runnable) ran::incrementAndGet);
            steps.runAll();
            least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
        }
        assertThat(ran).hasValue(5);
        assertThat(executor.stats().groups()).isZero();
        Patience.terminate(executor);
        return least;
    }

    @Test
    @DisplayName("To run a task that has a path of 16,000 levels costs sixteen times what one of 1,000 costs")
    void submission() {
        nanosToSubmit(1000);
        double shallow = nanosToSubmit(1000);
        double deep = nanosToSubmit(16_000);
        assertThat(deep / shallow)
                .as("times as much for sixteen times as deep: %.0f and %.0f ns", shallow, deep)
                .isLessThan(64);
    }

    @Test
    @DisplayName("Groups of two keys take less than 400 bytes to make")
    void twoKeys() {
        int rounds = 10_000;
        long bytes = 0;
        for (int warm = 0; warm < 3; warm++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                made = Groups.exclusive("from", "to");
            }
            bytes = (threads.getCurrentThreadAllocatedBytes() - before) / rounds;
        }
        assertThat(made.touch("to")).isTrue();
        assertThat(bytes).as("bytes").isBetween(24L, 400L);
    }
}
