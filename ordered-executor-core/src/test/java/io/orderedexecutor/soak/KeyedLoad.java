package io.orderedexecutor.soak;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Tasks of stripes or groups: some of a few keys that are busy, most of keys that are never used again.
 *
 * @param <K> what a task is submitted with
 */
abstract class KeyedLoad<K> implements Load {
    private static final int LANES = 32;

    /** A key: as in an application, each task brings an object of its own, equal to others. */
    record Key(long number) {
        @Override
        public int hashCode() {
            return Long.hashCode(number * 0x9E3779B97F4A7C15L);
        }
    }

    /** What a task is submitted with, and the places that it has there. */
    record Target<K>(K key, List<Lane.Place> places) {}

    final Audit audit;
    private final Lane[] lanes;
    private final boolean hasOwnThreads;
    private final LongAdder passing = new LongAdder();

    /** Used by the thread that changes settings. */
    private boolean isPaused;

    private Key pausedKey;

    KeyedLoad(Audit audit, boolean hasOwnThreads, int submitters) {
        this.audit = audit;
        this.hasOwnThreads = hasOwnThreads;
        this.lanes =
                IntStream.range(0, LANES).mapToObj(lane -> new Lane(submitters)).toArray(Lane[]::new);
    }

    /**
     * Sets what both kinds have.
     *
     * @param pool null for threads of the executor's own
     */
    static <B extends OrderedExecutorBuilder<B>> B configure(B builder, Audit audit, Overflow overflow, Executor pool) {
        builder.capacity(1000).overflow(overflow).listener(audit);
        return pool == null ? builder.threads(2) : builder.executor(pool);
    }

    abstract OrderedExecutor executor();

    /** Draws what one or a few lanes, or a key that is never used again, have in common with a task. */
    abstract Target<K> target(int submitter, SplittableRandom random);

    abstract void execute(K key, Job job);

    abstract CompletableFuture<?> submit(K key, Job job);

    abstract CompletableFuture<?> submitAsync(K key, Job job);

    abstract Reservation reserve(K key);

    /** Submits in a way that only this kind has; returns null if that has no future. */
    abstract CompletableFuture<?> submitInOwnWay(K key, Job job, SplittableRandom random);

    abstract void pause(Key key);

    abstract void resume(Key key);

    abstract void setKeyCapacity(int capacity);

    /** Decides on what is parked. */
    abstract void decide(SplittableRandom random);

    final Key passingKey(SplittableRandom random) {
        passing.increment();
        // beyond the numbers of lanes
        return new Key(random.nextLong() | Long.MIN_VALUE);
    }

    /** Draws a lane; some are busier than others. */
    static int lane(SplittableRandom random) {
        return random.nextInt(1 + random.nextInt(LANES));
    }

    /** A place in each lane, for a task that conflicts with all others. */
    final List<Lane.Place> placeInAll(int submitter) {
        return Stream.of(lanes).map(lane -> lane.next(submitter, false)).toList();
    }

    final Lane.Place place(int lane, int submitter, boolean isShared) {
        return lanes[lane].next(submitter, isShared);
    }

    // submissions

    @Override
    public final void act(int submitter, boolean watches, SplittableRandom random) {
        Target<K> target = target(submitter, random);
        Job job = new Job(audit, target.places(), random);
        if (watches && target.places().isEmpty() && random.nextInt(16) == 0) {
            audit.watch(target.key(), job);
        }
        audit.made();
        try {
            submit(submitter, target.key(), job, random);
        } catch (RejectedExecutionException | OutOfMemoryError refusal) {
            audit.refused(refusal);
        }
    }

    private void submit(int submitter, K key, Job job, SplittableRandom random) {
        switch (random.nextInt(10)) {
            case 0, 1 -> watch(submit(key, job), random);
            case 2 -> audit.watch(submitAsync(key, job));
            case 3 -> {
                try (Reservation place = reserve(key)) {
                    if (random.nextInt(4) == 0) {
                        act(submitter, false, random);
                    }
                    use(place, job, random);
                }
            }
            case 4, 5 -> watch(submitInOwnWay(key, job, random), random);
            default -> execute(key, job);
        }
    }

    private void use(Reservation place, Job job, SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> audit.givenBack();
            case 1 -> watch(place.submit(job), random);
            case 2 -> audit.watch(place.submitAsync(job));
            default -> place.execute(job);
        }
    }

    /** Cancels some; not those whose work another thread does, which nothing waits for then. */
    private void watch(CompletableFuture<?> future, SplittableRandom random) {
        if (future != null) {
            audit.watch(future);
            if (random.nextInt(20) == 0) {
                future.cancel(random.nextBoolean());
            }
        }
    }

    // live changes

    @Override
    public final void change(SplittableRandom random) {
        calm();
        decide(random);
        switch (random.nextInt(5)) {
            case 0 -> executor().control().setCapacity(100 + random.nextInt(2000));
            case 1 -> setKeyCapacity(10 + random.nextInt(500));
            case 2 -> {
                if (hasOwnThreads) {
                    executor().control().setThreads(1 + random.nextInt(4));
                }
            }
            case 3 -> {
                isPaused = true;
                executor().control().pause();
            }
            default -> {
                pausedKey = new Key(lane(random));
                pause(pausedKey);
            }
        }
    }

    @Override
    public final void calm() {
        if (isPaused) {
            isPaused = false;
            executor().control().resume();
        }
        if (pausedKey != null) {
            resume(pausedKey);
            pausedKey = null;
        }
    }

    // the end of a phase

    @Override
    public final void settle() throws InterruptedException {
        SplittableRandom random = new SplittableRandom(passing.sum());
        long deadline = System.nanoTime() + Duration.ofSeconds(Patience.SECONDS).toNanos();
        while (!executor().awaitIdle(Duration.ofMillis(20))) {
            decide(random);
            if (System.nanoTime() - deadline > 0) {
                throw Patience.hang(executor() + " is not idle: " + audit);
            }
        }
        audit.assertSettled(executor().inspect()::stats);
    }

    /** Fails if the executor knows of a key. */
    abstract void assertIsEmpty();

    @Override
    public final void assertNothingIsHeld() {
        assertIsEmpty();
        audit.assertCleared();
    }

    @Override
    public final long passingKeys() {
        return passing.sum();
    }

    @Override
    public final String toString() {
        return executor().name() + ": " + audit;
    }

    @Override
    public final void close() {
        Patience.terminate(executor());
    }
}
