package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.Patience;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In a heap of 256 MB: what is over must be given back. */
@Tag("small-heap")
class StripedSmallHeapTest {
    private static final int MILLION = 1_000_000;

    @BeforeEach
    void heapIsSmall() {
        assertThat(Runtime.getRuntime().maxMemory())
                .as("heap of this JVM, which the build limits for this tag")
                .isLessThanOrEqualTo(256L << 20);
    }

    @Test
    @DisplayName("1,000,000 tasks on as many stripes as they come, each ran once, and no stripe is left")
    void aMillionStripesOneAfterAnother() {
        StripedExecutor executor = StripedExecutor.builder().threads(2).build();
        AtomicIntegerArray runs = new AtomicIntegerArray(MILLION);
        for (int i = 0; i < MILLION; i++) {
            int number = i;
            executor.execute(number, () -> runs.incrementAndGet(number));
        }
        finish(executor, runs);
    }

    @Test
    @DisplayName("1,000,000 stripes that all have their task queued at the same time")
    void aMillionStripesAtOnce() {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        CountDownLatch submitted = new CountDownLatch(1);
        executor.execute("blocker", () -> Patience.await(submitted));
        AtomicIntegerArray runs = new AtomicIntegerArray(MILLION);
        for (int i = 0; i < MILLION; i++) {
            int number = i;
            executor.execute(number, () -> runs.incrementAndGet(number));
        }
        assertThat(executor.inspect().stats().queued()).isEqualTo(MILLION);
        submitted.countDown();
        finish(executor, runs);
    }

    private static void finish(StripedExecutor executor, AtomicIntegerArray runs) {
        Patience.terminate(executor);
        for (int i = 0; i < MILLION; i++) {
            if (runs.get(i) != 1) {
                throw new AssertionError("task " + i + " ran " + runs.get(i) + " times");
            }
        }
        assertThat(executor.inspect().stats().keys()).isZero();
        assertThat(executor.inspect().stats().completed()).isBetween((long) MILLION, MILLION + 1L);
    }

    @Test
    @DisplayName("a stripe and a sequence that never drain, through 3,000 tasks of 100 KB each, more than the heap")
    void aStripeThatNeverDrains() {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        SerialExecutor serial = new SerialExecutor(executor.executorFor("serial"));
        AtomicLong bytes = new AtomicLong();
        CountDownLatch done = new CountDownLatch(2);
        class Successor implements Runnable {
            final Executor own;
            final int number;
            final byte[] payload = new byte[100_000];

            Successor(Executor own, int number) {
                this.own = own;
                this.number = number;
            }

            @Override
            public void run() {
                bytes.addAndGet(payload.length);
                if (number < 3000) {
                    own.execute(new Successor(own, number + 1)); // there is always a next one before this one ends
                } else {
                    done.countDown();
                }
            }
        }
        serial.execute(new Successor(serial, 1));
        executor.execute("a", new Successor(executor.executorFor("a"), 1));
        Patience.await(done);
        Patience.terminate(executor);
        assertThat(bytes).hasValue(2 * 3000 * 100_000L);
    }

    @Test
    @DisplayName("a stripe and a sequence that never drain keep not even the places of what they ran")
    void aStripeThatNeverDrainsThroughMillionsOfTasks() {
        StripedExecutor executor = StripedExecutor.builder().threads(1).build();
        SerialExecutor serial = new SerialExecutor(executor.executorFor("serial"));
        int tasks = 6 * MILLION; // places of 24 bytes or more: twice this many do not fit into the heap
        AtomicLong ran = new AtomicLong();
        CountDownLatch done = new CountDownLatch(2);
        class Again implements Runnable {
            final Executor own;
            int left = tasks;

            Again(Executor own) {
                this.own = own;
            }

            @Override
            public void run() {
                ran.incrementAndGet();
                left--;
                if (left == 0) {
                    done.countDown();
                } else {
                    own.execute(this);
                }
            }
        }
        serial.execute(new Again(serial));
        executor.execute("a", new Again(executor.executorFor("a")));
        Patience.await(done);
        Patience.terminate(executor);
        assertThat(ran).hasValue(2L * tasks);
    }
}
