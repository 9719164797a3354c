package io.orderedexecutor;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.fixtures.OrderRecorder;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.VirtualThreads;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.RunningTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** As many stripes and tasks as only virtual threads can serve at once. */
@EnabledForJreRange(min = JRE.JAVA_21)
class StripedVirtualLoadTest {
    private static final int SUBMITTERS = 4;

    private final OrderRecorder recorder = new OrderRecorder();

    private static StripedExecutor executor() {
        return StripedExecutor.builder().executor(VirtualThreads.executor()).build();
    }

    /** Submits on virtual threads, all of which take part. */
    private static void submitting(Runnable submitter) {
        List<Thread> submitters = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            submitters.add(VirtualThreads.start(submitter));
        }
        submitters.forEach(Patience::join);
    }

    private void assertAllRan(StripedExecutor executor, int tasks) {
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(tasks);
        assertThat(executor.inspect().stats()).isEqualTo(new OrderedExecutorStats(0, 0, 0, 0, 0, tasks, 0, 0, 0));
    }

    @Test
    @DisplayName("100,000 tasks on one stripe")
    void oneStripe() {
        int tasks = 100_000;
        StripedExecutor executor = executor();
        OrderRecorder.Lane lane = recorder.lane("a");
        submitting(() -> {
            OrderRecorder.Source source = lane.source();
            for (int i = 0; i < tasks / SUBMITTERS; i++) {
                executor.execute("a", source.next());
            }
        });
        Patience.terminate(executor);
        assertAllRan(executor, tasks);
    }

    @Test
    @DisplayName("100,000 stripes, and none is left")
    void manyStripes() {
        int stripes = 100_000;
        StripedExecutor executor = executor();
        AtomicInteger next = new AtomicInteger();
        submitting(() -> {
            for (int i = 0; i < stripes / SUBMITTERS; i++) {
                int stripe = next.getAndIncrement();
                executor.execute(stripe, recorder.lane(stripe).source().next());
            }
        });
        Patience.terminate(executor);
        assertAllRan(executor, stripes);
    }

    @Test
    @DisplayName("10,000 stripes each with a blocked task at once hold up nobody, and all go on when they are released")
    void tenThousandBlockedTasks() {
        int stripes = 10_000;
        StripedExecutor executor = executor();
        CountDownLatch allRun = new CountDownLatch(stripes);
        CountDownLatch release = new CountDownLatch(1);
        for (int stripe = 0; stripe < stripes; stripe++) {
            OrderRecorder.Source source = recorder.lane(stripe).source();
            executor.execute(stripe, source.next(() -> {
                allRun.countDown();
                Patience.await(release);
            }));
            executor.execute(stripe, source.next());
        }
        Patience.await(allRun);
        assertThat(executor.inspect().stats())
                .isEqualTo(new OrderedExecutorStats(stripes, stripes, 1, 0, stripes, 0, 0, 0, 0));
        List<RunningTask> running = executor.inspect().runningTasks();
        assertThat(running).hasSize(stripes);
        assertThat(running.stream().map(RunningTask::key).distinct()).hasSize(stripes);
        assertThat(running.stream().map(RunningTask::thread).distinct().filter(VirtualThreads::isVirtual))
                .hasSize(stripes);
        CompletableFuture<Integer> free = new CompletableFuture<>();
        executor.execute("free", recorder.lane("free").source().next(() -> free.complete(1)));
        Patience.get(free);
        release.countDown();
        Patience.terminate(executor);
        assertAllRan(executor, 2 * stripes + 1);
    }

    @Test
    @DisplayName("more endless stripes than processors starve nobody, if their tasks wait for something now and then")
    void endlessStripesStarveNobody() {
        StripedExecutor executor = executor();
        AtomicBoolean over = new AtomicBoolean();
        int endless = 4 * Runtime.getRuntime().availableProcessors();
        CountDownLatch ended = new CountDownLatch(endless);
        AtomicInteger submitted = new AtomicInteger(endless);
        AtomicInteger ran = new AtomicInteger();
        for (int i = 0; i < endless; i++) {
            Object stripe = "endless " + i;
            executor.execute(stripe, new Runnable() {
                @Override
                public void run() {
                    ran.incrementAndGet();
                    LockSupport.parkNanos(1);
                    if (over.get()) {
                        ended.countDown();
                    } else {
                        submitted.incrementAndGet();
                        executor.execute(stripe, this);
                    }
                }
            });
        }
        int others = 1000;
        CountDownLatch done = new CountDownLatch(others);
        for (int i = 0; i < others; i++) {
            int stripe = i % 100;
            executor.execute(stripe, recorder.lane(i).source().next(done::countDown));
        }
        Patience.await(done);
        over.set(true);
        Patience.await(ended);
        Patience.terminate(executor);
        recorder.assertAllRanOnceInOrder();
        assertThat(ran).hasValue(submitted.get());
        assertThat(executor.inspect().stats().completed()).isEqualTo(others + submitted.get());
    }

    @Test
    @DisplayName("SerialExecutor: 2,000 sequences that all block at once, and go on in order")
    void serialExecutors() {
        int sequences = 2000;
        int each = 10;
        Executor threads = VirtualThreads.executor();
        CountDownLatch allRun = new CountDownLatch(sequences);
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(sequences);
        for (int i = 0; i < sequences; i++) {
            OrderRecorder.Source source = recorder.lane(i).source();
            SerialExecutor serial = new SerialExecutor(threads);
            serial.execute(source.next(() -> {
                allRun.countDown();
                Patience.await(release);
            }));
            for (int j = 0; j < each; j++) {
                serial.execute(source.next());
            }
            serial.execute(source.next(done::countDown));
        }
        Patience.await(allRun);
        release.countDown();
        Patience.await(done);
        recorder.assertAllRanOnceInOrder();
        assertThat(recorder.steps()).hasSize(sequences * (each + 2));
    }
}
