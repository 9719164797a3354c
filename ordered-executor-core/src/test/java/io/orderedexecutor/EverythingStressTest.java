package io.orderedexecutor;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.orderedexecutor.fixtures.Coverage;
import io.orderedexecutor.fixtures.DefaultHandler;
import io.orderedexecutor.fixtures.EverythingRound;
import io.orderedexecutor.fixtures.Patience;
import io.orderedexecutor.fixtures.Reachability;
import io.orderedexecutor.fixtures.RefusingExecutor;
import io.orderedexecutor.fixtures.TaskFault;
import io.orderedexecutor.fixtures.ThrownOnPurpose;
import io.orderedexecutor.fixtures.WatchedTask;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * All features of a {@link StripedExecutor} at the same time, at random, with faults of all kinds; in half of the
 * rounds it is the view of a {@link GroupedExecutor} whose groups, shared or not, and barriers are among them. What
 * must hold: order, exclusion and visibility throughout; one end for each task, of which the executor's figures, the
 * futures, the listener, the uncaught exception handler and {@code shutdownNow} tell the same; and an executor that is
 * empty afterwards.
 *
 * <p>A failure names the seed of its round; run it again with {@code -Dstress.seed=...}, and longer with
 * {@code -Dstress.everything.rounds=...}.
 */
@Tag("no-second-try")
class EverythingStressTest {
    private static final int ROUNDS = Integer.getInteger("stress.everything.rounds", 10);
    private static final int SUBMISSIONS = 250;
    private static final Coverage COVERAGE = new Coverage();

    private final long seed = Long.getLong("stress.seed", System.nanoTime());
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();

    @RegisterExtension
    final DefaultHandler handler = new DefaultHandler((thread, failure) -> {
        if (failure instanceof TaskFault fault) {
            fault.task().onUncaught();
        } else if (!(failure instanceof ThrownOnPurpose)) {
            unexpected.add(failure);
        }
    });

    @BeforeEach
    void start() {
        System.out.println("EverythingStressTest: -Dstress.seed=" + seed);
    }

    @AfterAll
    static void assertAllMet() {
        System.out.println("EverythingStressTest: " + COVERAGE);
        COVERAGE.assertAllMet();
    }

    @Test
    @DisplayName("R1-R3, R5, R7-R10 on own threads")
    void ownThreads() {
        run(EverythingRound.Threads.OWN, builder -> builder.threads(3));
    }

    @Test
    @DisplayName("R1-R3, R5, R7-R10 on a pool of the application's that runs each hand-over twice")
    void borrowedPool() {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try {
            // as an executor may that retries by itself, and has to be harmless
            run(
                    EverythingRound.Threads.BORROWED,
                    builder -> builder.executor(handOver -> {
                        pool.execute(handOver);
                        pool.execute(handOver);
                    }));
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    @DisplayName("R1-R3, R5, R7-R10 on a pool that refuses every third hand-over")
    void refusingPool() {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try {
            run(EverythingRound.Threads.REFUSING, builder -> builder.executor(new RefusingExecutor(pool, 3)));
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    @DisplayName("R1-R3, R5, R7-R10 on virtual threads")
    void virtualThreads() {
        ExecutorService threads;
        try {
            threads = (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException e) {
            assumeTrue(false, "this JDK has no virtual threads");
            return;
        }
        try {
            run(EverythingRound.Threads.BORROWED, builder -> builder.executor(threads));
        } finally {
            threads.shutdownNow();
        }
    }

    private void run(EverythingRound.Threads threads, Consumer<OrderedExecutorBuilder<?>> onThreads) {
        // they live on, so that what they keep can be told from what is kept for them
        List<StripedExecutor> executors = new ArrayList<>();
        Collection<WeakReference<Object>> submitted = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            EverythingRound round = new EverythingRound(seed + i, SUBMISSIONS, threads, onThreads, COVERAGE);
            round.run();
            executors.add(round.executor());
            round.tasks().stream().map(WatchedTask::guise).forEach(submitted::add);
        }
        for (Throwable failure : unexpected) {
            if (!(failure instanceof RejectedExecutionException || failure instanceof OutOfMemoryError)
                    || threads != EverythingRound.Threads.REFUSING) {
                throw new AssertionError("nobody was to throw this; -Dstress.seed=" + seed, failure);
            }
        }
        Reachability.assertCleared(submitted);
        executors.forEach(executor -> Patience.terminate(executor));
    }
}
