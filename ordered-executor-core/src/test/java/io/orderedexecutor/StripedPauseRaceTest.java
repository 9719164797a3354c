package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A stripe is paused when a call of {@code pause} returns, whatever other calls do at the same time. */
class StripedPauseRaceTest {
    private static final int ROUNDS = 5_000;

    private final StripedExecutor executor =
            StripedExecutor.builder().threads(1).build();
    private final CyclicBarrier start = new CyclicBarrier(2);
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger ranPaused = new AtomicInteger();

    /** Whether the main thread has resumed the stripe in this round. */
    private volatile boolean resumed;

    private void pauseAndSubmit() {
        executor.pause("a");
        executor.execute("a", () -> {
            ran.incrementAndGet();
            if (!resumed) {
                ranPaused.incrementAndGet();
            }
        });
    }

    @Test
    @DisplayName("of two threads that pause a stripe which is about to end, neither returns before it is paused")
    void twoPausesOfAStripeThatEnds() throws InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AtomicInteger others = new AtomicInteger();
        Thread other = new Thread(() -> {
            for (int round = 0; round < ROUNDS; round++) {
                Patience.meet(start);
                pauseAndSubmit();
                Patience.meet(start);
                // resumed by the main thread in between
                Patience.meet(start);
            }
        });
        other.start();
        for (int round = 0; round < ROUNDS; round++) {
            // a stripe that has one short task, and so ends while it is being paused
            for (int tasks = random.nextInt(3); tasks > 0; tasks--) {
                executor.execute("a", others::incrementAndGet);
            }
            Patience.meet(start);
            pauseAndSubmit();
            Patience.meet(start);
            resumed = true;
            executor.resume("a");
            assertThat(executor.drain(Duration.ofSeconds(Patience.SECONDS)))
                    .as("idle, seed %d", seed)
                    .isTrue();
            resumed = false;
            Patience.meet(start);
        }
        Patience.join(other);
        assertThat(ranPaused).as("tasks that ran while paused, seed %d", seed).hasValue(0);
        assertThat(ran).as("tasks, seed %d", seed).hasValue(2 * ROUNDS);
        Patience.terminate(executor);
    }
}
