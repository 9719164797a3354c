package io.orderedexecutor;

import io.orderedexecutor.engine.admit.Engine;
import io.orderedexecutor.engine.run.Settings;
import java.time.Duration;

/**
 * Steers a running executor: {@link OrderedExecutor#control()}. A key is a stripe, a group, or an
 * {@link OrderedOutput}. Thread-safe; all methods may be called from inside a task.
 *
 * <p>A key is compared as the executor compares it: a number of another type, or a text that reads the same, is another
 * key. A key without tasks can be paused; resuming a key that does not exist is not an error.
 */
public final class ExecutorControl {
    private final Engine engine;

    ExecutorControl(Engine engine) {
        this.engine = engine;
    }

    // all keys

    /**
     * Starts no more tasks until {@link #resume()} or a shutdown. Running tasks continue to their end, and new tasks
     * are accepted. A call that races with the start of a task may come too late for it. Has no effect after a
     * shutdown.
     */
    public void pause() {
        engine.pause();
    }

    /**
     * Lets tasks start again. Has no effect on an executor that is not paused. Unlike {@link #resume(Object)}, this
     * method runs no parked task again, and does not end the pause of a single key.
     */
    public void resume() {
        engine.resume();
    }

    /**
     * Returns whether the executor is paused.
     *
     * @return true from {@link #pause()} to {@link #resume()} or a shutdown
     */
    public boolean isPaused() {
        return engine.isPaused();
    }

    /**
     * Returns whether the executor has tasks, and none of them goes on by itself: each task is paused or parked, or
     * waits for such a task. These tasks go on only after somebody has {@linkplain #resume(Object) resumed} or
     * {@linkplain #skip skipped} the paused or parked ones. An open {@link Reservation} counts as a task that may go
     * on, unless its key or the executor is paused: its task may still come.
     *
     * @return true if no task goes on before somebody calls {@code resume} or {@code skip}; false if a task may go on,
     *     or if there is no task
     */
    public boolean isHeldUp() {
        return engine.isHeldUp();
    }

    // one key

    /**
     * Pauses a key until {@link #resume(Object)}, which also resumes its parked tasks, or a shutdown: no task starts
     * that has this key, in any mode, or that has all keys. Tasks of other keys go on. A running task continues to its
     * end. A paused key takes memory even while it has no tasks. Has no effect after a shutdown.
     *
     * @param key the key
     * @throws UnsupportedOperationException if the executor is an {@link OrderedOutputExecutor}, whose outputs cannot
     *     be paused one by one
     * @throws IllegalArgumentException if the executor is grouped, and {@code key} is the {@link Groups} of a task:
     *     pass one of them
     * @throws NullPointerException if {@code key} is null
     */
    public void pause(Object key) {
        engine.pause(engine.requireKey(key));
    }

    /**
     * Ends the pause of a key and runs again the parked tasks that hold it up: always both.
     *
     * @param key the key
     * @return false if the key was neither paused nor held up
     * @throws IllegalArgumentException if the executor is grouped, and {@code key} is the {@link Groups} of a task:
     *     pass one of them
     * @throws NullPointerException if {@code key} is null
     */
    public boolean resume(Object key) {
        return engine.resume(engine.requireKey(key));
    }

    /**
     * Returns whether a key itself, and not only its executor, is paused.
     *
     * @param key the key
     * @return true from {@link #pause(Object)} to {@link #resume(Object)} or a shutdown
     * @throws IllegalArgumentException if the executor is grouped, and {@code key} is the {@link Groups} of a task:
     *     pass one of them
     * @throws NullPointerException if {@code key} is null
     */
    public boolean isPaused(Object key) {
        return engine.isPaused(engine.requireKey(key));
    }

    /**
     * Gives up the parked tasks that hold up a key: they have failed for good, and the next task runs, unless the key
     * is paused. Their futures fail, and {@link TaskListener#failed} is called. The failure of a task that has no
     * future goes to the uncaught exception handler of the calling thread.
     *
     * @param key the key
     * @return false if there are no such tasks
     * @throws IllegalArgumentException if the executor is grouped, and {@code key} is the {@link Groups} of a task:
     *     pass one of them
     * @throws NullPointerException if {@code key} is null
     */
    public boolean skip(Object key) {
        return engine.unpark(engine.requireKey(key), false);
    }

    /**
     * Waits until a key has no tasks, including barriers and those submitted in the meantime. Meanwhile no batch of the
     * key lingers for more items. See {@link OrderedExecutor#awaitIdle}.
     *
     * @param key the key
     * @param limit how long to wait at most; zero or less does not wait
     * @return true if the key had no tasks; false if the time elapsed first, or if this method did not wait
     * @throws InterruptedException if the calling thread is interrupted before or while it waits
     * @throws IllegalArgumentException if the executor is grouped, and {@code key} is the {@link Groups} of a task:
     *     pass one of them
     * @throws NullPointerException if an argument is null
     */
    public boolean awaitIdle(Object key, Duration limit) throws InterruptedException {
        return engine.awaitIdle(engine.requireKey(key), limit);
    }

    // settings

    /**
     * Changes the maximum number of the executor's own threads. Surplus threads end after the task that they run.
     *
     * @param threads at least 1
     * @throws IllegalArgumentException if {@code threads} is less than 1
     * @throws IllegalStateException if the executor runs on another executor
     * @throws RuntimeException the exception of the thread factory if a thread is needed and cannot be started; the new
     *     maximum holds all the same
     */
    public void setThreads(int threads) {
        engine.service().workers().setThreads(Settings.checkedThreads(threads));
    }

    /**
     * Changes how many tasks may be queued in total. Tasks beyond a lower capacity stay queued, unless a submission
     * with {@link Overflow#discardOldest()} drops them; new tasks find room again when fewer tasks are queued.
     *
     * @param capacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code capacity} is out of range
     * @throws IllegalStateException if the executor was built without a capacity
     */
    public void setCapacity(int capacity) {
        engine.setCapacity(Settings.checked("capacity", capacity));
    }

    /**
     * Changes how many tasks may be queued in each key. Tasks beyond a lower capacity stay queued, unless a submission
     * with {@link Overflow#discardOldest()} drops them.
     *
     * @param keyCapacity from 1 to 1,000,000,000
     * @throws IllegalArgumentException if {@code keyCapacity} is out of range
     * @throws IllegalStateException if the executor was built without a key capacity
     * @throws UnsupportedOperationException if the executor is an {@link OrderedOutputExecutor}: each output has the
     *     window with which it was opened
     */
    public void setKeyCapacity(int keyCapacity) {
        engine.setKeyCapacity(Settings.checked("keyCapacity", keyCapacity));
    }
}
