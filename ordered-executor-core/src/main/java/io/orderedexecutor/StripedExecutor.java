package io.orderedexecutor;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.task.TaskFuture;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
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
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li><b>Order.</b> If one submission happens-before another to the same stripe, the first task has ended, and its
 *       future is complete, before the second starts. Concurrent submissions get some order.
 *   <li><b>Exclusion.</b> Two tasks of a stripe never overlap, whatever throws, is cancelled or is rejected. An
 *       asynchronous task ends with its future: if that is cancelled or times out, or {@code shutdownNow} is called,
 *       the work behind its stage may go on, beside the next task or after the termination.
 *   <li><b>Independence.</b> A task waits only for earlier tasks of its stripe and for a free thread, and no thread
 *       ever waits for the turn of a stripe. A busy stripe gives its thread back after a bounded
 *       {@linkplain StripedExecutorBuilder#turn turn} if others are waiting.
 *   <li><b>Failures.</b> An exception or {@link Error} of a task goes to its future or, if it has none, to the
 *       {@linkplain Thread#getUncaughtExceptionHandler() uncaught exception handler} of the thread. The stripe
 *       continues, unless a {@linkplain StripedExecutorBuilder#failurePolicy failure policy} retries the task or parks
 *       the stripe; the thread survives. An interrupt of one task never reaches the next.
 *   <li><b>Rejection.</b> A submission is rejected with a {@link RejectedExecutionException} if the executor is shut
 *       down, if the executor or the stripe has no room, or if the submitter is interrupted while it waits for room.
 *       The message names the reason. Code can ask {@link #isShutdown()}, and an interrupt is the cause of the
 *       exception; a full executor and a full stripe differ only in the message. If the
 *       {@linkplain StripedExecutorBuilder#executor underlying executor} rejects a task whose stripe is idle, the
 *       submitter gets the exception of that executor, unless another thread is just using the same part of the table
 *       of stripes: then this executor accepts the task. A rejected task does not run. An accepted task is not lost if
 *       the underlying executor rejects it later, for example at the end of a turn: such a task runs on a thread that
 *       already serves this executor, or on its <i>helper</i>. The helper is a thread that offers these tasks again,
 *       and runs tasks that the underlying executor has rejected for one second; the helper ends one second after its
 *       last task. If the underlying executor runs tasks on the calling thread, the caller's own task runs there.
 *   <li><b>Memory.</b> A finished, cancelled or removed task is unreachable from its executor. The executor itself
 *       takes about 3 KB, and about 40 KB when many stripes use it: create one for many stripes.
 * </ul>
 *
 * <h2>Dependent actions</h2>
 *
 * <p>Dependent actions of a future, such as {@code thenApply} and {@code whenComplete}, run where
 * {@link CompletableFuture} runs them, perhaps beside the next task of the stripe. For an action that must follow a
 * task in order, make it part of the task, or submit it to the stripe:
 *
 * <pre>{@code
 * executor.submit("alice", () -> confirm(book(order))); // confirm before the next task of alice
 * executor.submit("alice", () -> book(order)) // confirm after all tasks that alice has by then
 *         .thenAccept(receipt -> executor.execute("alice", () -> confirm(receipt)));
 * }</pre>
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it submits a task <i>happen-before</i> the task's start. The actions of a task
 * <i>happen-before</i> the next task of its stripe starts, before its future is done, and before a successful return
 * from {@link #awaitTermination awaitTermination}.
 *
 * <h2>Stripes as keys</h2>
 *
 * <p>Stripes are compared by {@link Object#equals equals}, or by identity with
 * {@link StripedExecutorBuilder#identityStripes()}. {@code equals} and {@code hashCode} are called on the thread that
 * passes the stripe to a method, with no lock held; that thread gets their exceptions. As in any hash table, many
 * stripes with the same hash code that have tasks at the same time slow submissions down. A stripe must not change in a
 * way that affects {@code equals} or {@code hashCode}: while it has tasks, later tasks of the changed stripe may run
 * beside them.
 *
 * <p>All methods may be called from any thread, tasks of this executor included.
 */
public final class StripedExecutor implements OrderedExecutor, StripedSubmitter {
    private final KeyedEngine engine;
    private final ExecutorService executorServiceView;

    StripedExecutor(KeyedEngine engine) {
        this.engine = engine;
        this.executorServiceView =
                new ExecutorServiceView(this, engine.service().platform(), engine::submitStriped);
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

    /** Returns the name and the statistics as readable text. */
    @Override
    public String toString() {
        return name() + " " + inspect().stats()
                + (isTerminated() ? " terminated" : isShutdown() ? " shut down" : " running");
    }

    /** The engine behind this executor; tests use it. */
    KeyedEngine engine() {
        return engine;
    }

    // Submission

    /**
     * {@inheritDoc}
     *
     * @throws RejectedExecutionException {@inheritDoc}
     * @throws RuntimeException {@inheritDoc}
     * @throws IllegalArgumentException {@inheritDoc}
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public void execute(Object stripe, Runnable task) {
        Objects.requireNonNull(stripe, "stripe");
        engine.submit(stripe, TaskFuture.asPlain(Objects.requireNonNull(task, "task")), null);
    }

    /**
     * {@inheritDoc}
     *
     * @throws RejectedExecutionException {@inheritDoc}
     * @throws RuntimeException {@inheritDoc}
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Object stripe, Callable<T> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new TaskFuture.Call<>(Objects.requireNonNull(task, "task"));
        engine.submit(stripe, future, null);
        return future;
    }

    /**
     * {@inheritDoc}
     *
     * @throws RejectedExecutionException {@inheritDoc}
     * @throws RuntimeException {@inheritDoc}
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Object stripe, Supplier<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(stripe, "stripe");
        TaskFuture<T> future = new TaskFuture.Stage<>(Objects.requireNonNull(task, "task"));
        engine.submit(stripe, future, null);
        return future;
    }

    /**
     * {@inheritDoc}
     *
     * @throws RejectedExecutionException {@inheritDoc}
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public Reservation reserve(Object stripe) {
        return engine.reserve(Objects.requireNonNull(stripe, "stripe"), null);
    }

    /**
     * {@inheritDoc}
     *
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public StripedSubmitter with(WhenBusy whenBusy) {
        return new StripedView(engine, Objects.requireNonNull(whenBusy, "whenBusy"), null);
    }

    /**
     * {@inheritDoc}
     *
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public StripedSubmitter with(Overflow overflow) {
        return new StripedView(engine, WhenBusy.queue(), Objects.requireNonNull(overflow, "overflow"));
    }

    // Batches

    /**
     * Returns a builder for a batcher, which passes the items that wait for the same stripe to {@code handler} as one
     * list. Suits work that costs nearly the same for many items as for one: a round trip, a transaction, a flush.
     *
     * @param handler runs a batch, given its stripe and its items in the order of their submission. The list cannot be
     *     changed, is never empty, and can be kept. Batches of different stripes run at the same time
     * @param <K> the type of the stripes
     * @param <T> the type of the items
     * @return a builder for the {@link Batcher}
     * @throws NullPointerException if {@code handler} is null
     */
    public <K, T> BatcherBuilder<K, T> batchTo(BiConsumer<? super K, ? super List<T>> handler) {
        return new BatcherBuilder<>(engine, Objects.requireNonNull(handler, "handler"), null);
    }

    /**
     * Like {@link #batchTo}, but for an asynchronous handler. A batch holds its stripe, but no thread, until the stage
     * that the handler returns is complete.
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
     * {@inheritDoc}
     *
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public Executor executorFor(Object stripe) {
        return new StripedView(engine, WhenBusy.queue(), null).executorFor(stripe);
    }

    /**
     * Returns this executor as an {@link ExecutorService}. Tasks that are {@link StripedObject}s run in the order of
     * their stripe, together with the tasks that are submitted to this executor. All other tasks, and tasks whose
     * {@link StripedObject#getStripe()} is null, are in no order, and may overlap. The stripe is read from the
     * submitted object itself, or from the object that is submitted to an
     * {@link java.util.concurrent.ExecutorCompletionService} over this view. A wrapper around the task hides the
     * stripe. So does a wrapper around this view that wraps each task, such as those of Micrometer, Spring Security and
     * Guava: instead, wrap the {@link #executorFor} of the stripe. The view shares the lifecycle of this executor:
     * closing one closes the other.
     *
     * <p>Code that was written for a classic striped executor service needs to change only its constructor call. But
     * stripes are compared by {@code equals} unless this executor was built with
     * {@link StripedExecutorBuilder#identityStripes()}.
     *
     * <p>A future must not be run by its callers: {@code run} throws an {@link IllegalStateException} until the future
     * is complete. Only the futures of an {@code ExecutorCompletionService} can be run by their callers; such a run is
     * out of turn.
     *
     * @return always the same view
     */
    public ExecutorService asExecutorService() {
        return executorServiceView;
    }

    @Override
    public ExecutorControl control() {
        return new ExecutorControl(engine);
    }

    @Override
    public ExecutorInspection inspect() {
        return new ExecutorInspection(engine, false);
    }

    // Lifecycle

    @Override
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return engine.service().drain(limit);
    }

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
        return engine.service().lifecycle().isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return engine.service().lifecycle().isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return engine.service().lifecycle().awaitTermination(timeout, unit);
    }

    @Override
    public void close() {
        engine.service().closeAndWait();
    }
}
