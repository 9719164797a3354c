package io.orderedexecutor;

import io.orderedexecutor.engine.place.KeyedEngine;
import io.orderedexecutor.engine.place.Settings;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.GroupSnapshot;
import io.orderedexecutor.stats.GroupedExecutorStats;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks that have groups in common one after another, in the order of their submission, and all others in
 * parallel. Most tasks have one group, as those of a {@link StripedExecutor} have one stripe. A <em>rollup</em> has
 * several: it runs after every earlier and before every later task of any of them, and holds up no others.
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
 * <h2>What it promises</h2>
 *
 * <ul>
 *   <li><b>Conflicts.</b> Two tasks conflict if they have a group in common that one of them has {@linkplain Groups
 *       exclusively}; {@link Groups#all()} stands for all. Two {@link OrderedTask}s conflict unless both say that they
 *       are compatible. A task with groups and an {@code OrderedTask} do not conflict, and a task with neither
 *       conflicts with no other task. A barrier, which is a task with {@code Groups.all()}, conflicts with every task.
 *   <li><b>Order.</b> If one submission happens-before another and they conflict, the first task has ended, and its
 *       future is complete, before the second starts. Dependent actions of the future may run beside the second; see
 *       {@link StripedExecutor}. Concurrent submissions get some order, the same in all groups; so tasks with several
 *       groups cannot deadlock, in whatever order they name them.
 *   <li><b>Exclusion.</b> Two tasks that conflict never overlap, whatever throws, is cancelled or is rejected.
 *   <li><b>Independence.</b> A task waits only for earlier tasks that conflict with it and for a free thread; no thread
 *       ever waits for the turn of a task. Readers cannot starve a writer that was submitted before them, nor writers a
 *       reader.
 *   <li><b>Cost.</b> The cost of a submission is proportional to the number of its groups, however many tasks are
 *       queued; for an {@link OrderedTask}, to the number of tasks that it has to be compared with.
 *   <li><b>Failures, rejection, memory.</b> As with a {@link StripedExecutor}. Tasks that wait for a cancelled task no
 *       longer do, at once.
 * </ul>
 *
 * <h2>Memory consistency effects</h2>
 *
 * <p>Actions in a thread before it submits a task <i>happen-before</i> the task's start. What a task does
 * <i>happens-before</i> the start of every later one that conflicts with it, before its future is done, and before a
 * successful return from {@link #awaitTermination awaitTermination}.
 *
 * <p>Groups are compared by {@code equals}. {@code equals}, {@code hashCode} and {@link OrderedTask#isCompatible} are
 * called on submitting threads, without a lock held. All methods may be called from any thread, tasks of this executor
 * included.
 */
public final class GroupedExecutor implements OrderedExecutor {
    private final KeyedEngine engine;
    private final ExecutorService executorServiceView;

    GroupedExecutor(KeyedEngine engine) {
        this.engine = engine;
        this.executorServiceView = new ExecutorServiceView(this, engine.platform(), new Placing(engine));
    }

    /** What keeps the contract; its parts can be looked at by tests. */
    KeyedEngine engine() {
        return engine;
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
     * Runs {@code task} after all earlier tasks that conflict with it. What it throws goes to the uncaught exception
     * handler of its thread. An {@link OrderedTask} that is submitted here is ordered by its groups only.
     *
     * @param groups what the task touches
     * @param task the task
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public void execute(Groups groups, Runnable task) {
        Objects.requireNonNull(groups, "groups");
        engine.submit(groups, TaskFuture.asPlain(Objects.requireNonNull(task, "task")), null);
    }

    /**
     * Runs {@code task} after all earlier tasks that conflict with it.
     *
     * @param groups what the task touches
     * @param task the task
     * @param <T> the type of its result
     * @return a future of the result; see {@link StripedExecutor#submit}. Cancelling it before the task starts removes
     *     the task at once, and nothing waits for it any longer
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submit(Groups groups, Callable<T> task) {
        Objects.requireNonNull(groups, "groups");
        TaskFuture<T> future = new TaskFuture.Call<>(Objects.requireNonNull(task, "task"));
        engine.submit(groups, future, null);
        return future;
    }

    /**
     * Starts an asynchronous task after all earlier tasks that conflict with it. Its groups are held until the stage
     * that {@code task} returns is complete; no thread is.
     *
     * @param groups what the task touches
     * @param task starts the work and returns its stage, on a thread of this executor
     * @param <T> the type of its result
     * @return a future of the result; see {@link StripedExecutor#submitAsync}
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Groups groups, Supplier<? extends CompletionStage<T>> task) {
        Objects.requireNonNull(groups, "groups");
        TaskFuture<T> future = new TaskFuture.Stage<>(Objects.requireNonNull(task, "task"));
        engine.submit(groups, future, null);
        return future;
    }

    /**
     * As {@link #submitAsync(Groups, Supplier)}, with an overflow of its own: for a caller that must not wait, such as
     * an event loop or a transaction that is being completed, where this executor lets others wait.
     *
     * @param groups what the task touches
     * @param task starts the work and returns its stage, on a thread of this executor
     * @param overflow what happens if there is no room for this task, in place of the overflow of this executor
     * @param <T> the type of its result
     * @return a future of the result
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task
     * @throws NullPointerException if an argument is null
     */
    public <T extends @Nullable Object> CompletableFuture<T> submitAsync(
            Groups groups, Supplier<? extends CompletionStage<T>> task, Overflow overflow) {
        Objects.requireNonNull(groups, "groups");
        TaskFuture<T> future = new TaskFuture.Stage<>(Objects.requireNonNull(task, "task"));
        engine.submit(groups, future, Objects.requireNonNull(overflow, "overflow"));
        return future;
    }

    /**
     * Reserves a place in {@code groups} for a task that comes later. It will run as if it had been submitted now:
     * after all earlier tasks that conflict with it, and before all later ones, which wait for it until the place is
     * used or given back.
     *
     * @param groups what the task will touch
     * @return the place, to be used once or closed
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the place
     * @throws NullPointerException if {@code groups} is null
     */
    public Reservation reserve(Groups groups) {
        return engine.reserve(Objects.requireNonNull(groups, "groups"), null);
    }

    /**
     * As {@link #reserve(Groups)}, with an overflow of its own: for a caller that must not wait, such as a transaction,
     * where this executor lets others wait.
     *
     * @param groups what the task will touch
     * @param overflow what happens if there is no room, in place of the overflow of this executor
     * @return the place, to be used once or closed
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the place
     * @throws NullPointerException if an argument is null
     */
    public Reservation reserve(Groups groups, Overflow overflow) {
        return engine.reserve(Objects.requireNonNull(groups, "groups"), Objects.requireNonNull(overflow, "overflow"));
    }

    /**
     * Runs {@code task} after all earlier {@link OrderedTask}s that it is not compatible with.
     *
     * @param task the task
     * @throws RejectedExecutionException if this executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the task, or what
     *     {@link OrderedTask#compatibilityClass()} threw
     * @throws NullPointerException if {@code task} is null
     */
    public void execute(OrderedTask task) {
        Objects.requireNonNull(task, "task");
        engine.submitObject(task, TaskFuture.asPlain(task));
    }

    // Views

    /**
     * Returns an executor for one combination of groups: its tasks run in their order, together with those submitted
     * here. It is cheap and can be kept.
     *
     * @param groups what the tasks touch
     * @return an executor that behaves as {@link #execute(Groups, Runnable) execute(groups, task)}
     * @throws NullPointerException if {@code groups} is null
     */
    public Executor executorFor(Groups groups) {
        Objects.requireNonNull(groups, "groups");
        return new Executor() {
            @Override
            public void execute(Runnable task) {
                GroupedExecutor.this.execute(groups, task);
            }

            @Override
            public String toString() {
                return name() + "[" + groups + "]";
            }
        };
    }

    /**
     * Returns this executor as an {@link ExecutorService}. Tasks that are {@link OrderedTask}s are compared with each
     * other, whether they are executed or submitted as a {@link Runnable} or {@link Callable}; all others are
     * compatible with every task. Only the submitted object itself counts, or the one submitted to an
     * {@link java.util.concurrent.ExecutorCompletionService} over this view: another wrapper around an
     * {@code OrderedTask} hides it. The view shares the lifecycle of this executor: closing the one closes the other.
     *
     * @return always the same view
     */
    public ExecutorService asExecutorService() {
        return executorServiceView;
    }

    // Live control

    /**
     * Pauses a group until {@link #resume(Object)} or a shutdown. No task starts that has this group, a group within
     * it, a group that contains it, or all groups. Tasks of its sibling groups go on. Running tasks continue to their
     * end. A paused group takes memory even while it has no tasks. Has no effect after a shutdown.
     *
     * @param group the group
     * @throws NullPointerException if {@code group} is null
     */
    public void pause(Object group) {
        engine.pause(Objects.requireNonNull(group, "group"));
    }

    /**
     * Resumes a group that is paused or held up by parked tasks. The parked tasks run again.
     *
     * @param group the group
     * @return false if it was neither paused nor held up
     * @throws NullPointerException if {@code group} is null
     */
    public boolean resume(Object group) {
        return engine.resume(Objects.requireNonNull(group, "group"));
    }

    /**
     * Resumes a group that is held up by parked tasks. The parked tasks have failed for good.
     *
     * @param group the group
     * @return false if there are no such tasks
     * @throws NullPointerException if {@code group} is null
     */
    public boolean skip(Object group) {
        return engine.unpark(Objects.requireNonNull(group, "group"), false);
    }

    /**
     * Changes how many tasks may be queued in each group. Tasks beyond a lower capacity stay queued.
     *
     * @param groupCapacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code groupCapacity} is out of range
     * @throws IllegalStateException if this executor was built without any capacity
     */
    public void setGroupCapacity(int groupCapacity) {
        engine.setKeyCapacity(Settings.checked("groupCapacity", groupCapacity));
    }

    /**
     * Waits until a group and the groups within it have no tasks, including those submitted in the meantime; see
     * {@link #drain}.
     *
     * @param group the group
     * @param limit how long to wait at most
     * @return true if they had no tasks, false if the time elapsed first
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     * @throws NullPointerException if an argument is null
     */
    public boolean awaitIdle(Object group, Duration limit) throws InterruptedException {
        Objects.requireNonNull(group, "group");
        return engine.awaitIdle(group, limit);
    }

    // Observation

    @Override
    public GroupedExecutorStats stats() {
        return engine.stats();
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
     * Returns the groups with the most queued tasks. The cost is proportional to the number of tasks.
     *
     * @param limit how many groups to return at most
     * @return the deepest groups, deepest first
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<GroupSnapshot> deepestGroups(int limit) {
        return engine.deepestGroups(checkedLimit(limit, "groups"));
    }

    /**
     * Returns the queued tasks and what each of them waits for. Tasks without groups are not included.
     *
     * @param limit how many tasks to return at most
     * @return the oldest ones, in the order of their submission
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<QueuedTask> queuedTasks(int limit) {
        return engine.queuedTasks(checkedLimit(limit, "tasks"));
    }

    private static int checkedLimit(int limit, String what) {
        if (limit < 0) {
            throw new IllegalArgumentException(
                    "limit is " + limit + ", but a number of " + what + " cannot be negative");
        }
        return limit;
    }

    /**
     * Returns the tasks that have failed and hold their groups.
     *
     * @return the parked tasks, in the order of their submission
     */
    public List<ParkedTask> parkedTasks() {
        return engine.parkedTasks();
    }

    /**
     * Returns the current state of one group.
     *
     * @param group the group
     * @return its state, or empty if it has no tasks and is not paused
     * @throws NullPointerException if {@code group} is null
     */
    public Optional<GroupSnapshot> snapshot(Object group) {
        return Optional.ofNullable(engine.snapshot(Objects.requireNonNull(group, "group")));
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

    // Live control of all groups

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
