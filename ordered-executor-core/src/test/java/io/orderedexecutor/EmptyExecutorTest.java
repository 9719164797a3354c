package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What an executor weighs that was built and not used. */
class EmptyExecutorTest {
    private static final int MOST_BYTES = 4096;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** All that is allocated to build one, and so the most that it can keep. */
    private long bytesOf(Supplier<? extends OrderedExecutor> builder) {
        long bytes = 0;
        // the first time, classes are loaded
        for (int i = 0; i < 3; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            OrderedExecutor executor = builder.get();
            bytes = threads.getCurrentThreadAllocatedBytes() - before;
            executor.close();
            assertThat(executor.isTerminated()).isTrue();
        }
        return bytes;
    }

    @Test
    @DisplayName("an empty striped executor takes no more than 4 KB")
    void striped() {
        assertThat(bytesOf(() -> StripedExecutor.builder().name("a").threads(2).build()))
                .isBetween(500L, (long) MOST_BYTES);
    }

    @Test
    @DisplayName("an empty striped executor with limits takes no more than 4 KB")
    void stripedWithLimits() {
        assertThat(bytesOf(() -> StripedExecutor.builder()
                        .name("a")
                        .threads(2)
                        .capacity(1_000)
                        .keyCapacity(10)
                        .build()))
                .isBetween(500L, (long) MOST_BYTES);
    }

    @Test
    @DisplayName("an empty grouped executor takes no more than 4 KB")
    void grouped() {
        assertThat(bytesOf(() -> GroupedExecutor.builder().name("a").threads(2).build()))
                .isBetween(500L, (long) MOST_BYTES);
    }

    @Test
    @DisplayName("an empty ordered output executor takes no more than 4 KB")
    void orderedOutput() {
        assertThat(bytesOf(() ->
                        OrderedOutputExecutor.builder().name("a").threads(2).build()))
                .isBetween(500L, (long) MOST_BYTES);
    }
}
