package io.orderedexecutor.sample.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.StripedExecutor;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BoundsTest {
    private final Queue<Integer> done = new ConcurrentLinkedQueue<>();

    @Test
    void oneBusyKeyDoesNotUseUpTheRoomOfOthers() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .capacity(10_000) // tasks that may be queued in all
                .keyCapacity(2) // and for each stripe
                .overflow(Overflow.reject())
                .build()) {
            executor.execute("alice", () -> {
                started.countDown();
                await(end);
                done.add(0);
            });
            await(started);
            executor.execute("alice", () -> done.add(1));
            executor.execute("alice", () -> done.add(2));

            assertThatThrownBy(() -> executor.execute("alice", () -> done.add(3)))
                    .isInstanceOf(RejectedExecutionException.class);
            assertThat(executor.submit("bob", () -> done.add(4)).get(30, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(executor.inspect().rejections().keyCapacity()).isEqualTo(1);
            end.countDown();
        }
        assertThat(done).containsExactly(4, 0, 1, 2);
    }

    @Test
    void theSenderWaits() throws Exception {
        try (StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .keyCapacity(2)
                .overflow(Overflow.block(Duration.ofSeconds(10)))
                .build()) {
            for (int i = 0; i < 1000; i++) {
                int number = i;
                executor.execute("alice", () -> done.add(number)); // waits while two are queued
            }
        }
        assertThat(List.copyOf(done)).hasSize(1000).isSorted();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
