package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R7: pausing and resuming leaves nothing behind. */
class StripedPauseMemoryTest {
    private static final int PAIRS = 1_000_000;

    private static long usedAfterCollection() {
        Runtime runtime = Runtime.getRuntime();
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
        }
        return used;
    }

    @Test
    @DisplayName("1,000,000 pairs of pause and resume of a stripe that is held do not add up")
    void ofAHeldStripe() {
        SteppedExecutor stepped = new SteppedExecutor();
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        CompletableFuture<String> stage = new CompletableFuture<>();
        CompletableFuture<String> future = executor.submitAsync("a", () -> stage);
        stepped.runAll();
        AtomicInteger ran = new AtomicInteger();
        long before = usedAfterCollection();
        for (int i = 0; i < PAIRS; i++) {
            executor.control().pause("a");
            executor.control().resume("a");
        }
        long grown = usedAfterCollection() - before;
        executor.execute("a", ran::incrementAndGet);
        stage.complete("result");
        stepped.runAll();
        assertThat(future).isCompletedWithValue("result");
        assertThat(ran).hasValue(1);
        assertThat(grown).as("bytes that %d pairs have left", PAIRS).isLessThan(2_000_000);
        Patience.terminate(executor);
    }
}
