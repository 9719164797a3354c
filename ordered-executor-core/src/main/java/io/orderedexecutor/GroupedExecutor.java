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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks that have groups in common one after another, in the order of their submission, and all others in
 * parallel. Most tasks have one group, as those of a {@link StripedExecutor} have one stripe. A <em>rollup</em> has
 * several: it runs after every earlier task and before every later task of any of these groups, and holds up no other
 * tasks.
 *
 * <pre>{@code
 * try (GroupedExecutor executor = GroupedExecutor.builder().name("bank").threads(4).build()) {
 *     executor.execute(Groups.exclusive("alice"), () -> deposit("alice", 100));
 *     executor.execute(Groups.exclusive("alice", "bob"), () -> transfer("alice", "bob", 50)); // after the deposit
 *     executor.execute(Groups.shared("alice"), () -> statement("alice")); // after the transfer
 *     executor.execute(Groups.exclusive("carol"), () -> deposit("carol", 100)); // concurrently with all of them
 * }
 * }</pre>
 *
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li><b>Conflicts.</b> Two tasks conflict if they have a group in common and at least one of them has this group
 *       {@linkplain Groups exclusively}; {@link Groups#all()} and {@link Groups#allShared()} stand for all groups, and
 *       a task {@linkplain Groups#within within} a group shares that group. Two {@link OrderedTask}s conflict unless
 *       both say that they are compatible. A barrier, which is a task with {@code Groups.all()}, conflicts with every
 *       task. Otherwise, an {@code OrderedTask} never conflicts with a task that has groups, and a task that has no
 *       groups and is not an {@code OrderedTask} conflicts with none. {@link Groups} compares the choices for a report.
 *   <li><b>Order.</b> If one submission happens-before another and they conflict, the first task has ended, and its
 *       future is complete, before the second starts. Dependent actions of the future may run beside the second; see
 *       {@link StripedExecutor}. Concurrent submissions get some order, the same in all groups. So tasks with several
 *       groups cannot deadlock, in whatever order they name their groups.
 *   <li><b>Exclusion.</b> Two tasks that conflict never overlap, whatever throws, is cancelled or is rejected. For the
 *       work behind the stage of an asynchronous task, see {@link StripedExecutor}.
 *   <li><b>Independence.</b> A task waits only for earlier tasks that conflict with it and for a free thread; no thread
 *       ever waits for the turn of a task. Readers cannot starve a writer that was submitted before them, nor writers a
 *       reader.
 *   <li><b>Cost.</b> The cost of a submission is proportional to the number of its groups, however many tasks are
 *       queued; for an {@link OrderedTask}, to the number of tasks that it has to be compared with.
 *   <li><b>Failures, rejection, memory.</b> As with a {@link StripedExecutor}. If a task is cancelled before it starts,
 *       the tasks behind it stop waiting for it at once.
 * </ul>
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it submits a task <i>happen-before</i> the task's start. The actions of a task
 * <i>happen-before</i> the start of every later task that conflicts with it, before its future is done, and before a
 * successful return from {@link #awaitTermination awaitTermination}.
 *
 * <p>Groups are compared by {@code equals}. {@code equals} and {@code hashCode} are called on the thread that passes
 * the group to a method, which gets their exceptions, and {@link OrderedTask#isCompatible} on the submitting thread; no
 * lock is held. All methods may be called from any thread, tasks of this executor included.
 */
public final class GroupedExecutor implements OrderedExecutor, GroupedSubmitter {
    private final KeyedEngine engine;
    private final ExecutorService executorServiceView;
    private final StripedExecutor stripes;

    GroupedExecutor(KeyedEngine engine) {
        this.engine = engine;
        this.executorServiceView =
                new ExecutorServiceView(this, engine.service().platform(), engine::submitOrdered);
        this.stripes = new StripedExecutor(engine);
    }

    /** The engine behind this executor; tests use it. */
    KeyedEngine engine() {
        return engine;
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

    /**
     * Returns a builder, with a thread for each processor and a default name.
     *
     * @return a new builder
     */
    public static GroupedExecutorBuilder builder() {
        return new GroupedExecutorBuilder();
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
    public void execute(Groups groups, Runnable task) {
        Objects.requireNonNull(groups, "groups");
        engine.submit(groups, TaskFuture.asPlain(Objects.requireNonNull(task, "task")), null);
    }

    /**
     * {@inheritDoc}
     *
     * @throws RejectedExecutionException {@inheritDoc}
     * @throws RuntimeException {@inheritDoc}
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public <T extends @Nullable Object> CompletableFuture<T> submit(Groups groups, Callable<T> task) {
        return plain().submit(groups, task);
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
            Groups groups, Supplier<? extends CompletionStage<T>> task) {
        return plain().submitAsync(groups, task);
    }

    /**
     * {@inheritDoc}
     *
     * @throws RejectedExecutionException {@inheritDoc}
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public Reservation reserve(Groups groups) {
        return plain().reserve(groups);
    }

    /**
     * {@inheritDoc}
     *
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public GroupedSubmitter with(Overflow overflow) {
        return plain().with(overflow);
    }

    private GroupedView plain() {
        return new GroupedView(engine, null);
    }

    /**
     * Runs {@code task} after all earlier {@link OrderedTask}s that it is not compatible with.
     *
     * @param task the task
     * @throws RejectedExecutionException if this executor is shut down or has no room, or if the thread is interrupted
     *     while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the task, of the thread factory
     *     if the executor has no thread and none can be started, or of {@link OrderedTask#compatibilityClass()}
     * @throws NullPointerException if {@code task} is null
     */
    public void execute(OrderedTask task) {
        Objects.requireNonNull(task, "task");
        engine.submitOrdered(task, task);
    }

    // Views

    /**
     * Returns a view of this executor for tasks with one key: a stripe is a group that a task has exclusively. This
     * executor and the view share keys, threads and bounds, and are one executor: a stripe and a group that are equal
     * are one key, a {@linkplain Groups#all() barrier} waits for tasks of stripes, too, and closing one closes the
     * other.
     *
     * @return always the same view
     */
    public StripedExecutor stripes() {
        return stripes;
    }

    /**
     * {@inheritDoc}
     *
     * @throws NullPointerException {@inheritDoc}
     */
    @Override
    public Executor executorFor(Groups groups) {
        return plain().executorFor(groups);
    }

    /**
     * Returns this executor as an {@link ExecutorService}. Tasks that are {@link OrderedTask}s are compared with each
     * other, whether they are executed or submitted as a {@link Runnable} or {@link Callable}; all others are
     * compatible with every task, and may overlap any but a {@linkplain Groups#all() barrier}. The view examines only
     * the submitted object itself, or the object that is submitted to an
     * {@link java.util.concurrent.ExecutorCompletionService} over this view. A wrapper around the task hides the
     * {@code OrderedTask}. So does a wrapper around this view that wraps each task, such as those of Micrometer, Spring
     * Security and Guava: instead, wrap the body of the {@code OrderedTask}, or the {@link #executorFor} of groups. The
     * view shares the lifecycle of this executor: closing one closes the other.
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
