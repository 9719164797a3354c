package io.orderedexecutor.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.Reservation;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.fixtures.Patience;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Striped or grouped tasks: some of a few keys that are busy, most of keys that are never used again. */
final class KeyedLoad implements Load {
    private static final int LANES = 64;

    /** What both kinds of executor have. */
    private interface Keyed {
        OrderedExecutor executor();

        void execute(Object key, Runnable task);

        CompletableFuture<?> submit(Object key, Callable<?> task);

        CompletableFuture<?> submitAsync(Object key, Supplier<CompletionStage<Object>> task);

        Reservation reserve(Object key);

        void pause(Object key);

        void resume(Object key);

        void setKeyCapacity(int capacity);
    }

    private record Stripes(StripedExecutor executor) implements Keyed {
        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(key, task);
        }

        @Override
        public CompletableFuture<?> submit(Object key, Callable<?> task) {
            return executor.submit(key, task);
        }

        @Override
        public CompletableFuture<?> submitAsync(Object key, Supplier<CompletionStage<Object>> task) {
            return executor.submitAsync(key, task);
        }

        @Override
        public Reservation reserve(Object key) {
            return executor.reserve(key, Overflow.reject());
        }

        @Override
        public void pause(Object key) {
            executor.pause(key);
        }

        @Override
        public void resume(Object key) {
            executor.resume(key);
        }

        @Override
        public void setKeyCapacity(int capacity) {
            executor.setStripeCapacity(capacity);
        }
    }

    /** Each task shares another group with all others. */
    private record Grouped(GroupedExecutor executor) implements Keyed {
        private static Groups of(Object key) {
            return Groups.exclusive(key).andShared("all");
        }

        @Override
        public void execute(Object key, Runnable task) {
            executor.execute(of(key), task);
        }

        @Override
        public CompletableFuture<?> submit(Object key, Callable<?> task) {
            return executor.submit(of(key), task);
        }

        @Override
        public CompletableFuture<?> submitAsync(Object key, Supplier<CompletionStage<Object>> task) {
            return executor.submitAsync(of(key), task);
        }

        @Override
        public Reservation reserve(Object key) {
            return executor.reserve(of(key), Overflow.reject());
        }

        @Override
        public void pause(Object key) {
            executor.pause(key);
        }

        @Override
        public void resume(Object key) {
            executor.resume(key);
        }

        @Override
        public void setKeyCapacity(int capacity) {
            executor.setGroupCapacity(capacity);
        }
    }

    private final Audit audit;
    private final Keyed keyed;
    private final boolean hasOwnThreads;
    private final Audit.Lane[] lanes;

    private KeyedLoad(Audit audit, Keyed keyed, boolean hasOwnThreads, int submitters) {
        this.audit = audit;
        this.keyed = keyed;
        this.hasOwnThreads = hasOwnThreads;
        this.lanes =
                Stream.generate(() -> new Audit.Lane(submitters)).limit(LANES).toArray(Audit.Lane[]::new);
    }

    /**
     * Makes a load of stripes.
     *
     * @param pool null for threads of the executor's own
     */
    static KeyedLoad striped(Overflow overflow, Executor pool, int submitters) {
        Audit audit = new Audit();
        StripedExecutor executor = configure(StripedExecutor.builder(), audit, overflow, pool)
                .stripeCapacity(200)
                .build();
        return new KeyedLoad(audit, new Stripes(executor), pool == null, submitters);
    }

    /** Makes a load of groups. */
    static KeyedLoad grouped(Overflow overflow, int submitters) {
        Audit audit = new Audit();
        GroupedExecutor executor = configure(GroupedExecutor.builder(), audit, overflow, null)
                .groupCapacity(1000)
                .build();
        return new KeyedLoad(audit, new Grouped(executor), true, submitters);
    }

    private static <B extends OrderedExecutorBuilder<B>> B configure(
            B builder, Audit audit, Overflow overflow, Executor pool) {
        builder.capacity(1000).overflow(overflow).listener(audit);
        return pool == null ? builder.threads(2) : builder.executor(pool);
    }

    @Override
    public void act(int submitter, SplittableRandom random) throws InterruptedException {
        boolean isOfLane = random.nextInt(3) == 0;
        int lane = random.nextInt(LANES);
        Object key = isOfLane ? (Object) lane : (Object) random.nextLong();
        Audit.Task task = audit.new Task(isOfLane ? lanes[lane] : null, submitter, random);
        audit.submitted.increment();
        try {
            CompletableFuture<?> future = submit(key, task, random);
            if (future != null && random.nextInt(20) == 0) {
                future.cancel(random.nextBoolean());
            }
        } catch (RejectedExecutionException | OutOfMemoryError refused) {
            audit.refused.increment();
        }
    }

    private CompletableFuture<?> submit(Object key, Audit.Task task, SplittableRandom random) {
        switch (random.nextInt(8)) {
            case 0 -> {
                return keyed.submit(key, task::run);
            }
            case 1 -> {
                return keyed.submitAsync(key, () -> CompletableFuture.completedFuture(task.run()));
            }
            case 2 -> {
                // holds its key until another thread completes it
                return keyed.submitAsync(key, () -> CompletableFuture.supplyAsync(task::run));
            }
            case 3 -> {
                try (Reservation place = keyed.reserve(key)) {
                    return place.submit(task::run);
                }
            }
            default -> {
                keyed.execute(key, task::run);
                return null;
            }
        }
    }

    @Override
    public void change(SplittableRandom random) {
        OrderedExecutor executor = keyed.executor();
        int lane = random.nextInt(LANES);
        switch (random.nextInt(6)) {
            case 0 -> executor.setCapacity(100 + random.nextInt(2000));
            case 1 -> keyed.setKeyCapacity(10 + random.nextInt(500));
            case 2 -> executor.setTurn(1 + random.nextInt(64), Duration.ofMillis(1));
            case 3 -> {
                if (hasOwnThreads) {
                    executor.setThreads(1 + random.nextInt(4));
                }
            }
            case 4 -> {
                executor.pause();
                executor.resume();
            }
            default -> {
                keyed.pause(lane);
                keyed.resume(lane);
            }
        }
    }

    @Override
    public void settle() throws InterruptedException {
        OrderedExecutor executor = keyed.executor();
        if (!executor.drain(Duration.ofSeconds(Patience.SECONDS))) {
            throw Patience.hang(executor + " is not idle");
        }
        audit.assertSettled();
        assertThat(executor.stats().queued()).as("queued").isZero();
    }

    @Override
    public String figures() {
        return keyed.executor().name() + ": " + audit.figures();
    }

    @Override
    public void close() {
        Patience.terminate(keyed.executor());
    }
}
