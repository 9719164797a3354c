package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Allocation;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What a task costs in objects and in hand-overs to the threads, from its submission to its end, all on this thread.
 * These are what throughput is made of; unlike that, they can be counted. The bounds leave room for a field or two, not
 * for one more object.
 */
class StripedCostTest {
    private static final int TASKS = 50_000;

    private final SteppedExecutor steps = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();

    /** Made once: it must not count as allocated. */
    private final Runnable task = ran::incrementAndGet;

    private StripedExecutor executor = StripedExecutor.builder()
            .executor(steps)
            .turn(1_000_000, Duration.ofDays(1))
            .build();

    // hand-overs

    @Test
    @DisplayName("1,000 tasks of one stripe that is not idle: one hand-over, and one more for each turn")
    void handOversOfOneStripe() {
        executor = StripedExecutor.builder()
                .executor(steps)
                .turn(100, Duration.ofDays(1))
                .build();
        for (int i = 0; i < 1_000; i++) {
            executor.execute("a", task);
            assertThat(steps.waiting()).isEqualTo(1);
        }
        assertThat(steps.runAll()).isEqualTo(10);
        assertThat(ran).hasValue(1_000);
    }

    @Test
    @DisplayName("a task that submits to its own stripe: no hand-over, as long as the turn lasts")
    void handOversOfAStripeThatFeedsItself() {
        executor.execute("a", () -> {
            for (int i = 0; i < 500; i++) {
                executor.execute("a", task);
            }
            assertThat(steps.waiting()).isZero();
        });
        assertThat(steps.runAll()).isEqualTo(1);
        assertThat(ran).hasValue(500);
        assertThat(executor.inspect().stats().completed()).isEqualTo(501);
    }

    @Test
    @DisplayName("a task of an idle stripe: one hand-over")
    void handOversOfIdleStripes() {
        for (int i = 0; i < 1_000; i++) {
            executor.execute(i, task);
        }
        assertThat(steps.waiting()).isEqualTo(1_000);
        assertThat(steps.runAll()).isEqualTo(1_000);
        assertThat(ran).hasValue(1_000);
    }

    // objects

    private double bytesPerTask(IntConsumer submission) {
        long bytes = Allocation.ofLeastRound(() -> {
            for (int number = 0; number < TASKS; number++) {
                submission.accept(number);
            }
            steps.runAll();
        });
        assertThat(ran).hasValue(Allocation.ROUNDS * TASKS);
        return (double) bytes / TASKS;
    }

    private static Integer[] keys() {
        Integer[] keys = new Integer[1_000];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i;
        }
        return keys;
    }

    @Test
    @DisplayName("a task behind others: a place, and an attempt when it runs")
    void behindOthers() {
        assertThat(bytesPerTask(i -> executor.execute("a", task))).isBetween(32.0, 72.0);
    }

    @Test
    @DisplayName("a task that opens its stripe and ends it: the order, its place, what the pool gets, and an attempt")
    void alone() {
        Integer[] keys = keys();
        assertThat(bytesPerTask(i -> {
                    executor.execute(keys[i % keys.length], task);
                    steps.runNext();
                }))
                .isBetween(64.0, 192.0);
    }

    @Test
    @DisplayName("stripes that open and end among 1,000 others: the bins are not rebuilt all the time")
    void amongOthers() {
        Integer[] keys = keys();
        assertThat(bytesPerTask(i -> {
                    executor.execute(keys[i % keys.length], task);
                    if (steps.waiting() == 500) {
                        steps.runNext();
                    }
                }))
                .isBetween(64.0, 208.0);
    }

    private StripedExecutorBuilder withRoom() {
        return StripedExecutor.builder()
                .executor(steps)
                .capacity(1_000_000)
                .keyCapacity(1_000_000)
                .turn(1_000_000, Duration.ofDays(1));
    }

    @Test
    @DisplayName("a task behind others, with bounds: as without, and the question for room")
    void withBounds() {
        executor = withRoom().build();
        assertThat(bytesPerTask(i -> executor.execute("a", task))).isBetween(32.0, 104.0);
    }

    @Test
    @DisplayName("a task behind others, with bounds and a listener: a place that knows the time, and what is told")
    void withBoundsAndAListener() {
        executor = withRoom().listener(new TaskListener() {}).build();
        assertThat(bytesPerTask(i -> executor.execute("a", task))).isBetween(64.0, 208.0);
    }

    @Test
    @DisplayName("places that are reserved in other stripes cost those that reserve nothing no object")
    void whileOthersReserve() {
        Integer[] keys = keys();
        IntConsumer submission = i -> {
            executor.execute(keys[i % keys.length], task);
            steps.runNext();
        };
        double withoutAny = bytesPerTask(submission);
        ran.set(0);
        List<Reservation> open = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            open.add(executor.reserve("other " + i));
        }
        steps.runAll();
        // less than the smallest object; the compiler may have found something to save meanwhile
        assertThat(bytesPerTask(submission)).isLessThan(withoutAny + 8);
        open.forEach(Reservation::close);
        assertThat(executor.inspect().reserved().count()).isZero();
    }
}
