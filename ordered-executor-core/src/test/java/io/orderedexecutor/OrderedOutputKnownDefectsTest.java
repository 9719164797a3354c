package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What ordered output does not do well yet. */
@Tag("known-defect")
class OrderedOutputKnownDefectsTest {

    @Test
    @DisplayName("A submission that waits for room finds out that it is in no task without a look at each piece")
    void aBlockedSubmissionCopiesNoPieces() {
        int window = 65_536;
        int attempts = 10;
        OrderedOutputExecutor executor = OrderedOutputExecutor.builder()
                .threads(1)
                .window(window)
                .overflow(Overflow.block(Duration.ofNanos(1)))
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        Written<Integer> written = new Written<>();
        try (OrderedOutput<Integer> output = executor.open(written)) {
            for (int i = 0; i < window; i++) {
                int number = i;
                var unused = output.submit(() -> {
                    Patience.await(gate);
                    return number;
                });
            }
            var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < attempts; i++) {
                assertThatThrownBy(() -> output.submit(() -> -1)).isInstanceOf(RejectedExecutionException.class);
            }
            long allocated =
                    threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            gate.countDown();
            assertThat(allocated / attempts).as("bytes for each submission").isLessThan(2L * window);
        } finally {
            gate.countDown();
        }
        Written.assertCounted(written, window);
        Patience.terminate(executor);
    }
}
