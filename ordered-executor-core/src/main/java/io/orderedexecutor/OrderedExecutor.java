package io.orderedexecutor;

import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * What all ordered executors share: a name, statistics, live control and a lifecycle.
 *
 * <p>An ordered executor deliberately does not implement {@link java.util.concurrent.Executor}: a task needs a key, and
 * an {@code execute(Runnable)} without one would be a trap. The views of each executor implement it.
 *
 * <h2>Lifecycle</h2>
 *
 * <p>An executor accepts tasks until {@link #shutdown()}, {@link #shutdownNow()} or {@link #close()} is called. From
 * then on it rejects new tasks with a {@link java.util.concurrent.RejectedExecutionException}, including those that its
 * own tasks submit. It is terminated when the last accepted task has ended. All these methods may be called from any
 * thread, from inside a task, concurrently and more than once.
 *
 * <p>Memory consistency effects: what an accepted task did <i>happens-before</i> a successful return from
 * {@link #awaitTermination awaitTermination} or {@link #close()}.
 */
public interface OrderedExecutor extends AutoCloseable {

    /**
     * Returns the name of this executor, which its threads, messages and meters use.
     *
     * @return the name, never empty
     */
    String name();

    /**
     * Returns the current statistics. Counts of ended tasks never decrease from one call to the next. The statistics of
     * an idle executor are exact; those of a busy one may miss what happens during the call. The cost is proportional
     * to the number of stripes that have tasks, or of tasks that have groups. The call blocks neither submitters nor
     * workers.
     *
     * @return the statistics
     */
    OrderedExecutorStats stats();

    /**
     * Returns the current settings, including changes since the executor was built.
     *
     * @return the current settings
     */
    OrderedExecutorSettings settings();

    /**
     * Starts no more tasks until {@link #resume()} or a shutdown. Running tasks continue to their end, and new tasks
     * are accepted. A call that races with the start of a task may come too late for it. Has no effect after a
     * shutdown.
     */
    void pause();

    /** Lets tasks start again. Has no effect on an executor that is not paused. */
    void resume();

    /**
     * Tells whether this executor is paused.
     *
     * @return true from {@link #pause()} to {@link #resume()} or a shutdown
     */
    boolean isPaused();

    /**
     * Changes the maximum number of this executor's own threads. Surplus threads end after their current turn.
     *
     * @param threads at least 1
     * @throws IllegalArgumentException if {@code threads} is less than 1
     * @throws IllegalStateException if this executor runs on another executor
     */
    void setThreads(int threads);

    /**
     * Changes how long a thread serves one stripe before it serves another that is waiting.
     *
     * @param tasks at least 1
     * @param time more than zero
     * @throws IllegalArgumentException if {@code tasks} is less than 1 or {@code time} is not positive
     */
    void setTurn(int tasks, Duration time);

    /**
     * Changes how many tasks may be queued in total. Tasks beyond a lower capacity stay queued; new ones find room
     * again when fewer are queued.
     *
     * @param capacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code capacity} is out of range
     * @throws IllegalStateException if this executor was built without a capacity
     */
    void setCapacity(int capacity);

    /**
     * Waits until this executor has no tasks, including those submitted in the meantime, which are accepted as usual.
     * Tasks of a paused or parked stripe count. Called from inside a task of this executor, this method does not wait.
     *
     * @param limit how long to wait at most
     * @return true if there were no tasks, false if the time elapsed first
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    boolean drain(Duration limit) throws InterruptedException;

    /**
     * Returns the tasks that are running now, including asynchronous ones whose stage is not complete.
     *
     * @return the running tasks, in no particular order
     */
    List<RunningTask> runningTasks();

    /**
     * Explains what holds up the first task that waits in a key; or what runs there, if nothing waits. See
     * {@link #explain(Object, boolean)}.
     *
     * @param key a stripe, a group, or an {@link OrderedOutput}
     * @return one chain of causes
     */
    default Explanation explain(Object key) {
        return explain(key, false);
    }

    /**
     * Explains what holds up the first task that waits in a key; or what runs there, if nothing waits. The cost is
     * proportional to the length of the chain, with three exceptions: a task that waits for a thread costs a look at
     * all that its executor runs, a piece a look along the window of its output, and an {@link OrderedTask} a look at
     * all such tasks of its executor. No task is held up, and no lock is waited for that is held while code of the
     * application runs.
     *
     * @param key a stripe, a group, or an {@link OrderedOutput}; one without tasks is {@linkplain Explanation.Idle
     *     idle}
     * @param stacks whether to look at the stacks of the platform threads in the chain, which tells the line that each
     *     is at and the lock that it waits for. Needs the JDK's module {@code java.management}, and costs about as much
     *     as a stack trace for each thread
     * @return one chain of causes
     */
    Explanation explain(Object key, boolean stacks);

    /**
     * Explains why a future is not done. See {@link #explainTask(Future, boolean)}.
     *
     * @param future a future that an ordered executor has returned for a task
     * @return one chain of causes
     * @throws IllegalArgumentException if {@code future} is any other future
     */
    default Explanation explainTask(Future<?> future) {
        return explainTask(future, false);
    }

    /**
     * Explains why a future is not done, at the cost of {@link #explain(Object, boolean)}.
     *
     * @param future a future that an ordered executor, not necessarily this one, has returned for a task
     * @param stacks whether to look at the stacks of the platform threads in the chain
     * @return one chain of causes; {@linkplain Explanation.Idle idle} if the future is done
     * @throws IllegalArgumentException if {@code future} is any other future
     */
    Explanation explainTask(Future<?> future, boolean stacks);

    /**
     * Explains each key whose first task has been running, or has been waiting for anything but the tasks before it,
     * for a long time. The cost is that of {@link #stats()}, and of an explanation for each.
     *
     * @param atLeast how long, not negative
     * @return an explanation for each, in no particular order; empty unless the executor has a {@link TaskListener},
     *     without which tasks are not timed
     * @throws IllegalArgumentException if {@code atLeast} is negative
     */
    List<Explanation> explainStuck(Duration atLeast);

    /**
     * Returns the age of the oldest queued task. A task that waits for a retry counts from its submission.
     *
     * @return the age, zero if no task is queued; empty unless the executor has a {@link TaskListener}, without which
     *     tasks are not timed
     */
    Optional<Duration> oldestQueuedAge();

    /**
     * Returns how many submissions were rejected, by reason. The sum is {@link OrderedExecutorStats#rejected()}.
     *
     * @return the rejections since the executor was built
     */
    Rejections rejections();

    /**
     * Accepts no more tasks and lets all accepted ones finish. Does not wait. Has no effect if the executor is already
     * shut down.
     */
    void shutdown();

    /**
     * Accepts no more tasks, removes all tasks that have not started and interrupts the running ones. The futures of
     * removed tasks are cancelled, and so are the futures of asynchronous tasks whose stage is not complete. A task
     * submitted during the call may still run. Does not wait.
     *
     * @return the tasks that will not run, as they were submitted, in their order for each key. A task that was
     *     submitted as a {@link java.util.concurrent.Callable} or a supplier is not a {@link Runnable}; the future that
     *     its submission returned is in the list instead
     */
    List<Runnable> shutdownNow();

    /**
     * Tells whether new tasks are rejected.
     *
     * @return true from the first call of {@link #shutdown()}, {@link #shutdownNow()} or {@link #close()} on
     */
    boolean isShutdown();

    /**
     * Tells whether the executor is shut down and every accepted task has ended.
     *
     * @return true if the executor is terminated
     */
    boolean isTerminated();

    /**
     * Waits until the executor is terminated, without holding a lock. A task cannot wait for its own end: called from
     * inside a task of this executor, this method does not wait.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @param unit the unit of {@code timeout}
     * @return true if and only if the executor is terminated
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * Shuts down and waits until all accepted tasks have ended, like {@code ExecutorService.close()} since Java 19: if
     * the waiting thread is interrupted, {@link #shutdownNow()} is called, the wait continues, and the interrupt status
     * is restored before this method returns. Called from inside a task of this executor, it shuts down and does not
     * wait, since that task cannot end before this method returns.
     */
    @Override
    void close();
}
