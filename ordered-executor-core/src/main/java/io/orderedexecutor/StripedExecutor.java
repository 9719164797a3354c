package io.orderedexecutor;

import io.orderedexecutor.engine.place.KeyedEngine;
import io.orderedexecutor.engine.place.Settings;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.ParkedStripe;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
import io.orderedexecutor.stats.StripeSnapshot;
import io.orderedexecutor.stats.StripedExecutorStats;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tasks of one stripe one after another, in the order of their submission, and the tasks of different stripes
 * in parallel. A stripe is any object: an account number, a session, a connection. Stripes are neither registered nor
 * removed: a stripe exists while it has tasks, and an idle one costs nothing.
 *
 * <pre>{@code
 * try (StripedExecutor executor = StripedExecutor.builder().name("orders").threads(4).build()) {
 *     executor.execute("alice", () -> book(order1));
 *     executor.execute("alice", () -> book(order2)); // after order1
 *     executor.execute("bob", () -> book(order3)); // concurrently
 * }
 * }</pre>
 *
 * <h2>What it promises</h2>
 *
 * <ul>
 *   <li><b>Order.</b> If one submission happens-before another to the same stripe, the first task has ended, and its
 *       future is complete, before the second starts. Concurrent submissions get some order.
 *   <li><b>Exclusion.</b> Two tasks of a stripe never overlap, whatever throws, is cancelled or is rejected.
 *   <li><b>Independence.</b> A task waits only for earlier tasks of its stripe and for a free thread, and no thread
 *       ever waits for the turn of a stripe. A busy stripe gives its thread back after a bounded
 *       {@linkplain StripedExecutorBuilder#turn turn} if others are waiting.
 *   <li><b>Failures.</b> What a task throws, including an {@link Error}, reaches its future or, if it has none, the
 *       {@linkplain Thread#getUncaughtExceptionHandler() uncaught exception handler} of the thread. The stripe
 *       continues and the thread survives. An interrupt of one task never reaches the next.
 *   <li><b>Rejection.</b> After a shutdown, a submission is rejected with a {@link RejectedExecutionException}. If the
 *       executor {@linkplain StripedExecutorBuilder#executor underneath} rejects, the submitter gets what that executor
 *       throws. A rejected task does not run. A rejection loses no accepted task: the current thread continues with the
 *       tasks that other submitters added in the meantime, or that are left after a turn.
 *   <li><b>Memory.</b> A finished, cancelled or removed task is unreachable from its executor. The executor itself
 *       takes about 2 KB, and about 36 KB when many stripes use it: create one for many stripes.
 * </ul>
 *
 * <h2>What follows a task</h2>
 *
 * <p>Dependent actions of a future, such as {@code thenApply} and {@code whenComplete}, run where
 * {@link CompletableFuture} runs them, perhaps beside the next task of the stripe. To order what follows a task, do it
 * in the task, or submit it to the stripe:
 *
 * <pre>{@code
 * executor.submit("alice", () -> confirm(book(order))); // confirm before the next task of alice
 * executor.submit("alice", () -> book(order)) // confirm after all that alice has by then
 *         .thenAccept(receipt -> executor.execute("alice", () -> confirm(receipt)));
 * }</pre>
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it submits a task <i>happen-before</i> the task's start. What a task does
 * <i>happens-before</i> the next task of its stripe starts, before its future is done, and before a successful return
 * from {@link #awaitTermination awaitTermination}.
 *
 * <h2>Stripes as keys</h2>
 *
 * <p>Stripes are compared by {@link Object#equals equals}, or by identity with
 * {@link StripedExecutorBuilder#identityStripes()}. {@code equals} and {@code hashCode} are called on submitting
 * threads, without a lock held. As in any hash table, many stripes with the same hash code that have tasks at the same
 * time slow submissions down.
 *
 * <p>All methods may be called from any thread, tasks of this executor included.
 */
public final class StripedExecutor implements OrderedExecutor {
    private final KeyedEngine engine;
    private final ExecutorService executorServiceView;

    StripedExecutor(KeyedEngine engine) {
        this.engine = engine;
        this.executorServiceView = new ExecutorServiceView(this, engine.platform(), new Placing(engine));
    }

    /**
     * Returns a builder, with a thread for each processor, stripes compared by {@code equals}, and a default name.
     *
     * @return a new builder
     */
    public static StripedExecutorBuilder builder() {
        return new StripedExecutorBuilder();
    }

    @Override
    public String name() {
        return engine.service().name();
    }

    /** Returns the name and the statistics, as a text for people to read. */
    @Override
    public String toString() {
        return name() + " " + stats() + (isTerminated() ? " terminated" : isShutdown() ? " shut down" : " running");
    }

    /** What keeps the contract; its parts can be looked at by tests. */
    KeyedEngine engine() {
        return engine;
    }

    // Submission

    /**
     * Runs {@code task} after all earlier tasks of {@code stripe}. What it throws goes to the uncaught exception
     * handler of its thread.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public void execute(Object stripe, Runnable task) {
        Objects.requireNonNull(stripe, "stripe");
        accept(stripe, TaskFuture.asPlain(Objects.requireNonNull(task, "task")), null);
    }

    private void accept(Object stripe, Runnable task, @Nullable Overflow overflow) {
        engine.submit(stripe, task, overflow);
    }

    /**
     * Runs {@code task} after all earlier tasks of {@code stripe}.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @param <T> the type of its result
     * @return a future of the result, which is complete before the next task of the stripe starts. Cancelling it before
     *     the task starts removes the task at once. {@code cancel(true)} interrupts a running task, and its stripe
     *     continues when the task has returned. Dependent actions may run beside the next task of the stripe
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Object stripe, Callable<T> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new TaskFuture.Call<>(Objects.requireNonNull(task, "task"));
        accept(stripe, future, null);
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
     *     {@link NullPointerException} if it returns null. If the future is completed in any other way, for example by
     *     {@code cancel} or {@code orTimeout}, the stripe continues without waiting for the stage. The future is
     *     complete before the next task of the stripe starts; dependent actions may run beside that task
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new TaskFuture.Stage<>(Objects.requireNonNull(task, "task"));
        accept(stripe, future, null);
        return future;
    }

    /**
     * As {@link #submitAsync(Object, Supplier)}, with an overflow of its own: for a caller that must not wait, such as
     * an event loop or a transaction that is being completed, where this executor lets others wait.
     *
     * @param stripe what the task belongs to
     * @param task starts the work and returns its stage, on a thread of this executor
     * @param overflow what happens if there is no room for this task, in place of the overflow of this executor
     * @param <T> the type of its result
     * @return a future of the result
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task, Overflow overflow) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new TaskFuture.Stage<>(Objects.requireNonNull(task, "task"));
        accept(stripe, future, Objects.requireNonNull(overflow, "overflow"));
        return future;
    }

    /**
     * Reserves a place in {@code stripe} for a task that comes later. It will run as if it had been submitted now:
     * after all earlier tasks of the stripe, and before all later ones, which wait for it until the place is used or
     * given back.
     *
     * @param stripe what the task will belong to
     * @return the place, to be used once or closed
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the place
     * @throws NullPointerException if {@code stripe} is null
     */
    public Reservation reserve(Object stripe) {
        return engine.reserve(Objects.requireNonNull(stripe, "stripe"), null);
    }

    /**
     * As {@link #reserve(Object)}, with an overflow of its own: for a caller that must not wait, such as a transaction,
     * where this executor lets others wait.
     *
     * @param stripe what the task will belong to
     * @param overflow what happens if there is no room, in place of the overflow of this executor
     * @return the place, to be used once or closed
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the place
     * @throws NullPointerException if an argument is null
     */
    public Reservation reserve(Object stripe, Overflow overflow) {
        return engine.reserve(Objects.requireNonNull(stripe, "stripe"), Objects.requireNonNull(overflow, "overflow"));
    }

    /**
     * As {@link #execute(Object, Runnable)}, but if the stripe is busy, does what {@code whenBusy} says.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @param whenBusy what to do if the stripe is busy
     */
    public void execute(Object stripe, Runnable task, WhenBusy whenBusy) {
        Objects.requireNonNull(stripe, "stripe");
        Objects.requireNonNull(task, "task");
        Runnable plain = TaskFuture.asPlain(task);
        boolean hasSlot = KeyedEngine.hasSlot(Objects.requireNonNull(whenBusy, "whenBusy"));
        engine.submit(stripe, hasSlot ? TaskFuture.Run.executed(plain) : plain, whenBusy, null);
    }

    /**
     * As {@link #submit(Object, Callable)}, but if the stripe is busy, does what {@code whenBusy} says.
     *
     * @param stripe what the task belongs to
     * @param task the task
     * @param whenBusy what to do if the stripe is busy
     * @param <T> the type of its result
     * @return as {@link #submit(Object, Callable)}; cancelled if a later submission replaces or interrupts this one,
     *     failed with a {@link TaskSkippedException} if the task is skipped
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(
            Object stripe, Callable<T> task, WhenBusy whenBusy) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new TaskFuture.Call<>(Objects.requireNonNull(task, "task"));
        return submit(stripe, future, whenBusy, null);
    }

    /**
     * As {@link #submitAsync(Object, Supplier)}, but if the stripe is busy, does what {@code whenBusy} says.
     *
     * @param stripe what the task belongs to
     * @param task starts the work and returns its stage, on a thread of this executor
     * @param whenBusy what to do if the stripe is busy
     * @param <T> the type of its result
     * @return as {@link #submit(Object, Callable, WhenBusy)}; an interrupt cancels the stage and waits for it
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task, WhenBusy whenBusy) {
        return submitAsync(stripe, task, whenBusy, null);
    }

    /**
     * As {@link #submitAsync(Object, Supplier, WhenBusy)}, with an overflow of its own.
     *
     * @param stripe what the task belongs to
     * @param task starts the work and returns its stage, on a thread of this executor
     * @param whenBusy what to do if the stripe is busy
     * @param overflow what happens if there is no room for this task; null for the overflow of this executor
     * @param <T> the type of its result
     * @return as {@link #submitAsync(Object, Supplier, WhenBusy)}
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe,
            Supplier<? extends CompletionStage<T>> task,
            WhenBusy whenBusy,
            @Nullable Overflow overflow) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new TaskFuture.SupersedableStage<>(Objects.requireNonNull(task, "task"));
        return submit(stripe, future, whenBusy, overflow);
    }

    private <T extends @Nullable Object> CompletableFuture<T> submit(
            Object stripe, TaskFuture<T> future, WhenBusy whenBusy, @Nullable Overflow overflow) {
        return engine.submit(stripe, future, Objects.requireNonNull(whenBusy, "whenBusy"), overflow)
                ? future
                : new SkippedFuture<>(new TaskSkippedException("this task was not accepted: stripe "
                        + Reports.toString(stripe) + " of executor " + name()
                        + " is busy, and the task was submitted with WhenBusy.skip()"));
    }

    /** The future of a task that was skipped. Newer JDKs would throw an exception around the one that says so. */
    private static final class SkippedFuture<T extends @Nullable Object> extends CompletableFuture<T> {
        private final TaskSkippedException skipped;

        SkippedFuture(TaskSkippedException skipped) {
            this.skipped = skipped;
            completeExceptionally(skipped);
        }

        @Override
        public T get() {
            throw skipped;
        }

        @Override
        public T get(long timeout, TimeUnit unit) {
            throw skipped;
        }

        @Override
        public T join() {
            throw skipped;
        }

        @Override
        public T getNow(T valueIfAbsent) {
            throw skipped;
        }
    }

    // Batches

    /**
     * Prepares to collect items: those that wait for the same stripe are handed to {@code handler} as one list. For
     * work that costs nearly the same for many items as for one: a round trip, a transaction, a flush.
     *
     * @param handler runs a batch, given its stripe and its items in the order of their submission
     * @param <K> the type of the stripes
     * @param <T> the type of the items
     * @return a builder for the {@link Batcher}
     * @throws NullPointerException if {@code handler} is null
     */
    public <K, T> BatcherBuilder<K, T> batchTo(BiConsumer<? super K, ? super List<T>> handler) {
        return new BatcherBuilder<>(engine, Objects.requireNonNull(handler, "handler"), null);
    }

    /**
     * As {@link #batchTo}, for a handler that starts some work. The stripe is held until the stage that it returns is
     * complete; no thread is.
     *
     * @param handler starts the work of a batch, given its stripe and its items, and returns its stage
     * @param <K> the type of the stripes
     * @param <T> the type of the items
     * @return a builder for the {@link Batcher}
     * @throws NullPointerException if {@code handler} is null
     */
    public <K, T> BatcherBuilder<K, T> batchToAsync(
            BiFunction<? super K, ? super List<T>, ? extends CompletionStage<?>> handler) {
        return new BatcherBuilder<>(engine, null, Objects.requireNonNull(handler, "handler"));
    }

    // Views

    /**
     * Returns an executor for one stripe: its tasks run in the order of the stripe, together with those submitted here.
     * It is cheap and can be kept in a connection or session: it holds only the stripe, the hash code that the stripe
     * has now, and this executor.
     *
     * @param stripe what the tasks belong to
     * @return an executor that behaves as {@link #execute execute(stripe, task)}
     * @throws NullPointerException if {@code stripe} is null
     */
    public Executor executorFor(Object stripe) {
        return executorFor(stripe, WhenBusy.queue());
    }

    /**
     * As {@link #executorFor(Object)}, but if the stripe is busy, each task does what {@code whenBusy} says.
     *
     * @param stripe what the tasks belong to
     * @param whenBusy what to do if the stripe is busy
     * @return an executor that behaves as {@link #execute(Object, Runnable, WhenBusy) execute(stripe, task, whenBusy)}
     */
    public Executor executorFor(Object stripe, WhenBusy whenBusy) {
        Objects.requireNonNull(stripe, "stripe");
        Objects.requireNonNull(whenBusy, "whenBusy");
        return new Executor() {
            @Override
            public void execute(Runnable task) {
                StripedExecutor.this.execute(stripe, task, whenBusy);
            }

            @Override
            public String toString() {
                return name() + "[" + stripe + "]";
            }
        };
    }

    /**
     * Returns this executor as an {@link ExecutorService}. Tasks that are {@link StripedObject}s run in the order of
     * their stripe, together with what is submitted here; all others, and those whose {@link StripedObject#getStripe()}
     * is null, are in no order. The stripe is read from the very object that is submitted, or that is submitted to an
     * {@link java.util.concurrent.ExecutorCompletionService} over this view; a wrapper of the caller's hides it. The
     * view shares the lifecycle of this executor: closing the one closes the other.
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
     * Starts no more tasks of one stripe until {@code resume(stripe)} or a shutdown. A running task continues to its
     * end. A paused stripe takes memory even while it has no tasks. Has no effect after a shutdown.
     *
     * @param stripe the stripe
     * @throws NullPointerException if {@code stripe} is null
     */
    public void pause(Object stripe) {
        Objects.requireNonNull(stripe, "stripe");
        engine.pause(stripe);
    }

    /**
     * Tells whether {@code pause(stripe)} has paused this stripe. Pausing the whole executor does not count.
     *
     * @param stripe the stripe
     * @return true from {@code pause(stripe)} to {@code resume(stripe)} or a shutdown
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean isPaused(Object stripe) {
        return engine.isPaused(Objects.requireNonNull(stripe, "stripe"));
    }

    /**
     * Resumes a stripe that is paused or parked. The task that parked it runs again.
     *
     * @param stripe the stripe
     * @return false if it was neither paused nor parked
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean resume(Object stripe) {
        return engine.resume(Objects.requireNonNull(stripe, "stripe"));
    }

    /**
     * Resumes a parked stripe with the task after the one that parked it. The skipped task has failed for good.
     *
     * @param stripe the stripe
     * @return false if it was not parked
     * @throws NullPointerException if {@code stripe} is null
     */
    public boolean skip(Object stripe) {
        return engine.unpark(Objects.requireNonNull(stripe, "stripe"), false);
    }

    /**
     * Changes how many tasks may be queued in each stripe. Tasks beyond a lower capacity stay queued.
     *
     * @param stripeCapacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code stripeCapacity} is out of range
     * @throws IllegalStateException if this executor was built without any capacity
     */
    public void setStripeCapacity(int stripeCapacity) {
        engine.setKeyCapacity(Settings.checked("stripeCapacity", stripeCapacity));
    }

    /**
     * Waits until one stripe has no tasks, including those submitted in the meantime; see {@link #drain}.
     *
     * @param stripe the stripe
     * @param limit how long to wait at most
     * @return true if it had no tasks, false if the time elapsed first
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    public boolean awaitIdle(Object stripe, Duration limit) throws InterruptedException {
        Objects.requireNonNull(stripe, "stripe");
        return engine.awaitIdle(stripe, limit);
    }

    // Observation

    @Override
    public StripedExecutorStats stats() {
        return engine.stripedStats();
    }

    /**
     * Returns how many places are reserved, and neither used nor given back. They are among the queued tasks.
     *
     * @return the number of open reservations
     */
    public long reserved() {
        return engine.reserved();
    }

    /**
     * Returns for how long the oldest place that is reserved, and neither used nor given back, has been reserved.
     *
     * @return its age; zero if no place is reserved
     */
    public Duration oldestReservedAge() {
        return engine.oldestReservedAge();
    }

    /**
     * Returns what submissions have done to others because their stripe was busy; see {@link WhenBusy}.
     *
     * @return how many tasks were replaced, interrupted and skipped, and how many items ran in how many batches
     */
    public WhenBusyStats whenBusyStats() {
        return engine.whenBusyStats();
    }

    /**
     * Returns the stripes with the most queued tasks. The cost is proportional to the number of stripes that have
     * tasks. The call blocks neither submitters nor workers.
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
     * @return the parked stripes, in no particular order
     */
    public List<ParkedStripe> parkedStripes() {
        return engine.parkedStripes();
    }

    /**
     * Returns the current state of one stripe.
     *
     * @param stripe the stripe
     * @return its state, or empty if it has no tasks and is not paused
     * @throws NullPointerException if {@code stripe} is null
     */
    public Optional<StripeSnapshot> snapshot(Object stripe) {
        return Optional.ofNullable(engine.stripe(Objects.requireNonNull(stripe, "stripe")));
    }

    @Override
    public OrderedExecutorSettings settings() {
        return engine.service()
                .settings(
                        engine.service().keyCapacity(),
                        engine.settings().overflow(),
                        engine.settings().reservationLease());
    }

    @Override
    public List<RunningTask> runningTasks() {
        return engine.service().runningTasks();
    }

    @Override
    public Explanation explain(Object key, boolean stacks) {
        return engine.explain(Objects.requireNonNull(key, "key"), stacks);
    }

    @Override
    public Explanation explainTask(Future<?> future, boolean stacks) {
        Explanation explanation = Reasons.ofTask(future, stacks);
        return explanation == null ? engine.idle() : explanation;
    }

    @Override
    public List<Explanation> explainStuck(Duration atLeast) {
        return engine.service().explainStuck(atLeast);
    }

    @Override
    public Optional<Duration> oldestQueuedAge() {
        return engine.service().oldestQueuedAge();
    }

    @Override
    public Rejections rejections() {
        return engine.service().rejections();
    }

    // Live control of all stripes

    @Override
    public void pause() {
        engine.service().pause();
    }

    @Override
    public void resume() {
        engine.service().resume();
    }

    @Override
    public boolean isPaused() {
        return engine.service().isPaused();
    }

    @Override
    public void setThreads(int threads) {
        engine.service().workers().setThreads(Settings.checkedThreads(threads));
    }

    @Override
    public void setTurn(int tasks, Duration time) {
        engine.service().workers().setTurn(Turn.of(tasks, time));
    }

    @Override
    public void setCapacity(int capacity) {
        engine.service().setCapacity(Settings.checked("capacity", capacity));
    }

    @Override
    public boolean drain(Duration limit) throws InterruptedException {
        return engine.service().drain(limit);
    }

    // Lifecycle

    @Override
    public void shutdown() {
        engine.service().shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return engine.service().shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return engine.service().isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return engine.service().isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return engine.service().awaitTermination(timeout, unit);
    }

    @Override
    public void close() {
        engine.service().closeAndWait();
    }

    private record Placing(KeyedEngine engine) implements ExecutorServiceView.Placing {
        @Override
        public void place(Object submitted, Runnable task) {
            engine.submitObject(submitted, task);
        }

        @Override
        public <T extends @Nullable Object> RunnableFuture<T> call(Callable<T> task) {
            return new TaskFuture.Call<>(task);
        }

        @Override
        public <T extends @Nullable Object> RunnableFuture<T> run(Runnable task, T value) {
            return new TaskFuture.Run<>(task, value);
        }

        @Override
        public Runnable asPlain(Runnable task) {
            return TaskFuture.asPlain(task);
        }

        @Override
        public @Nullable Object workOf(Runnable task) {
            return task instanceof TaskFuture<?> future ? future.work() : null;
        }
    }
}
