package io.orderedexecutor.benchmarks;

import io.orderedexecutor.benchmarks.Core.StripedSubject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for room, each in a stripe of its own, which an asynchronous task holds, so that no thread of the
 * executor is taken.
 */
final class BlockedSubmitters implements OurSubjects.Ending {
    /** Enough that no stripe of the measured tasks is ever full: on average, 16 of them are queued in each. */
    static final int STRIPE_CAPACITY = 128;

    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long PAUSE_NANOS = 100_000;

    private final CompletableFuture<Void> holder = new CompletableFuture<>();
    private final List<Thread> threads = new ArrayList<>();

    private BlockedSubmitters() {}

    static BlockedSubmitters of(StripedSubject executor, int count) {
        BlockedSubmitters submitters = new BlockedSubmitters();
        for (int i = 0; i < count; i++) {
            Object stripe = "blocked-" + i;
            Thread thread = new Thread(() -> submitters.fill(executor, stripe), "submitter-" + i);
            thread.start();
            submitters.threads.add(thread);
        }
        submitters.threads.forEach(BlockedSubmitters::awaitBlocked);
        return submitters;
    }

    /** The holder and as many as are queued behind it have room; the last one has not. */
    private void fill(StripedSubject executor, Object stripe) {
        executor.hold(stripe, holder);
        for (int i = 0; i <= STRIPE_CAPACITY; i++) {
            executor.execute(stripe, () -> {});
        }
    }

    private static void awaitBlocked(Thread submitter) {
        long start = System.nanoTime();
        while (submitter.getState() != Thread.State.TIMED_WAITING) {
            if (!submitter.isAlive() || System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException(submitter + " does not wait for room");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void end() throws InterruptedException {
        holder.complete(null);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
