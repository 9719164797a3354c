package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one stripe one after another, in the order of their submission, and the tasks of different stripes in
 * parallel. A stripe is any object: an account number, a session, a connection. It exists while it has tasks; idle stripes
 * cost nothing, and there is nothing to register or to clean up.
 *
 * <pre>{@code
 * try (StripedExecutor executor = StripedExecutor.builder().name("orders").threads(4).build()) {
 *     executor.execute("alice", () -> book(order1));
 *     executor.execute("alice", () -> book(order2)); // after order1
 *     executor.execute("bob", () -> book(order3)); // beside them
 * }
 * }</pre>
 *
 * <h2>What it promises</h2>
 *
 * <ul>
 *   <li><b>Order.</b> If one submission happens-before another to the same stripe, the first task has ended before the second
 *       starts. Submissions that race get some order.
 *   <li><b>Exclusion.</b> Two tasks of a stripe never overlap, whatever throws, is cancelled or is rejected.
 *   <li><b>Independence.</b> Tasks of different stripes wait for nothing but a free thread, and no thread ever waits for the
 *       turn of a stripe. A stripe with much to do gives its thread back after a bounded {@linkplain StripedExecutorBuilder#turn turn} if
 *       others wait.
 *   <li><b>Failures.</b> What a task throws, an {@link Error} too, reaches its future, or the
 *       {@linkplain Thread#getUncaughtExceptionHandler() uncaught exception handler} of the thread if it has none; the
 *       stripe goes on and the thread lives on. An interrupt never reaches the next task.
 *   <li><b>Rejection.</b> A submission is refused with a {@link RejectedExecutionException} after a shutdown, or with whatever
 *       the executor {@linkplain StripedExecutorBuilder#executor underneath} throws when it refuses; the task then does not run. Tasks of
 *       other submitters that were accepted in the meantime, and tasks of a stripe whose turn has ended, are not lost by a
 *       refusal: the thread at hand goes on with them.
 *   <li><b>Memory.</b> A finished, cancelled or taken-back task is unreachable from its executor.
 * </ul>
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it submits a task <i>happen-before</i> the task's start. What a task does
 * <i>happens-before</i> the next task of its stripe starts, before its future is done, and before a successful return from
 * {@link #awaitTermination awaitTermination}.
 *
 * <h2>Stripes as keys</h2>
 *
 * <p>Stripes are the same if they are {@linkplain Object#equals equal}, or with {@link StripedExecutorBuilder#identityStripes()} if they are
 * one object. {@code equals} and {@code hashCode} are called on submitting threads, without a lock held. As in any hash table,
 * many stripes of one hash code that have tasks at the same time slow submission down.
 *
 * <p>All methods may be called from any thread, tasks of this executor included.
 */
public final class StripedExecutor implements OrderedExecutor {
    private final String name;
    private final Workers workers;
    private final boolean identityStripes;
    private final StripeTable table = new StripeTable();
    private final Lifecycle lifecycle;
    private final ExecutorService executorServiceView = new StripedExecutorService(this);

    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder rejected = new LongAdder();

    StripedExecutor(String name, boolean identityStripes, Workers workers, Runnable onTerminated) {
        this.name = name;
        this.identityStripes = identityStripes;
        this.workers = workers;
        this.lifecycle = new Lifecycle(table, onTerminated);
    }

    /**
     * Returns a builder, with a thread for each processor, stripes compared by {@code equals}, and a default name.
     *
     * @return a new builder
     */
    public static StripedExecutorBuilder builder() {
        return new StripedExecutorBuilder();
    }

    // Submission

    /**
     * Runs {@code task} after all earlier tasks of {@code stripe}. If it throws, the uncaught exception handler of its thread
     * is told.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @throws RejectedExecutionException if this executor is shut down
     * @throws RuntimeException what the executor underneath threw, if it refuses the task
     * @throws NullPointerException if an argument is null
     */
    public void execute(Object stripe, Runnable task) {
        Objects.requireNonNull(stripe, "stripe");
        place(stripe, Objects.requireNonNull(task, "task"));
    }

    /**
     * Runs {@code task} after all earlier tasks of {@code stripe}.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @param <T> the type of its result
     * @return a future of the result. Cancelling it before the task starts frees the task at once; with {@code
     *     cancel(true)} a running task is interrupted, and its stripe goes on when it has returned. Dependent actions that
     *     have no executor of their own run before the next task of the stripe
     * @throws RejectedExecutionException if this executor is shut down
     * @throws RuntimeException what the executor underneath threw, if it refuses the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Object stripe, Callable<T> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = TaskFuture.of(Objects.requireNonNull(task, "task"));
        place(stripe, future);
        return future;
    }

    /**
     * Starts an asynchronous task after all earlier tasks of {@code stripe}. The stripe is held until the stage that {@code
     * task} returns is complete; no thread is.
     *
     * @param stripe what the task belongs to
     * @param task starts the work and returns its stage, on a thread of this executor
     * @param <T> the type of its result
     * @return a future that completes as the stage does, or with what {@code task} throws, or with a {@link
     *     NullPointerException} if it returns null. When the future is done in any other way, by {@code cancel} or {@code
     *     orTimeout} for instance, the stripe goes on as well, and does not wait for the stage
     * @throws RejectedExecutionException if this executor is shut down
     * @throws RuntimeException what the executor underneath threw, if it refuses the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = TaskFuture.ofStage(Objects.requireNonNull(task, "task"));
        place(stripe, future);
        return future;
    }

    /** Accepts a task of a stripe, or throws. */
    void place(Object stripe, Runnable task) {
        place(stripe, hashOf(stripe), task);
    }

    private void place(Object stripe, int hash, Runnable task) {
        requireRunning();
        Stripe opened = table.segmentFor(hash).place(this, stripe, hash, task);
        if (opened != null) {
            opened.handOver();
        }
    }

    /** Accepts a task that has no stripe, or throws. */
    void placeAlone(Runnable task) {
        requireRunning();
        int hash = ThreadLocalRandom.current().nextInt();
        Stripe opened = table.segmentFor(hash).placeAlone(this, hash, task);
        opened.handOver();
    }

    private void requireRunning() {
        if (lifecycle.isShutdown()) {
            throw rejectedByShutdown();
        }
    }

    RejectedExecutionException rejectedByShutdown() {
        onRejected();
        return new RejectedExecutionException("striped executor '" + name + "' is shut down and accepts no more tasks");
    }

    // Views

    /**
     * Returns an executor for one stripe: what it executes runs in the stripe's order, together with what is submitted here.
     * It is cheap, holds nothing but the stripe and this executor, and can be kept in a connection or session.
     *
     * @param stripe what the tasks belong to
     * @return an executor that behaves as {@link #execute execute(stripe, task)}
     * @throws NullPointerException if {@code stripe} is null
     */
    public Executor executorFor(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        return new OneStripe(this, stripe, hashOf(stripe));
    }

    /**
     * Returns this executor as an {@link ExecutorService}. Tasks that are {@link StripedObject}s run in the order of their
     * stripe, together with what is submitted here; all others, and those whose {@link StripedObject#getStripe()} is null, are
     * in no order. The stripe is read from the very object that is submitted: a wrapper of the caller's, as {@link
     * java.util.concurrent.ExecutorCompletionService} makes, hides it. The view shares the lifecycle of this executor:
     * closing the one closes the other.
     *
     * <p>Code that was written for a classic striped executor service needs to change its constructor call only. One difference
     * to know: stripes are compared by {@code equals} unless this executor was built with {@link
     * StripedExecutorBuilder#identityStripes()}.
     *
     * @return always the same view
     */
    public ExecutorService asExecutorService() {
        return executorServiceView;
    }

    /** An executor for one stripe. */
    private record OneStripe(StripedExecutor striped, Object stripe, int hash) implements Executor {
        @Override
        public void execute(Runnable task) {
            striped.place(stripe, hash, Objects.requireNonNull(task, "task"));
        }

        @Override
        public String toString() {
            return striped.name + "[" + stripe + "]";
        }
    }

    // Stripes as keys: the application's code is called here, and never under a lock

    private int hashOf(Object stripe) {
        return StripeTable.spread(identityStripes ? System.identityHashCode(stripe) : stripe.hashCode());
    }

    boolean isSameStripe(Object submitted, Object open) {
        return submitted == open || (!identityStripes && open != Stripe.NONE && submitted.equals(open));
    }

    // Observation

    @Override
    public String name() {
        return name;
    }

    @Override
    public StripedExecutorStats stats() {
        var live = new Object() {
            long queued;
            long active;
        };
        table.forEach(stripe -> {
            live.queued += stripe.queued();
            live.active += stripe.isActive() ? 1 : 0;
        });
        return new StripedExecutorStats(
                table.size(), live.queued, live.active, completed.sum(), failed.sum(), cancelled.sum(), rejected.sum());
    }

    /**
     * Returns the stripes with the most queued tasks. The cost is in proportion to the number of stripes that have tasks; no
     * submitter and no worker is held up.
     *
     * @param limit how many stripes to return at most
     * @return the deepest stripes, deepest first; tasks without a stripe are not among them
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<StripeSnapshot> deepestStripes(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit is " + limit + ", but a number of stripes cannot be negative");
        }
        Comparator<StripeSnapshot> byDepth = Comparator.comparingLong(StripeSnapshot::queued);
        PriorityQueue<StripeSnapshot> deepest = new PriorityQueue<>(byDepth);
        table.forEach(stripe -> {
            if (stripe.key != Stripe.NONE) {
                deepest.add(stripe.snapshot());
                if (deepest.size() > limit) {
                    deepest.remove();
                }
            }
        });
        List<StripeSnapshot> snapshots = new ArrayList<>(deepest);
        snapshots.sort(byDepth.reversed());
        return List.copyOf(snapshots);
    }

    /**
     * Looks at one stripe.
     *
     * @param stripe the stripe
     * @return what it looks like, or empty if it has no tasks
     * @throws NullPointerException if {@code stripe} is null
     */
    public Optional<StripeSnapshot> snapshot(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        int hash = hashOf(stripe);
        Stripe found = table.segmentFor(hash).find(this, stripe, hash);
        return Optional.ofNullable(found).map(Stripe::snapshot);
    }

    /** Returns the name and the figures, for people. */
    @Override
    public String toString() {
        return name + " " + stats() + (isTerminated() ? " terminated" : isShutdown() ? " shut down" : " running");
    }

    // Lifecycle

    @Override
    public void shutdown() {
        lifecycle.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return lifecycle.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return lifecycle.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return lifecycle.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return lifecycle.awaitTermination(timeout, unit);
    }

    @Override
    public void close() {
        lifecycle.close();
    }

    // What stripes report

    Workers workers() {
        return workers;
    }

    boolean isStopping() {
        return lifecycle.isStopping();
    }

    void onTaskEnd(TaskEnd end) {
        LongAdder counter = switch (end) {
            case COMPLETED -> completed;
            case FAILED -> failed;
            case CANCELLED -> cancelled;
        };
        counter.increment();
    }

    void onRejected() {
        rejected.increment();
    }

    void onEnd(Stripe stripe) {
        if (table.segmentFor(stripe.hash).remove(stripe)) {
            lifecycle.onSegmentEmpty();
        }
    }
}
