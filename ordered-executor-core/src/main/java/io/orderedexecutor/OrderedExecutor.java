package io.orderedexecutor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The common interface of all ordered executors: a name, a lifecycle, and views to {@linkplain #control() steer} and to
 * {@linkplain #inspect() inspect} an executor.
 *
 * <p>An ordered executor deliberately does not implement {@link java.util.concurrent.Executor}: a task needs a key, and
 * an {@code execute(Runnable)} without one would be a trap. The views of each executor implement it.
 *
 * <h2>Lifecycle</h2>
 *
 * <p>An executor accepts tasks until {@link #shutdown()}, {@link #shutdownNow()} or {@link #close()} is called. From
 * then on it rejects new tasks with a {@link java.util.concurrent.RejectedExecutionException}, including those that its
 * own tasks submit. Only the task of an open {@link Reservation} is accepted even after {@code shutdown} or
 * {@code close}. The executor is terminated when the last accepted task has ended and no reservation is open. All these
 * methods may be called from any thread, from inside a task, concurrently and more than once.
 *
 * <p>Memory consistency effects: the actions of an accepted task <i>happen-before</i> a successful return from
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
     * Returns the view that steers this executor: it pauses and resumes, gives up parked tasks, and changes settings.
     *
     * @return a control, which is cheap and can be kept
     */
    ExecutorControl control();

    /**
     * Returns the view that inspects this executor: statistics, keys, tasks, and explanations of why they wait.
     *
     * @return an inspection, which is cheap and can be kept
     */
    ExecutorInspection inspect();

    /**
     * Waits until this executor has no tasks, including those submitted in the meantime, which are accepted as usual.
     * Tasks of a paused or parked key count, and so does an open {@link Reservation}. A batch that lingers for more
     * items starts at once. Called from inside a task of this executor, or in a dependent action of a future that a
     * shutdown of this executor completes, this method does not wait.
     *
     * @param limit how long to wait at most; zero or less does not wait
     * @return true if there were no tasks; false if the time elapsed first, or if this method did not wait
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     * @throws NullPointerException if {@code limit} is null
     */
    boolean awaitIdle(Duration limit) throws InterruptedException;

    /**
     * Accepts no more tasks, ends all pauses, and lets the accepted tasks finish, but not those of a parked key: the
     * parked task fails, the tasks behind it are cancelled, and a later {@link #shutdownNow()} does not return them.
     * The same happens to a key that parks after the shutdown. An open {@link Reservation} can still be used, unless it
     * is behind a parked task. Does not wait. Has no effect if the executor is already shut down.
     *
     * <p>To keep these tasks, do not call this method. Stop submitting, call {@link #awaitIdle awaitIdle} with a short
     * limit until it or {@link ExecutorControl#isHeldUp()} returns true, and then call {@link #shutdownNow()}, which
     * returns them. Or first resume or skip the {@linkplain ExecutorInspection#parkedTasks() parked tasks}.
     */
    void shutdown();

    /**
     * Accepts no more tasks, removes all tasks that have not started or wait to run again, parked tasks included, and
     * interrupts the running tasks, which are not retried. The futures of removed tasks are cancelled, and so are the
     * futures of asynchronous tasks whose stage is not complete. Their stages are not cancelled: that work may go on
     * after the termination. Open reservations are given back. A task that is about to start, or is submitted during
     * the call, may still run. Does not wait.
     *
     * <p>Results of an {@link OrderedOutput} that are complete and wait for their turn are not written: their futures
     * are cancelled, and they are not in the list.
     *
     * @return the tasks that were removed, as they were submitted, in their order for each key. A task that is not a
     *     {@link Runnable}, but a {@link java.util.concurrent.Callable} or a supplier, is represented by the very
     *     future that its submission, or its {@link Reservation}, returned. Tasks that are running, asynchronous tasks
     *     that have started, and reservations that were not used are not in the list
     */
    List<Runnable> shutdownNow();

    /**
     * Returns whether this executor was shut down, and so rejects new tasks.
     *
     * @return true after the first call of {@link #shutdown()}, {@link #shutdownNow()} or {@link #close()}
     */
    boolean isShutdown();

    /**
     * Returns whether the executor is shut down, every accepted task has ended, and no reservation is open.
     *
     * @return true if the executor is terminated
     */
    boolean isTerminated();

    /**
     * Waits until the executor is terminated, without holding a lock. In four cases, this method does not wait: in a
     * task of this executor, since a task cannot wait for its own end; in a dependent action of a future that a
     * shutdown of this executor completes; in a dependent action of a future that a submission cancels when it drops a
     * queued task; and if an {@link OutOfMemoryError} or {@link StackOverflowError} has broken this executor.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @param unit the unit of {@code timeout}
     * @return true if and only if the executor is terminated
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     */
    boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException;

    /**
     * {@linkplain #shutdown Shuts down}, which gives up parked keys, and waits until all accepted tasks have ended,
     * like {@code ExecutorService.close()} since Java 19: if the waiting thread is interrupted, {@link #shutdownNow()}
     * is called, the wait continues, and the interrupt status is restored before this method returns. Called from
     * inside a task of this executor, this method shuts down and does not wait, since that task cannot end before the
     * method returns. It does not wait either in the dependent actions that {@link #awaitTermination awaitTermination}
     * names, or if an {@link OutOfMemoryError} or {@link StackOverflowError} has broken the executor, whose tasks may
     * then never end.
     */
    @Override
    void close();
}
