package io.orderedexecutor.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** What ran, in which order for each stripe, and whether two of one stripe ever overlapped. */
public final class Journal {
    private final Map<Object, List<Integer>> entries = new ConcurrentHashMap<>();
    private final Map<Object, AtomicInteger> running = new ConcurrentHashMap<>();
    private final List<String> overlaps = new ArrayList<>();

    /** Runs as the task {@code number} of {@code stripe}. */
    public void write(Object stripe, int number) {
        AtomicInteger inside = running.computeIfAbsent(stripe, key -> new AtomicInteger());
        if (inside.incrementAndGet() != 1) {
            synchronized (overlaps) {
                overlaps.add(stripe + " " + number);
            }
        }
        List<Integer> ofStripe = entries.computeIfAbsent(stripe, key -> new ArrayList<>());
        synchronized (ofStripe) {
            ofStripe.add(number);
            ofStripe.notifyAll();
        }
        inside.decrementAndGet();
    }

    /** Waits until {@code count} tasks of {@code stripe} have run. */
    public void await(Object stripe, int count) throws InterruptedException {
        List<Integer> ofStripe = entries.computeIfAbsent(stripe, key -> new ArrayList<>());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        synchronized (ofStripe) {
            while (ofStripe.size() < count) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    fail("only %d of %d tasks of %s ran: %s", ofStripe.size(), count, stripe, ofStripe);
                }
                ofStripe.wait(left);
            }
        }
    }

    /** Asserts that the tasks 0 to {@code count - 1} of {@code stripe} ran, each once, in order, one at a time. */
    public void assertInOrder(Object stripe, int count) {
        List<Integer> ofStripe = entries.getOrDefault(stripe, List.of());
        synchronized (ofStripe) {
            assertThat(ofStripe)
                    .as("tasks of " + stripe)
                    .isEqualTo(IntStream.range(0, count).boxed().toList());
        }
        synchronized (overlaps) {
            assertThat(overlaps).as("overlapping tasks").isEmpty();
        }
    }

    /** Asserts that these are the stripes of all tasks that ran. */
    public void assertStripes(Object... stripes) {
        assertThat(entries.keySet()).containsExactlyInAnyOrder(stripes);
    }

    /** Waits for what a test cannot go on without. */
    public static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS))
                    .as("it happened in time")
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
