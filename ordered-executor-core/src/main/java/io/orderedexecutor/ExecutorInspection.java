package io.orderedexecutor;

import io.orderedexecutor.engine.admit.Engine;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.ReservedPlaces;
import io.orderedexecutor.stats.RunningTask;
import io.orderedexecutor.stats.WhenBusyStats;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;

/**
 * Looks at a running executor: {@link OrderedExecutor#inspect()}. A key is a stripe, a group, or an
 * {@link OrderedOutput}. The executor goes on meanwhile: a method delays submitters and workers, usually for a few
 * microseconds at a time, and all results are exact if the executor is idle.
 *
 * <p>Thread-safe; all methods may be called from inside a task.
 */
public final class ExecutorInspection {
    private final Engine engine;
    private final boolean stacks;

    ExecutorInspection(Engine engine, boolean stacks) {
        this.engine = engine;
        this.stacks = stacks;
    }

    // figures

    /**
     * Returns the current statistics. Counts of ended tasks never decrease from one call to the next. The cost is
     * proportional to the number of keys that have tasks, plus the number of tasks that run or may start.
     *
     * @return the statistics
     */
    public OrderedExecutorStats stats() {
        return engine.stats();
    }

    /**
     * Returns the current settings, including changes since the executor was built.
     *
     * @return the settings
     */
    public OrderedExecutorSettings settings() {
        return engine.currentSettings();
    }

    /**
     * Returns how many submissions were rejected, by reason. The sum is {@link OrderedExecutorStats#rejected()}.
     *
     * @return the rejections since the executor was built
     */
    public Rejections rejections() {
        return engine.rejections();
    }

    /**
     * Returns how many tasks were replaced, interrupted or refused because their stripe was busy, and how many items
     * have run in batches.
     *
     * @return the counts since the executor was built
     */
    public WhenBusyStats whenBusyStats() {
        return engine.whenBusyStats();
    }

    /**
     * Returns the places that are reserved for later tasks. They are counted as queued. The cost is proportional to
     * their number.
     *
     * @return the number of reserved places, and the age of the oldest
     */
    public ReservedPlaces reserved() {
        return engine.reserved();
    }

    /**
     * Returns the age of the oldest queued task. A task that waits for a retry counts from its submission.
     *
     * @return the age, zero if no task is queued; empty unless the executor has a {@link TaskListener}, without which
     *     tasks are not timed
     */
    public Optional<Duration> oldestQueuedAge() {
        return engine.oldestQueuedAge();
    }

    // keys and tasks

    /**
     * Returns one key.
     *
     * @param key the key
     * @return the key at this moment; empty if it has no tasks and is not paused
     * @throws IllegalArgumentException if the executor is grouped, and {@code key} is the {@link Groups} of a task:
     *     pass one of them
     * @throws NullPointerException if {@code key} is null
     */
    public Optional<KeySnapshot> snapshot(Object key) {
        return Optional.ofNullable(engine.snapshot(engine.requireKey(key)));
    }

    /**
     * Returns the keys with the most queued tasks. The cost is that of {@link #stats}.
     *
     * @param limit how many keys to return at most
     * @return the keys, the one with the most queued tasks first
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<KeySnapshot> deepestKeys(int limit) {
        return engine.deepestKeys(checkedLimit(limit, "keys"));
    }

    /**
     * Returns the tasks that have failed and wait for {@link ExecutorControl#resume(Object) resume} or
     * {@link ExecutorControl#skip skip}.
     *
     * @return the parked tasks; in the order of their submission if the executor has a {@link TaskListener}
     */
    public List<ParkedTask> parkedTasks() {
        return engine.parkedTasks();
    }

    /**
     * Returns queued tasks, each with the tasks that it waits for directly. For a barrier, these are at most
     * {@code limit} tasks of each key. Tasks without a key are left out.
     *
     * @param limit how many tasks to return at most
     * @return the queued tasks; in the order of their submission if the executor has a {@link TaskListener}. Empty for
     *     an {@link OrderedOutputExecutor}, whose pieces wait for no other task
     * @throws IllegalArgumentException if {@code limit} is negative
     */
    public List<QueuedTask> queuedTasks(int limit) {
        return engine.queuedTasks(checkedLimit(limit, "tasks"));
    }

    /**
     * Returns the queued tasks of a key, including barriers, as {@link #queuedTasks(int)} does. A task of several keys
     * that stands behind more than {@code limit} tasks of another key is listed without what it waits for there.
     *
     * @param key the key
     * @param limit how many tasks to return at most
     * @return the queued tasks
     * @throws IllegalArgumentException if {@code limit} is negative, or the executor is grouped, and {@code key} is the
     *     {@link Groups} of a task: pass one of them
     * @throws NullPointerException if {@code key} is null
     */
    public List<QueuedTask> queuedTasks(Object key, int limit) {
        return engine.queuedTasks(engine.requireKey(key), checkedLimit(limit, "tasks"));
    }

    private static int checkedLimit(int limit, String what) {
        if (limit < 0) {
            throw new IllegalArgumentException(
                    "limit is " + limit + ", but a number of " + what + " cannot be negative");
        }
        return limit;
    }

    /**
     * Returns the tasks that are running now, including asynchronous ones whose stage is not complete.
     *
     * @return the running tasks, in no particular order
     */
    public List<RunningTask> runningTasks() {
        return engine.runningTasks();
    }

    // explanations

    /**
     * Returns an inspection whose explanations also read the stacks of the platform threads in the chain: they show the
     * line that each thread is at, and the lock that it waits for. This costs about as much as a stack trace of each
     * thread. Without the JDK's module {@code java.management}, explanations have no lines and no locks.
     *
     * @return an inspection of the same executor
     */
    public ExecutorInspection withStacks() {
        return new ExecutorInspection(engine, true);
    }

    /**
     * Explains what holds up the first waiting task of a key or, if no task waits, which task runs. The cost is
     * proportional to the length of the chain, with three exceptions: for a task that waits for a thread, all running
     * tasks of its executor are examined; for a piece, the window of its output; and for an {@link OrderedTask}, all
     * such tasks of its executor.
     *
     * @param key the key; a key without tasks is {@linkplain Explanation.Idle idle}, unless it is paused
     * @return one chain of causes
     * @throws IllegalArgumentException if the executor is grouped, and {@code key} is the {@link Groups} of a task:
     *     pass one of them
     * @throws NullPointerException if {@code key} is null
     */
    public Explanation explain(Object key) {
        return engine.explain(engine.requireKey(key), stacks);
    }

    /**
     * Explains why a future is not done. The cost is that of {@link #explain}, plus the number of tasks that are queued
     * before this one in its keys.
     *
     * @param future a future that an ordered executor, not necessarily this one, has returned for a task
     * @return one chain of causes; {@linkplain Explanation.Idle idle} if the future is done, or if its task was just
     *     cancelled or dropped, so that it will be done in a moment
     * @throws IllegalArgumentException if {@code future} is any other future, such as a dependent stage, or the future
     *     of a task that was {@linkplain WhenBusy#refuse() refused}; or if it is not done, and an
     *     {@link java.util.concurrent.ExecutorCompletionService} has returned it
     * @throws NullPointerException if {@code future} is null
     */
    public Explanation explainTask(Future<?> future) {
        Explanation explanation = Reasons.ofTask(future, stacks);
        return explanation == null ? engine.idle() : explanation;
    }

    /**
     * Explains each key whose first task has been running for a long time, or has been waiting as long for anything but
     * the tasks before it: a thread, the end of a pause, a retry, a decision about a parked task, or the use of a
     * reserved place. A running task counts from its start, a waiting one from its submission. The cost is that of
     * {@link #stats()}, plus the cost of each explanation.
     *
     * @param atLeast how long, not negative
     * @return an explanation for each of these keys, in no particular order; empty unless the executor has a
     *     {@link TaskListener}, without which tasks are not timed
     * @throws IllegalArgumentException if {@code atLeast} is negative
     * @throws NullPointerException if {@code atLeast} is null
     */
    public List<Explanation> explainStuck(Duration atLeast) {
        return engine.explainStuck(atLeast, stacks);
    }
}
