package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Over an executor whose {@code execute} waits when it is full, threads stay with a stripe until it is empty. */
class BlockingExecutorTest {
    private static final int TASKS = 1000;

    private final OrderRecorder recorder = new OrderRecorder();
    private final CountDownLatch ran = new CountDownLatch(3 * TASKS);
    private final ThreadPoolExecutor blocking =
            new ThreadPoolExecutor(2, 2, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(1), (task, pool) -> {
                try {
                    pool.getQueue().put(task);
                } catch (InterruptedException e) {
                    throw new RejectedExecutionException(e);
                }
            });

    @AfterEach
    void close() {
        blocking.shutdownNow();
    }

    private OrderRecorder.Step next(OrderRecorder.Source source) {
        return source.next(ran::countDown);
    }

    /** Three sequences, each with more tasks than a turn has, two threads, and room for one hand-over. */
    private void submit(Executor... sequences) {
        CountDownLatch release = new CountDownLatch(1);
        for (int i = 0; i < 3; i++) {
            OrderRecorder.Source source = recorder.lane(i).source();
            sequences[i].execute(() -> Patience.await(release));
            for (int task = 0; task < TASKS; task++) {
                sequences[i].execute(next(source));
            }
        }
        Thread full = new Thread(() -> sequences[3].execute(() -> {}));
        full.start();
        // there is room for nothing more
        Patience.awaitParked(full);
        release.countDown();
        Patience.await(ran);
        Patience.join(full);
        recorder.assertAllRanOnceInOrder();
    }

    @Test
    @DisplayName("with turnUntilEmpty, an executor that waits when it is full runs everything")
    void striped() {
        StripedExecutor executor =
                StripedExecutor.builder().executor(blocking).turnUntilEmpty().build();
        submit(
                executor.executorFor("a"),
                executor.executorFor("b"),
                executor.executorFor("c"),
                executor.executorFor("d"));
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(3 * TASKS + 4);
    }

    @Test
    @DisplayName("with untilEmpty, serial executors over one that waits when it is full run everything")
    void serial() {
        submit(
                SerialExecutor.untilEmpty(blocking),
                SerialExecutor.untilEmpty(blocking),
                SerialExecutor.untilEmpty(blocking),
                SerialExecutor.untilEmpty(blocking));
    }

    @Test
    void itIsASettingLikeOthers() {
        try (StripedExecutor executor =
                StripedExecutor.builder().executor(blocking).turnUntilEmpty().build()) {
            assertThat(executor.inspect().settings().turnTasks()).isEqualTo(Integer.MAX_VALUE);
        }
    }
}
