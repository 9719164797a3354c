package io.orderedexecutor.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The calls of one record's listener by two threads, one of which goes on while the other has not returned. */
class TrackedRecordTest {
    private static final int SECONDS = 30;

    @Test
    @DisplayName("a drain interrupts the listener's second call, although the first one has returned after it began")
    void isInterruptedInItsSecondCall() throws Exception {
        Assignment<String, String> assignment =
                new Assignment<>(new TopicPartition("t", 0), 0, null, CommitMetadata.NONE, settled -> {});
        TrackedRecord<String, String> record =
                new TrackedRecord<>(new ConsumerRecord<>("t", 0, 0, "k", "v"), assignment, null, 0);
        assignment.add(record);
        record.start();
        CompletableFuture<@Nullable Void> pause = new CompletableFuture<>();
        CountDownLatch isCalledAgain = new CountDownLatch(1);
        FutureTask<Boolean> second = new FutureTask<>(() -> {
            boolean[] interrupted = {false};
            assertThat(record.proceed(pause)).isTrue();
            record.call(() -> {
                isCalledAgain.countDown();
                try {
                    TimeUnit.SECONDS.sleep(SECONDS);
                } catch (InterruptedException expected) {
                    interrupted[0] = true;
                }
            });
            return interrupted[0];
        });
        record.call(() -> {
            record.await(pause);
            new Thread(second).start();
            try {
                assertThat(isCalledAgain.await(SECONDS, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException unexpected) {
                throw new AssertionError(unexpected);
            }
        });
        record.interrupt();
        assertThat(second.get(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(Thread.interrupted()).isFalse();
    }
}
