package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Figures, the deepest stripes and single stripes. */
class StripedStatsTest {
    private final OrderRecorder recorder = new OrderRecorder();
    private final SteppedExecutor stepped = new SteppedExecutor();
    private final StripedExecutor executor = StripedExecutor.builder()
            .name("orders")
            .executor(stepped)
            .turn(1, Duration.ofDays(1))
            .build();

    private static OrderedExecutorStats figures(
            long stripes, long queued, long deepest, long active, long completed, long failed, long cancelled) {
        return new OrderedExecutorStats(stripes, queued, deepest, 0, active, completed, failed, cancelled, 0);
    }

    @Test
    void figuresFollowEachStep() {
        assertThat(executor.inspect().stats()).isEqualTo(figures(0, 0, 0, 0, 0, 0, 0));
        OrderRecorder.Source source = recorder.lane("a").source();
        executor.execute(
                "a", source.next(() -> assertThat(executor.inspect().stats()).isEqualTo(figures(2, 3, 2, 1, 0, 0, 0))));
        executor.execute("a", source.next());
        executor.execute("a", source.next());
        executor.asExecutorService().execute(recorder.lane("none").source().next());
        assertThat(executor.inspect().stats()).isEqualTo(figures(2, 4, 3, 0, 0, 0, 0));
        stepped.runNext();
        assertThat(executor.inspect().stats()).isEqualTo(figures(2, 3, 2, 0, 1, 0, 0));
        stepped.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(figures(0, 0, 0, 0, 4, 0, 0));
        recorder.assertAllRanOnceInOrder();
        assertThat(executor.toString())
                .contains("orders")
                .contains("completed=4")
                .contains("running");
        assertThat(executor.name()).isEqualTo("orders");
    }

    @Test
    @DisplayName("a cancelled task is no longer counted as queued, but as cancelled, at once")
    void aCancelledTaskIsCountedAtOnce() {
        executor.execute("a", () -> {});
        CompletableFuture<Integer> future = executor.submit("a", () -> 1);
        future.cancel(false);
        OrderedExecutorStats stats = executor.inspect().stats();
        stepped.runAll();
        assertThat(executor.inspect().stats()).isEqualTo(figures(0, 0, 0, 0, 1, 0, 1));
        assertThat(stats).as("before the stripe has come to it").isEqualTo(figures(1, 1, 1, 0, 0, 0, 1));
    }

    @Test
    void theDeepestStripesComeFirst() {
        for (int stripe = 1; stripe <= 5; stripe++) {
            for (int i = 0; i < stripe; i++) {
                executor.execute("stripe " + stripe, () -> {});
            }
        }
        assertThat(executor.inspect().stats().deepest()).isEqualTo(5);
        assertThat(executor.inspect().deepestKeys(2))
                .containsExactly(
                        new KeySnapshot("stripe 5", 5, 0, Duration.ZERO, 0, false, false),
                        new KeySnapshot("stripe 4", 4, 0, Duration.ZERO, 0, false, false));
        assertThat(executor.inspect().deepestKeys(Integer.MAX_VALUE))
                .extracting(KeySnapshot::queued)
                .containsExactly(5L, 4L, 3L, 2L, 1L);
        assertThat(executor.inspect().deepestKeys(0)).isEmpty();
        assertThatThrownBy(() -> executor.inspect().deepestKeys(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit")
                .hasMessageContaining("-1");
        List<KeySnapshot> snapshots = executor.inspect().deepestKeys(2);
        assertThatThrownBy(snapshots::clear).isInstanceOf(UnsupportedOperationException.class);
        stepped.runAll();
        assertThat(executor.inspect().deepestKeys(10)).isEmpty();
        assertThat(executor.inspect().stats().completed()).isEqualTo(15);
    }

    @Test
    void tasksWithoutAStripeHaveNoQueue() {
        executor.asExecutorService().execute(() -> {});
        executor.asExecutorService().execute(() -> {});
        assertThat(executor.inspect().stats().queued()).isEqualTo(2);
        assertThat(executor.inspect().stats().deepest()).isZero();
        assertThat(executor.inspect().deepestKeys(10)).isEmpty();
        stepped.runAll();
        assertThat(executor.inspect().stats().completed()).isEqualTo(2);
    }

    @Test
    void oneStripe() {
        assertThat(executor.inspect().snapshot("a")).isEmpty();
        executor.execute(
                "a",
                () -> assertThat(executor.inspect().snapshot(new String("a")))
                        .contains(new KeySnapshot("a", 1, 0, Duration.ZERO, 1, false, false)));
        executor.execute("a", () -> {});
        assertThat(executor.inspect().snapshot("a"))
                .contains(new KeySnapshot("a", 2, 0, Duration.ZERO, 0, false, false));
        stepped.runAll();
        assertThat(executor.inspect().snapshot("a")).isEmpty();
        assertThat(executor.inspect().stats()).isEqualTo(figures(0, 0, 0, 0, 2, 0, 0));
    }

    @Test
    @DisplayName("A stripe that has tasks all the time is always found, once, while the table grows under it")
    void aStripeIsFoundWhileTheTableGrows() {
        int watched = 64;
        int others = 20_000;
        int missing = 0;
        int wrongFigures = 0;
        int wrongLists = 0;
        for (int round = 0; round < 20; round++) {
            SteppedExecutor waiting = new SteppedExecutor();
            StripedExecutor growing =
                    StripedExecutor.builder().executor(waiting).build();
            AtomicInteger ran = new AtomicInteger();
            for (int i = 0; i < watched; i++) {
                growing.execute("watched " + i, ran::incrementAndGet);
            }
            Thread submitter = new Thread(() -> {
                for (int i = 0; i < others; i++) {
                    growing.execute(i, ran::incrementAndGet);
                }
            });
            submitter.start();
            for (int look = 0; submitter.isAlive(); look++) {
                if (growing.inspect().snapshot("watched " + look % watched).isEmpty()) {
                    missing++;
                }
                if (look % 10 == 0) {
                    long queued = growing.inspect().stats().queued();
                    wrongFigures += queued < watched || queued > watched + others ? 1 : 0;
                    List<Object> found = growing.inspect().deepestKeys(Integer.MAX_VALUE).stream()
                            .map(KeySnapshot::key)
                            .filter(String.class::isInstance)
                            .toList();
                    wrongLists += found.size() == watched && new HashSet<>(found).size() == watched ? 0 : 1;
                }
            }
            Patience.join(submitter);
            waiting.runAll();
            assertThat(ran).hasValue(watched + others);
        }
        assertThat(List.of(missing, wrongFigures, wrongLists))
                .as("how often snapshot, stats and deepestStripes were wrong")
                .containsExactly(0, 0, 0);
    }

    @Test
    void countsNeverDecreaseAndNeverExceedWhatWasSubmitted() {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        int tasks = 200_000;
        Thread producer = new Thread(() -> {
            for (int i = 0; i < tasks; i++) {
                boolean fails = i % 1000 == 0;
                executor.submit(i % 100, () -> {
                    if (fails) {
                        throw new IllegalStateException("thrown by the test");
                    }
                    return 1;
                });
            }
        });
        producer.start();
        long completed = 0;
        long failed = 0;
        while (completed + failed < tasks) {
            OrderedExecutorStats stats = executor.inspect().stats();
            assertThat(stats.completed()).isGreaterThanOrEqualTo(completed);
            assertThat(stats.failed()).isGreaterThanOrEqualTo(failed);
            assertThat(stats.queued()).isBetween(0L, (long) tasks);
            assertThat(stats.keys()).isBetween(0L, 200L);
            completed = stats.completed();
            failed = stats.failed();
        }
        Patience.join(producer);
        Patience.terminate(executor);
        assertThat(executor.inspect().stats()).isEqualTo(figures(0, 0, 0, 0, tasks - 200, 200, 0));
    }
}
