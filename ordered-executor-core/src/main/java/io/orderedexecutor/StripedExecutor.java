package io.orderedexecutor;

import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one stripe one after another, in the order of their submission, and the tasks of different stripes
 * in parallel. A stripe is any object: an account number, a session, a connection. It exists while it has tasks; idle
 * stripes cost nothing, and there is nothing to register or to clean up.
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
 *   <li><b>Order.</b> If one submission happens-before another to the same stripe, the first task has ended before the
 *       second starts. Submissions that race get some order.
 *   <li><b>Exclusion.</b> Two tasks of a stripe never overlap, whatever throws, is cancelled or is rejected.
 *   <li><b>Independence.</b> Tasks of different stripes wait for nothing but a free thread, and no thread ever waits
 *       for the turn of a stripe. A stripe with much to do gives its thread back after a bounded
 *       {@linkplain StripedExecutorBuilder#turn turn} if others wait.
 *   <li><b>Failures.</b> What a task throws, an {@link Error} too, reaches its future, or the
 *       {@linkplain Thread#getUncaughtExceptionHandler() uncaught exception handler} of the thread if it has none; the
 *       stripe goes on and the thread lives on. An interrupt never reaches the next task.
 *   <li><b>Rejection.</b> A submission is refused with a {@link RejectedExecutionException} after a shutdown, or with
 *       whatever the executor {@linkplain StripedExecutorBuilder#executor underneath} throws when it refuses; the task
 *       then does not run. Tasks of other submitters that were accepted in the meantime, and tasks of a stripe whose
 *       turn has ended, are not lost by a refusal: the thread at hand goes on with them.
 *   <li><b>Memory.</b> A finished, cancelled or taken-back task is unreachable from its executor.
 * </ul>
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it submits a task <i>happen-before</i> the task's start. What a task does
 * <i>happens-before</i> the next task of its stripe starts, before its future is done, and before a successful return
 * from {@link #awaitTermination awaitTermination}.
 *
 * <h2>Stripes as keys</h2>
 *
 * <p>Stripes are the same if they are {@linkplain Object#equals equal}, or with
 * {@link StripedExecutorBuilder#identityStripes()} if they are one object. {@code equals} and {@code hashCode} are
 * called on submitting threads, without a lock held. As in any hash table, many stripes of one hash code that have
 * tasks at the same time slow submission down.
 *
 * <p>All methods may be called from any thread, tasks of this executor included.
 */
public final class StripedExecutor extends AbstractOrderedExecutor {
    private final StripedEngine engine;
    private final ExecutorService executorServiceView;

    StripedExecutor(StripedEngine engine) {
        super(engine);
        this.engine = engine;
        this.executorServiceView = new StripedExecutorService(this, engine);
    }

    /** What keeps the contract; its parts can be looked at by tests. */
    StripedEngine engine() {
        return engine;
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
     * Runs {@code task} after all earlier tasks of {@code stripe}. If it throws, the uncaught exception handler of its
     * thread is told.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @throws RejectedExecutionException if this executor is shut down
     * @throws RuntimeException what the executor underneath threw, if it refuses the task
     * @throws NullPointerException if an argument is null
     */
    public void execute(Object stripe, Runnable task) {
        Objects.requireNonNull(stripe, "stripe");
        engine.place(stripe, Objects.requireNonNull(task, "task"));
    }

    /**
     * Runs {@code task} after all earlier tasks of {@code stripe}.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @param <T> the type of its result
     * @return a future of the result. Cancelling it before the task starts frees the task at once; with
     *     {@code cancel(true)} a running task is interrupted, and its stripe goes on when it has returned. Dependent
     *     actions that have no executor of their own run before the next task of the stripe
     * @throws RejectedExecutionException if this executor is shut down
     * @throws RuntimeException what the executor underneath threw, if it refuses the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Object stripe, Callable<T> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = TaskFuture.of(Objects.requireNonNull(task, "task"));
        engine.place(stripe, future);
        return future;
    }

    /**
     * Starts an asynchronous task after all earlier tasks of {@code stripe}. The stripe is held until the stage that
     * {@code task} returns is complete; no thread is.
     *
     * @param stripe what the task belongs to
     * @param task starts the work and returns its stage, on a thread of this executor
     * @param <T> the type of its result
     * @return a future that completes as the stage does, or with what {@code task} throws, or with a
     *     {@link NullPointerException} if it returns null. When the future is done in any other way, by {@code cancel}
     *     or {@code orTimeout} for instance, the stripe goes on as well, and does not wait for the stage. Dependent
     *     actions that have no executor of their own run before the next task of the stripe
     * @throws RejectedExecutionException if this executor is shut down
     * @throws RuntimeException what the executor underneath threw, if it refuses the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new StageFuture<>(Objects.requireNonNull(task, "task"));
        engine.place(stripe, future);
        return future;
    }

    // Views

    /**
     * Returns an executor for one stripe: what it executes runs in the stripe's order, together with what is submitted
     * here. It is cheap, holds nothing but the stripe, its hash code of now and this executor, and can be kept in a
     * connection or session.
     *
     * @param stripe what the tasks belong to
     * @return an executor that behaves as {@link #execute execute(stripe, task)}
     * @throws NullPointerException if {@code stripe} is null
     */
    public Executor executorFor(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        return engine.executorFor(stripe);
    }

    /**
     * Returns this executor as an {@link ExecutorService}. Tasks that are {@link StripedObject}s run in the order of
     * their stripe, together with what is submitted here; all others, and those whose {@link StripedObject#getStripe()}
     * is null, are in no order. The stripe is read from the very object that is submitted: a wrapper of the caller's,
     * as {@link java.util.concurrent.ExecutorCompletionService} makes, hides it. The view shares the lifecycle of this
     * executor: closing the one closes the other.
     *
     * <p>Code that was written for a classic striped executor service needs to change its constructor call only. One
     * difference to know: stripes are compared by {@code equals} unless this executor was built with
     * {@link StripedExecutorBuilder#identityStripes()}.
     *
     * @return always the same view
     */
    public ExecutorService asExecutorService() {
        return executorServiceView;
    }

    // Live control

    /**
     * Starts no more tasks of one stripe until {@link #resume(Object)} or a shutdown. What runs goes on to its end. A
     * paused stripe is kept even while it has no tasks. Has no effect after a shutdown.
     *
     * @param stripe the stripe
     * @throws NullPointerException if {@code stripe} is null
     */
    public void pause(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        engine.pause(stripe);
    }

    /**
     * Tells whether a stripe is paused, by itself and not with the executor.
     *
     * @param stripe the stripe
     * @return true from {@link #pause(Object)} to {@link #resume(Object)} or a shutdown
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean isPaused(Object stripe) {
        Stripe found = engine.find(Objects.requireNonNull(stripe, "stripe"));
        return found != null && found.isPausedItself();
    }

    /**
     * Lets a stripe go on that is paused or parked. The task that parked it runs again.
     *
     * @param stripe the stripe
     * @return false if it was neither paused nor parked
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean resume(Object stripe) {
        Stripe found = engine.find(stripe);
        if (found == null) {
            return false;
        }
        boolean wasPaused = found.resume();
        return found.unpark(true) || wasPaused;
    }

    /**
     * Lets a parked stripe go on behind the task that parked it, which has now failed for good.
     *
     * @param stripe the stripe
     * @return false if it was not parked
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean skip(Object stripe) {
        Stripe found = engine.find(stripe);
        return found != null && found.unpark(false);
    }

    /**
     * Changes how many tasks may be queued in each stripe. If more are, they stay.
     *
     * @param stripeCapacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code stripeCapacity} is out of range
     * @throws IllegalStateException if this executor was built without any capacity
     */
    public void setStripeCapacity(int stripeCapacity) {
        engine.requireBounds("stripeCapacity").setKeyCapacity(Settings.checked("stripeCapacity", stripeCapacity));
    }

    /**
     * Waits until one stripe has no tasks, those included that come meanwhile. Otherwise as {@link #drain}.
     *
     * @param stripe the stripe
     * @param limit how long to wait at most
     * @return false if it still had tasks when the time was over
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    public boolean awaitIdle(Object stripe, Duration limit) throws InterruptedException {
        Objects.requireNonNull(stripe, "stripe");
        return engine.awaitIdle(() -> engine.find(stripe) == null, limit);
    }

    // Observation

    @Override
    public StripedExecutorStats stats() {
        return engine.stats();
    }

    /**
     * Returns the stripes with the most queued tasks. The cost is in proportion to the number of stripes that have
     * tasks; no submitter and no worker is held up.
     *
     * @param limit how many stripes to return at most
     * @return the deepest stripes, deepest first; tasks without a stripe are not among them
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<StripeSnapshot> deepestStripes(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit is " + limit + ", but a number of stripes cannot be negative");
        }
        return engine.deepestStripes(limit);
    }

    /**
     * Returns the stripes that stopped after a failure.
     *
     * @return the parked stripes, in no order
     */
    public List<ParkedStripe> parkedStripes() {
        return engine.parkedStripes();
    }

    /**
     * Looks at one stripe.
     *
     * @param stripe the stripe
     * @return what it looks like, or empty if it has no tasks
     * @throws NullPointerException if {@code stripe} is null
     */
    public Optional<StripeSnapshot> snapshot(Object stripe) {
        return Optional.ofNullable(engine.find(stripe)).map(Stripe::snapshot);
    }
}
