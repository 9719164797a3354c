package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.orderedexecutor.fixtures.Allocation;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.SteppedExecutor;
import io.orderedexecutor.stats.QueuedTask;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What a scrape, the endpoint and a look at a key cost does not depend on how many tasks wait in a key: submitters of
 * other keys may have to wait for that look.
 */
class LookCostTest {
    private static final int FEW = 100;
    private static final int MANY = 100_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SteppedExecutor steps = new SteppedExecutor();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();

    /** An executor, and the last of its tasks. */
    private record Full(OrderedExecutor executor, CompletableFuture<Integer> last) {}

    private interface Filled {
        Full with(int tasks);
    }

    private interface Look {
        Object at(Full full) throws Exception;
    }

    /** The median of the processor time of looks at an executor with so many tasks, which all run then. */
    private long nanos(Filled filled, int tasks, int looks, Look look) throws Exception {
        ran.set(0);
        Full full = filled.with(tasks);
        long[] nanos = new long[looks];
        for (int i = 0; i < looks; i++) {
            long before = threads.getCurrentThreadCpuTime();
            assertThat(look.at(full)).isNotNull();
            nanos[i] = threads.getCurrentThreadCpuTime() - before;
        }
        steps.runAll();
        Patience.terminate(full.executor);
        assertThat(ran).hasValue(tasks);
        assertThat(full.executor.inspect().stats().queued()).isZero();
        Arrays.sort(nanos);
        return nanos[looks / 2];
    }

    private void assertCheap(Filled filled, Look look) throws Exception {
        // more than the compiler needs
        nanos(filled, FEW, 3000, look);
        long few = nanos(filled, FEW, 3000, look);
        // a walk would cost about a thousand times as much, and takes a millisecond
        assertThat(nanos(filled, MANY, 100, look))
                .as("nanoseconds with %d tasks, beside %d with %d", MANY, few, FEW)
                .isLessThan(20 * few + 100_000);
    }

    private Full oneKey(int tasks) {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .listener(new TaskListener() {})
                .build();
        CompletableFuture<Integer> last = null;
        for (int i = 0; i < tasks; i++) {
            last = executor.submit("a", ran::incrementAndGet);
        }
        return new Full(executor, last);
    }

    private Full twoKeys(int tasks) {
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(steps)
                .listener(new TaskListener() {})
                .build();
        CompletableFuture<Integer> last = null;
        for (int i = 0; i < tasks; i++) {
            last = executor.submit(Groups.exclusive("a", "b"), ran::incrementAndGet);
        }
        return new Full(executor, last);
    }

    private void assertScrapeIsCheap(Filled filled) throws Exception {
        assertCheap(filled, full -> full.executor.inspect().stats());
        assertCheap(filled, full -> full.executor.inspect().oldestQueuedAge());
        assertCheap(filled, full -> full.executor.inspect().parkedTasks());
        assertCheap(filled, full -> full.executor.inspect().deepestKeys(10));
        assertCheap(filled, full -> full.executor.inspect().snapshot("a"));
        assertCheap(filled, full -> full.executor.inspect().queuedTasks(10));
        assertCheap(filled, full -> full.executor.inspect().queuedTasks("a", 10));
    }

    @Test
    @DisplayName("all that a scrape and the endpoint look at, with 100,000 tasks of one key")
    void scrapeOfOneKey() throws Exception {
        assertScrapeIsCheap(this::oneKey);
    }

    @Test
    @DisplayName("all that a scrape and the endpoint look at, with 100,000 tasks of two keys")
    void scrapeOfTwoKeys() throws Exception {
        assertScrapeIsCheap(this::twoKeys);
    }

    private Full behindABarrier(int tasks) {
        GroupedExecutor executor = GroupedExecutor.builder()
                .executor(steps)
                .listener(new TaskListener() {})
                .build();
        executor.execute(Groups.exclusive("before"), ran::incrementAndGet);
        executor.execute(Groups.all(), ran::incrementAndGet);
        CompletableFuture<Integer> last = null;
        for (int i = 2; i < tasks; i++) {
            last = executor.submit(Groups.exclusive("a"), ran::incrementAndGet);
        }
        return new Full(executor, last);
    }

    @Test
    @DisplayName("all that a scrape and the endpoint look at, with 100,000 tasks of one key behind a barrier")
    void scrapeBehindABarrier() throws Exception {
        assertScrapeIsCheap(this::behindABarrier);
    }

    private Full batchesOfOneKey(int tasks) {
        StripedExecutor executor = StripedExecutor.builder()
                .executor(steps)
                .listener(new TaskListener() {})
                .build();
        Batcher<String, Integer> batcher = executor.<String, Integer>batchTo(
                        (key, items) -> ran.addAndGet(items.size()))
                .maxBatch(tasks / 2)
                .build();
        // each behind another task, so that many batches and tasks wait
        int left = tasks;
        while (left > 0) {
            executor.execute("a", ran::incrementAndGet);
            left--;
            for (int i = 0; i < 3 && left > 0; i++, left--) {
                batcher.submit("a", i);
            }
        }
        return new Full(executor, null);
    }

    @Test
    @DisplayName("all that a scrape and the endpoint look at, with 100,000 tasks and items of batches of one key")
    void scrapeOfBatches() throws Exception {
        assertScrapeIsCheap(this::batchesOfOneKey);
    }

    @Test
    @DisplayName("a list of one task looks for no more than what this one waits for")
    void listOfOne() throws Exception {
        GroupedExecutor executor = GroupedExecutor.builder().executor(steps).build();
        executor.execute(Groups.exclusive("first"), ran::incrementAndGet);
        for (int i = 0; i < FEW; i++) {
            executor.execute(Groups.allShared(), ran::incrementAndGet);
        }
        for (int i = 0; i < 1000; i++) {
            executor.execute(Groups.exclusive(i), ran::incrementAndGet);
        }
        List<QueuedTask> listed = new ArrayList<>();
        long bytes = Allocation.ofLeastRound(() -> {
            listed.clear();
            listed.addAll(executor.inspect().queuedTasks(1));
        });
        assertThat(listed).containsExactly(new QueuedTask("first", List.of()));
        // 1,000 times 100 entries of a set would take 4 MB
        assertThat(bytes).isLessThan(1_000_000);
        steps.runAll();
        Patience.terminate(executor);
        assertThat(ran).hasValue(1 + FEW + 1000);
    }

    @Test
    @DisplayName("to resume a key, and to ask whether it is idle")
    void control() throws Exception {
        assertCheap(this::oneKey, full -> full.executor.control().resume("a"));
        assertCheap(this::oneKey, full -> full.executor.control().awaitIdle("a", Duration.ZERO));
        assertCheap(this::twoKeys, full -> full.executor.control().awaitIdle("a", Duration.ZERO));
    }

    @Test
    @DisplayName("to drop the oldest task of a full key for a new one")
    void discardOldest() throws Exception {
        assertCheap(
                tasks -> {
                    StripedExecutor executor = StripedExecutor.builder()
                            .executor(steps)
                            .keyCapacity(tasks)
                            .overflow(Overflow.discardOldest())
                            .build();
                    for (int i = 0; i < tasks; i++) {
                        executor.execute("a", ran::incrementAndGet);
                    }
                    return new Full(executor, null);
                },
                full -> {
                    ((StripedExecutor) full.executor).execute("a", ran::incrementAndGet);
                    return dropped.incrementAndGet();
                });
        assertThat(dropped).hasValue(6100);
    }

    @Test
    @DisplayName(
            "a task that returns the future of another executor's last task, to see that it does not wait for itself")
    void aTaskReturnsAFuture() throws Exception {
        StripedExecutor here = StripedExecutor.builder().executor(Runnable::run).build();
        assertCheap(
                this::oneKey,
                full -> here.submitAsync("inside", () -> full.last).cancel(false));
        Patience.terminate(here);
    }

    @Test
    @DisplayName("a task that waits for another executor's last task, to see that it does not wait for itself")
    void aTaskWaits() throws Exception {
        StripedExecutor here = StripedExecutor.builder().executor(Runnable::run).build();
        assertCheap(
                this::oneKey,
                full -> here.submit("inside", () -> {
                            try {
                                return full.last.get(1, TimeUnit.NANOSECONDS);
                            } catch (TimeoutException expected) {
                                return expected;
                            } catch (ExecutionException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .get());
        Patience.terminate(here);
    }
}
