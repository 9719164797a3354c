package io.orderedexecutor.spring.actuate;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;

/**
 * Finds tasks that are stuck in executors that do not time their tasks. A thread that has run a task at two looks and
 * has not used the processor in between has been blocked in one and the same task all the while. That costs tasks
 * nothing. What is not found is a task that is busy forever, or holds no thread, or a virtual one.
 *
 * <p>Holds no thread, and nothing of tasks. Thread-safe.
 */
final class BlockedThreads {
    private final LongUnaryOperator processorNanos;
    private final LongSupplier nanoTime;

    /** What was seen at the last look, by the number of the thread. Guarded by this. */
    private Map<Long, Sighting> last = Map.of();

    BlockedThreads() {
        this(processorTime(), System::nanoTime);
    }

    /**
     * Creates an instance.
     *
     * @param processorNanos how long a thread, by its number, has used the processor; negative if that is not known
     * @param nanoTime the clock
     */
    BlockedThreads(LongUnaryOperator processorNanos, LongSupplier nanoTime) {
        this.processorNanos = processorNanos;
        this.nanoTime = nanoTime;
    }

    private static LongUnaryOperator processorTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
                ? threads::getThreadCpuTime
                : thread -> -1;
    }

    /** How long, at least, one of the threads that run tasks now has been blocked; zero if none is known to be. */
    synchronized Duration longest(Stream<Thread> threadsOfTasks) {
        long now = nanoTime.getAsLong();
        Map<Long, Sighting> seen = new HashMap<>();
        threadsOfTasks.mapToLong(BlockedThreads::numberOf).forEach(thread -> {
            long used = processorNanos.applyAsLong(thread);
            if (used >= 0) {
                Sighting before = last.get(thread);
                seen.put(thread, before != null && before.used == used ? before : new Sighting(used, now));
            }
        });
        last = seen;
        return Duration.ofNanos(seen.values().stream()
                .mapToLong(sighting -> now - sighting.since)
                .max()
                .orElse(0));
    }

    @SuppressWarnings("deprecation") // threadId() is of Java 19
    private static long numberOf(Thread thread) {
        return thread.getId();
    }

    private record Sighting(long used, long since) {}
}
