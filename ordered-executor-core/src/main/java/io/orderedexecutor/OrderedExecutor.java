package io.orderedexecutor;

import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What all ordered executors share: a name, figures, and a lifecycle.
 *
 * <p>An ordered executor deliberately is no {@link java.util.concurrent.Executor}: a task needs a key, and an
 * {@code execute(Runnable)} without one would be a trap. The views of each executor are.
 *
 * <h2>Lifecycle</h2>
 *
 * <p>An executor runs until {@link #shutdown()}, {@link #shutdownNow()} or {@link #close()}; from then on it refuses
 * new tasks with a {@link java.util.concurrent.RejectedExecutionException}, also those that its own tasks submit. It is
 * terminated when the last accepted task has ended. All these methods may be called from any thread, from inside a
 * task, at the same time and more than once.
 *
 * <p>Memory consistency effects: what an accepted task did <i>happens-before</i> a successful return from
 * {@link #awaitTermination awaitTermination} or {@link #close()}.
 */
public interface OrderedExecutor extends AutoCloseable {

    /**
     * Returns the name that threads, messages and meters bear.
     *
     * @return the name, never empty
     */
    String name();

    /**
     * Returns the figures of this moment. Counts of ended tasks never decrease from one call to the next; an idle
     * executor's figures are exact, a busy one's may miss what happens during the call. The cost is in proportion to
     * the number of stripes that have tasks, or of tasks that have groups; no submitter and no worker is held up.
     *
     * @return the figures
     */
    OrderedExecutorStats stats();

    /**
     * Returns the settings that are in force, changes since the executor was built included.
     *
     * @return the settings of this moment
     */
    OrderedExecutorSettings settings();

    /**
     * Starts no more tasks until {@link #resume()} or a shutdown. Running tasks go on to their end; new ones are
     * accepted. A call that races with the start of a task may come too late for it. Has no effect after a shutdown.
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
     * Changes how many threads of its own this executor has at most. Threads that are too many end with their current
     * turn.
     *
     * @param threads at least 1
     * @throws IllegalArgumentException if {@code threads} is less than 1
     * @throws IllegalStateException if this executor runs on another executor
     */
    void setThreads(int threads);

    /**
     * Changes how long a thread serves one stripe while others wait.
     *
     * @param tasks at least 1
     * @param time more than zero
     * @throws IllegalArgumentException if {@code tasks} is less than 1 or {@code time} is not positive
     */
    void setTurn(int tasks, Duration time);

    /**
     * Changes how many tasks may be queued in all. If more are, they stay; there is room again when fewer are.
     *
     * @param capacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code capacity} is out of range
     * @throws IllegalStateException if this executor was built without a capacity
     */
    void setCapacity(int capacity);

    /**
     * Waits until this executor has no tasks, those included that come meanwhile; none is refused. A paused or parked
     * stripe is waited for. Called from inside a task of this executor, this method does not wait.
     *
     * @param limit how long to wait at most
     * @return false if there were still tasks when the time was over
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    boolean drain(Duration limit) throws InterruptedException;

    /**
     * Returns the tasks that run at this moment, those included that are asynchronous and not complete.
     *
     * @return the running tasks, in no order
     */
    List<RunningTask> runningTasks();

    /**
     * Accepts no more tasks and lets all accepted ones finish. Does not wait. Has no further effect on an executor that
     * is shut down already.
     */
    void shutdown();

    /**
     * Accepts no more tasks, takes back all that have not started and interrupts the running ones. A task that is
     * submitted during the call may still run. Futures of tasks that were taken back are cancelled, and so are the
     * futures of asynchronous tasks whose stage is not complete. Does not wait.
     *
     * @return the tasks that will not run, as they were submitted, in their order for each key. A task that was
     *     submitted as a {@link java.util.concurrent.Callable} or a supplier is no {@link Runnable}; the future that
     *     the submission returned stands for it
     */
    List<Runnable> shutdownNow();

    /**
     * Tells whether new tasks are refused.
     *
     * @return true from the first call of {@link #shutdown()}, {@link #shutdownNow()} or {@link #close()} on
     */
    boolean isShutdown();

    /**
     * Tells whether the executor is shut down and every accepted task has ended.
     *
     * @return true if nothing is left to do, for good
     */
    boolean isTerminated();

    /**
     * Waits until the executor is terminated, holding no lock. A task of this executor cannot outlive itself: called
     * from inside one, this method does not wait.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @param unit the unit of {@code timeout}
     * @return true if and only if the executor is terminated
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * Shuts down and waits until all accepted tasks have ended, like {@code ExecutorService.close()} since Java 19: an
     * interrupt of the waiting thread turns this into {@link #shutdownNow()}, the wait goes on, and the thread's
     * interrupt status is set again before the method returns. Called from inside a task of this executor it shuts down
     * and does not wait, since that task cannot end before it returns.
     */
    @Override
    void close();
}
