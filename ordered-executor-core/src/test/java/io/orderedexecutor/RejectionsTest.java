package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.HandTimer;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.Rejections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Why submissions were rejected, and how long tasks have waited. */
class RejectionsTest {
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();

    private void assertRejected(OrderedExecutor executor, Runnable submission) {
        assertThatThrownBy(submission::run).isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.inspect().stats().rejected())
                .isEqualTo(executor.inspect().rejections().total());
    }

    @Test
    void eachReasonIsCountedByItself() {
        AtomicBoolean refuses = new AtomicBoolean();
        StripedExecutor executor = StripedExecutor.builder()
                .capacity(2)
                .keyCapacity(1)
                .executor(work -> {
                    if (refuses.get()) {
                        throw new RejectedExecutionException("on purpose");
                    }
                    stepped.execute(work);
                })
                .build();
        refuses.set(true);
        assertRejected(executor, () -> executor.execute("a", ran::incrementAndGet));
        refuses.set(false);
        executor.execute("a", ran::incrementAndGet);
        for (int i = 0; i < 2; i++) {
            assertRejected(executor, () -> executor.execute("a", ran::incrementAndGet));
        }
        executor.execute("b", ran::incrementAndGet);
        for (int i = 0; i < 3; i++) {
            assertRejected(executor, () -> executor.execute("c", ran::incrementAndGet));
        }
        executor.shutdown();
        for (int i = 0; i < 4; i++) {
            assertRejected(executor, () -> executor.execute("c", ran::incrementAndGet));
        }
        assertThat(executor.inspect().rejections()).isEqualTo(new Rejections(3, 2, 4, 1));
        stepped.runAll();
        assertThat(ran).hasValue(2);
    }

    @Test
    void theOldestOfAllStripesIsFound() {
        AtomicInteger seconds = new AtomicInteger(1);
        HandTimer clock = new HandTimer(() -> Duration.ofSeconds(seconds.get()).toNanos());
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .platform(clock)
                .listener(new TaskListener() {})
                .build();
        assertThat(executor.inspect().oldestQueuedAge()).contains(Duration.ZERO);
        executor.execute("a", ran::incrementAndGet);
        seconds.set(4);
        executor.execute("a", ran::incrementAndGet);
        executor.execute("b", ran::incrementAndGet);
        seconds.set(9);
        assertThat(executor.inspect().oldestQueuedAge()).contains(Duration.ofSeconds(8));
        executor.control().pause("a");
        assertThat(stepped.runAll()).isPositive();
        assertThat(ran).as("the only task of the stripe that is not paused").hasValue(1);
        assertThat(executor.inspect().oldestQueuedAge()).contains(Duration.ofSeconds(8));
        executor.control().resume("a");
        stepped.runAll();
        assertThat(ran).hasValue(3);
        assertThat(executor.inspect().oldestQueuedAge()).contains(Duration.ZERO);
    }

    @Test
    @DisplayName("a batch whose last item was cancelled just now has no age")
    void ofABatchWithoutItems() {
        HandTimer clock = new HandTimer(() -> Duration.ofHours(1).toNanos());
        AtomicReference<StripedExecutor> looksAt = new AtomicReference<>();
        List<Optional<Duration>> seen = new ArrayList<>();
        StripedExecutor executor = StripedExecutor.builder()
                .executor(stepped)
                .platform(clock)
                .listener(new TaskListener() {
                    @Override
                    public void cancelled(@Nullable Object stripe, Object task) {
                        seen.add(looksAt.get().inspect().oldestQueuedAge());
                    }
                })
                .build();
        looksAt.set(executor);
        Batcher<String, Integer> batcher = executor.<String, Integer>batchTo((stripe, items) -> ran.incrementAndGet())
                .build();
        assertThat(batcher.submit("a", 1).cancel(false)).isTrue();
        assertThat(seen).containsExactly(Optional.of(Duration.ZERO));
        stepped.runAll();
        assertThat(ran).hasValue(0);
    }

    @Test
    void tasksOfAnExecutorWithoutListenerAreNotTimed() {
        StripedExecutor executor = StripedExecutor.builder().executor(stepped).build();
        executor.execute("a", ran::incrementAndGet);
        assertThat(executor.inspect().oldestQueuedAge()).isEmpty();
        stepped.runAll();
        assertThat(ran).hasValue(1);
    }

    @Test
    void theTotalIsTheSumOfAllReasons() {
        assertThat(new Rejections(1, 20, 300, 4000).total()).isEqualTo(4321);
    }
}
