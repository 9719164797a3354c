package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What concerns one stripe costs the same however many others there are. */
class StripedLookupCostTest {
    private static final int STRIPES = 100_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();

    private interface Look {
        void at(Object stripe) throws Exception;
    }

    /** What a copy of the other stripes would take is allocated, if there is one. */
    private void assertCheap(String what, Look look) throws Exception {
        look.at(7);
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            look.at(7);
        }
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 100)
                .as("bytes that one call of %s allocates", what)
                .isLessThan(4096);
    }

    private void openAll(StripedExecutor executor) {
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            executor.execute(stripe, ran::incrementAndGet);
        }
    }

    private void runAll(StripedExecutor executor, int tasks) {
        executor.control().resume();
        stepped.runAll();
        assertThat(ran).hasValue(tasks);
        Patience.terminate(executor);
    }

    @Test
    @DisplayName("to look at one stripe of 100,000, or to control it, copies none of the others")
    void lookups() throws Exception {
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        executor.control().pause();
        openAll(executor);
        assertCheap("isPaused", executor.control()::isPaused);
        assertCheap("snapshot", executor.inspect()::snapshot);
        assertCheap("resume", executor.control()::resume);
        assertCheap("skip", executor.control()::skip);
        assertCheap("awaitIdle", stripe -> executor.control().awaitIdle(stripe, Duration.ZERO));
        runAll(executor, STRIPES);
    }

    @Test
    @DisplayName("to make room in one stripe of 100,000 copies none of the others")
    void discardOldest() throws Exception {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .capacity(STRIPES)
                .overflow(Overflow.discardOldest())
                .build();
        executor.control().pause();
        openAll(executor);
        assertCheap("execute", stripe -> executor.execute(stripe, ran::incrementAndGet));
        runAll(executor, STRIPES);
        assertThat(executor.inspect().stats().cancelled()).isEqualTo(101);
    }
}
