package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R5: a thread of a factory's that fails before it runs what it was given does not keep others from being started. */
class ThreadThatFailsTest {
    private final BlockingQueue<Thread> failed = new LinkedBlockingQueue<>();
    private final AtomicInteger made = new AtomicInteger();

    /** A factory whose first threads fail before they come to the worker. */
    private Thread make(Runnable worker, int failures) {
        boolean fails = made.incrementAndGet() <= failures;
        Thread thread = new Thread(() -> {
            if (fails) {
                throw new ThrownOnPurpose();
            }
            worker.run();
        });
        thread.setUncaughtExceptionHandler((of, failure) -> failed.add(of));
        return thread;
    }

    @Test
    @DisplayName("the next submission replaces a thread that has failed before it ran its worker")
    void theFirstThreadsFail() {
        int failures = 3;
        StripedExecutor executor = StripedExecutor.builder()
                .threads(4)
                .threadFactory(worker -> make(worker, failures))
                .build();
        CountDownLatch ran = new CountDownLatch(failures + 1);
        for (int i = 0; i <= failures; i++) {
            executor.execute(i, ran::countDown);
            if (i < failures) {
                awaitFailure();
            }
        }
        Patience.await(ran);
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(failures + 1);
        assertThat(made).hasValueBetween(failures + 1, failures + 4);
    }

    private void awaitFailure() {
        try {
            Thread thread = failed.poll(Patience.SECONDS, TimeUnit.SECONDS);
            assertThat(thread).as("a thread that has failed").isNotNull();
            Patience.join(thread);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("all threads that may be are still started after some have failed")
    void noPlaceIsLost() {
        StripedExecutor executor = StripedExecutor.builder()
                .threads(2)
                .threadFactory(worker -> make(worker, 2))
                .build();
        CountDownLatch together = new CountDownLatch(2);
        Runnable meet = () -> {
            together.countDown();
            Patience.await(together);
        };
        executor.execute("a", meet);
        awaitFailure();
        executor.execute("b", meet);
        awaitFailure();
        executor.execute("c", () -> {});
        Patience.await(together);
        Patience.terminate(executor);
        assertThat(executor.inspect().stats().completed()).isEqualTo(3);
    }
}
