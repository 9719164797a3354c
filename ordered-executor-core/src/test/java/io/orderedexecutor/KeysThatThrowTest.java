package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R5, R7 and R8 if a key throws while it is compared, in submissions that take room; and who waits for idleness. */
@Timeout(60)
class KeysThatThrowTest {
    private final SteppedExecutor steps = new SteppedExecutor();
    private final List<String> ran = new ArrayList<>();
    private boolean isHostile;

    private final class Hostile {
        @Override
        public int hashCode() {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            if (isHostile) {
                throw new IllegalStateException("compared");
            }
            return this == other;
        }
    }

    @Test
    void aSubmissionThatFailsKeepsNoKeyOpen() throws InterruptedException {
        GroupedExecutor executor =
                GroupedExecutor.builder().executor(steps).keyCapacity(5).build();
        executor.execute(Groups.exclusive(new Hostile()), () -> ran.add("first"));
        isHostile = true;
        for (int i = 0; i < 10; i++) {
            String key = "key " + i;
            assertThatThrownBy(() -> executor.execute(Groups.exclusive(key, new Hostile()), () -> ran.add("never")))
                    .hasMessage("compared");
        }
        isHostile = false;
        steps.runAll();
        assertThat(ran).containsExactly("first");
        executor.shutdown();
        assertThat(executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aReservationThatFailsGivesItsRoomBackOnce() {
        GroupedExecutor executor =
                GroupedExecutor.builder().executor(steps).capacity(2).build();
        executor.execute(Groups.exclusive(new Hostile()), () -> ran.add("first"));
        isHostile = true;
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> executor.reserve(Groups.exclusive(new Hostile())))
                    .hasMessage("compared");
        }
        isHostile = false;
        executor.execute(Groups.exclusive("a"), () -> ran.add("second"));
        assertThatThrownBy(() -> executor.execute(Groups.exclusive("b"), () -> ran.add("too many")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(executor.inspect().reserved().count()).isZero();
        steps.runAll();
        assertThat(ran).containsExactlyInAnyOrder("first", "second");
        executor.close();
    }

    @Test
    void whoWaitsForIdlenessSeesTheEndOfABarrierAndOfAPausedKey() {
        try (GroupedExecutor executor = GroupedExecutor.builder().threads(1).build()) {
            for (int i = 0; i < 3; i++) {
                CountDownLatch end = new CountDownLatch(1);
                executor.execute(Groups.all(), () -> Patience.await(end));
                awaitIdle(executor, end);
            }
            CountDownLatch end = new CountDownLatch(1);
            CountDownLatch started = new CountDownLatch(1);
            executor.execute(Groups.exclusive("a"), () -> {
                started.countDown();
                Patience.await(end);
            });
            Patience.await(started);
            executor.control().pause("a");
            awaitIdle(executor, end);
            executor.control().resume("a");
            assertThat(executor.inspect().stats().completed()).isEqualTo(4);
        }
    }

    private static void awaitIdle(GroupedExecutor executor, CountDownLatch end) {
        Thread waiting = new Thread(() -> {
            try {
                executor.awaitIdle(Duration.ofHours(1));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        waiting.setDaemon(true);
        waiting.start();
        Patience.awaitParked(waiting);
        end.countDown();
        Patience.join(waiting);
    }
}
