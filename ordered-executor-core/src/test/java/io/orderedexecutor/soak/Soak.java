package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * All executors for a long time, with mixed tasks of millions of keys, random faults and settings that change. After
 * each tenth of the time everything comes to rest: then nothing was lost, doubled or out of order, no key or task is
 * held that was watched, and the live heap has not grown since the second tenth. In the end no thread is left.
 *
 * <p>Not part of {@code mvn verify}; docs/maintainers/proof.md has the command. {@code -Dsoak.seconds=600} says how
 * long it takes, and {@code -Dstress.seed=...} repeats what the threads draw, though not how they meet;
 * {@code -Dsoak.only=soak-output} leaves out all executors whose names do not begin so.
 */
class Soak {
    private static final int SECONDS = Integer.getInteger("soak.seconds", 20);
    private static final String ONLY = System.getProperty("soak.only", "");
    private static final int PHASES = 10;
    private static final int SUBMITTERS = 3;

    /** How much the JVM itself may come to need meanwhile: it is found to be a tenth of this. */
    private static final long GROWTH = 1_000_000;

    private final long seed = Long.getLong("stress.seed", System.nanoTime());
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
    private Set<Thread> threadsBefore;

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((thread, failure) -> {
        if (!isOnPurpose(failure)) {
            unexpected.add(failure);
        }
    });

    private ExecutorService pool;
    private ExecutorService completers;

    @BeforeEach
    void start() {
        System.out.println("Soak: -Dsoak.seconds=" + SECONDS + " -Dstress.seed=" + seed);
        threadsBefore = Thread.getAllStackTraces().keySet();
        pool = Executors.newFixedThreadPool(2);
        completers = Executors.newFixedThreadPool(2);
    }

    /** What the pool refuses is reported, too, where there is no submitter to tell. */
    private static boolean isOnPurpose(Throwable failure) {
        return failure instanceof ThrownOnPurpose || failure instanceof Job.ErrorOnPurpose || Audit.isRefusal(failure);
    }

    @AfterEach
    void stop() {
        pool.shutdownNow();
        completers.shutdownNow();
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    @DisplayName("nothing is lost, doubled, out of order or kept, for as long as it runs")
    void staysAsItIs() throws InterruptedException {
        List<Load> loads = loads();
        List<Long> live = new ArrayList<>();
        for (int phase = 0; phase < PHASES; phase++) {
            run(loads, phase);
            for (Load load : loads) {
                load.settle();
            }
            loads.forEach(Load::assertNothingIsHeld);
            live.add(liveBytes());
        }
        loads.forEach(load -> System.out.println("Soak: " + load));
        System.out.printf(
                "Soak: %,d keys, sequences and outputs that were used once; live bytes after each tenth: %s%n",
                loads.stream().mapToLong(Load::passingKeys).sum(), live);
        loads.forEach(Load::close);
        pool.shutdown();
        completers.shutdown();
        assertThat(unexpected).as("thrown by nobody on purpose").isEmpty();
        assertThat(live.get(PHASES - 1)).as("live bytes: %s", live).isLessThan(live.get(1) + GROWTH);
        assertNoThreadIsLeft();
    }

    private List<Load> loads() {
        Overflow block = Overflow.block(Duration.ofMillis(50));
        FailurePolicy proceed = FailurePolicy.proceed();
        FailurePolicy retry = FailurePolicy.retry()
                .maxRetries(1)
                .delay(Duration.ofMillis(1))
                .multiplier(2)
                .thenProceed();
        RefusingExecutor refusing = new RefusingExecutor(pool, 50);
        // one whose refusals do not count on what others hand over
        RefusingExecutor refusingSequences = new RefusingExecutor(pool, 50);
        int parks = Integer.MAX_VALUE;
        List<Load> all = List.of(
                new StripedLoad(audit("soak-own", 100, 1, true), Overflow.reject(), proceed, null, SUBMITTERS),
                new StripedLoad(audit("soak-parking", 2, parks, true), block, FailurePolicy.park(), null, SUBMITTERS),
                new StripedLoad(audit("soak-pool", 100, 2, true), Overflow.discardOldest(), retry, pool, SUBMITTERS),
                new StripedLoad(audit("soak-refusing", 100, 1, false), block, proceed, refusing, SUBMITTERS),
                new GroupedLoad(audit("soak-grouped", 100, 1, true), block, proceed, null, SUBMITTERS),
                new GroupedLoad(audit("soak-grouped-pool", 100, 2, false), block, retry, refusing, SUBMITTERS),
                new SerialLoad(audit("soak-serial", 100, 1, false), refusingSequences, SUBMITTERS),
                new OutputLoad(new Audit(new Audit.Traits("soak-output", 100, 1, true, true, completers)), SUBMITTERS),
                new TicketLoad("soak-tickets", false, pool),
                new TicketLoad("soak-numbers", true, pool));
        return all.stream().filter(load -> load.toString().startsWith(ONLY)).toList();
    }

    private Audit audit(String name, int faults, int attempts, boolean tellsInterruptsApart) {
        return new Audit(new Audit.Traits(name, faults, attempts, tellsInterruptsApart, false, completers));
    }

    // a phase

    /** Lets all threads work on all loads for one phase, and one more change settings. */
    private void run(List<Load> loads, int phase) {
        long nanos = TimeUnit.SECONDS.toNanos(SECONDS) / PHASES;
        long start = System.nanoTime();
        CyclicBarrier barrier = new CyclicBarrier(SUBMITTERS + 1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
            int submitter = i;
            SplittableRandom random = new SplittableRandom(seed + phase * 100L + i);
            all.add(new Thread(() -> {
                Patience.meet(barrier);
                for (long time = 0; time < nanos; time = System.nanoTime() - start) {
                    act(loads.get(random.nextInt(loads.size())), submitter, time < nanos / 2, random);
                }
            }));
        }
        all.add(new Thread(() -> {
            Patience.meet(barrier);
            change(loads, start + nanos, new SplittableRandom(seed + phase * 100L + 99));
        }));
        all.forEach(Thread::start);
        all.forEach(thread -> join(thread, start + nanos));
    }

    private void act(Load load, int submitter, boolean watches, SplittableRandom random) {
        try {
            for (int i = 0; i < 20; i++) {
                load.act(submitter, watches, random);
                // the pool may have refused a task that stays interrupted, which has then run here
                Thread.interrupted();
            }
        } catch (RuntimeException | Error failure) {
            unexpected.add(failure);
        }
    }

    private void change(List<Load> loads, long end, SplittableRandom random) {
        try {
            while (System.nanoTime() - end < 0) {
                loads.get(random.nextInt(loads.size())).change(random);
                // so that it leaves the processors to those whom it disturbs
                LockSupport.parkNanos(this, 1_000_000);
            }
        } catch (RuntimeException | Error failure) {
            unexpected.add(failure);
        } finally {
            loads.forEach(Load::calm);
        }
    }

    private static void join(Thread thread, long end) {
        try {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()))
                    + TimeUnit.SECONDS.toMillis(Patience.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        if (thread.isAlive()) {
            throw Patience.hang(thread + " has not ended");
        }
    }

    // what is left

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

    private void assertNoThreadIsLeft() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!threadsBefore.contains(thread) && !isOfOthers(thread)) {
                Patience.join(thread);
            }
        }
    }

    /** The JDK keeps its timer; the threads of its common pool and of timers end a minute later; JUnit watches. */
    private static boolean isOfOthers(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group == null
                || "system".equals(group.getName())
                || Stream.of("CompletableFutureDelayScheduler", "ordered-executor-timer", "ForkJoinPool", "junit-")
                        .anyMatch(thread.getName()::startsWith);
    }
}
