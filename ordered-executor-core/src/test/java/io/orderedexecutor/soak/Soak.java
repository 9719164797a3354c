package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.Overflow;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All executors for a long time, with mixed tasks of millions of keys, random faults and settings that change. After
 * each tenth of the time everything comes to rest: nothing was lost, doubled or out of order, no thread is left over,
 * and the heap that is live has not grown since the second tenth.
 *
 * <p>Not part of the build; docs/proof.md has the command. {@code -Dsoak.seconds=600} says how long it takes, and
 * {@code -Dstress.seed=...} repeats what the threads draw, though not how they meet.
 */
class Soak {
    private static final int SECONDS = Integer.getInteger("soak.seconds", 20);
    private static final int PHASES = 10;
    private static final int SUBMITTERS = 3;

    /** What the JVM itself may come to need meanwhile, for its compilers' and our own figures. */
    private static final long GROWTH = 3_000_000;

    private final long seed = Long.getLong("stress.seed", System.nanoTime());
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private Thread.UncaughtExceptionHandler handlerBefore;

    @BeforeEach
    void start() {
        System.out.println("Soak: -Dsoak.seconds=" + SECONDS + " -Dstress.seed=" + seed);
        handlerBefore = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            if (!isOnPurpose(failure)) {
                unexpected.add(failure);
            }
        });
    }

    /** What the pool refuses is reported, too, where there is no submitter to tell. */
    private static boolean isOnPurpose(Throwable failure) {
        return failure instanceof ThrownOnPurpose
                || failure instanceof Audit.ErrorOnPurpose
                || failure instanceof RejectedExecutionException
                || failure instanceof OutOfMemoryError;
    }

    @AfterEach
    void stop() {
        Thread.setDefaultUncaughtExceptionHandler(handlerBefore);
        pool.shutdownNow();
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    @DisplayName("R1, R2, R5, R7, R8: nothing is lost, doubled or kept, for as long as it runs")
    void staysAsItIs() throws InterruptedException {
        List<Load> loads = List.of(
                KeyedLoad.striped(Overflow.reject(), null, SUBMITTERS),
                KeyedLoad.striped(Overflow.discardOldest(), pool, SUBMITTERS),
                KeyedLoad.striped(Overflow.block(Duration.ofMillis(50)), new RefusingExecutor(pool, 50), SUBMITTERS),
                KeyedLoad.grouped(Overflow.block(Duration.ofMillis(50)), SUBMITTERS),
                new OutputLoad(SUBMITTERS),
                new TicketLoad());
        List<Long> live = new ArrayList<>();
        List<Integer> threads = new ArrayList<>();
        for (int phase = 0; phase < PHASES; phase++) {
            run(loads, phase);
            for (Load load : loads) {
                load.settle();
            }
            live.add(liveBytes());
            threads.add(ManagementFactory.getThreadMXBean().getThreadCount());
        }
        loads.forEach(load -> System.out.println("Soak: " + load.figures()));
        System.out.println("Soak: live bytes " + live + ", threads " + threads);
        loads.forEach(Load::close);
        assertThat(unexpected).isEmpty();
        assertThat(live.get(PHASES - 1)).as("live bytes: %s", live).isLessThan(live.get(1) + GROWTH);
        assertThat(threads.get(PHASES - 1)).as("threads: %s", threads).isLessThanOrEqualTo(threads.get(1) + 4);
    }

    /** Lets all threads work on all loads for one phase, and one more change settings. */
    private void run(List<Load> loads, int phase) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS) / PHASES;
        CyclicBarrier start = new CyclicBarrier(SUBMITTERS + 1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            int submitter = i;
            SplittableRandom random = new SplittableRandom(seed + phase * 100L + i);
            all.add(new Thread(() -> {
                Patience.meet(start);
                while (System.nanoTime() - end < 0) {
                    act(loads.get(random.nextInt(loads.size())), submitter, random);
                }
            }));
        }
        all.add(new Thread(() -> change(loads, start, end, new SplittableRandom(seed + phase * 100L + 99))));
        all.forEach(Thread::start);
        all.forEach(this::join);
    }

    private void act(Load load, int submitter, SplittableRandom random) {
        try {
            for (int i = 0; i < 20; i++) {
                load.act(submitter, random);
            }
        } catch (InterruptedException | RuntimeException | AssertionError failure) {
            unexpected.add(failure);
        }
    }

    private void change(List<Load> loads, CyclicBarrier start, long end, SplittableRandom random) {
        Patience.meet(start);
        Thread me = Thread.currentThread();
        while (System.nanoTime() - end < 0) {
            loads.get(random.nextInt(loads.size())).change(random);
            java.util.concurrent.locks.LockSupport.parkNanos(me, 5_000_000);
        }
    }

    private void join(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(SECONDS / PHASES + Patience.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        if (thread.isAlive()) {
            throw Patience.hang(thread + " has not ended");
        }
    }

    /** What is in use after a collection; the least of a few, as references are cleared on the way. */
    private static long liveBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }
}
