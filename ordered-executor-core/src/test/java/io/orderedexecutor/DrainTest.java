package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A drain waits for all that comes meanwhile, wherever it comes. */
class DrainTest {
    private static final int HOPS = 20_000;

    private final AtomicInteger hops = new AtomicInteger();
    private final CountDownLatch done = new CountDownLatch(1);

    /** A task that goes from key to key: there is one at each moment. */
    private void hop(BiConsumer<Integer, Runnable> execute) {
        if (hops.incrementAndGet() < HOPS) {
            execute.accept(ThreadLocalRandom.current().nextInt(), () -> hop(execute));
        } else {
            done.countDown();
        }
    }

    private void assertDrainWaits(OrderedExecutor executor, BiConsumer<Integer, Runnable> execute)
            throws InterruptedException {
        execute.accept(0, () -> hop(execute));
        assertThat(executor.awaitIdle(Duration.ofSeconds(Patience.SECONDS))).isTrue();
        assertThat(hops).as("hops when it was drained").hasValue(HOPS);
        Patience.await(done);
        executor.close();
    }

    @Test
    @DisplayName("a task that hops from group to group is not overlooked by a drain that looks at one after the other")
    void groups() throws InterruptedException {
        GroupedExecutor executor = GroupedExecutor.builder().threads(2).build();
        assertDrainWaits(executor, (key, task) -> executor.execute(Groups.exclusive(key), task));
    }

    @Test
    @DisplayName(
            "a task that hops from stripe to stripe is not overlooked by a drain that looks at one after the other")
    void stripes() throws InterruptedException {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        assertDrainWaits(executor, executor::execute);
    }

    @Test
    @DisplayName(
            "what comes right after a look that has found no task does not make the drain give up before its limit")
    void idleAtTheFirstLook() throws InterruptedException {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        AtomicInteger looks = new AtomicInteger();
        Duration limit = Duration.ofSeconds(Patience.SECONDS);
        assertThat(executor.engine().service().lifecycle().awaitIdle(() -> looks.incrementAndGet() == 1, limit))
                .isTrue();
        executor.close();
    }
}
