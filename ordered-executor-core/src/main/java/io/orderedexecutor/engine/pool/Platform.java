package io.orderedexecutor.engine.pool;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/**
 * The clock, the timers, and the means to park and start threads: the only place in the core that asks the JDK for
 * them. A test hands a subclass to a builder and decides when time passes, when a timer fires and when a thread runs.
 *
 * <p>Stateless, and used by any thread. In an application this class has no subclass that is loaded, so the JIT
 * compiler inlines the calls.
 */
public class Platform {

    /** The JDK's own. */
    public static final Platform JDK = new Platform();

    private static final Executor ANY_THREAD = new CompletableFuture<Void>().defaultExecutor();

    public Platform() {}

    // time

    /** The time as {@link System#nanoTime} measures it. */
    public long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Calls back after a while, on the JDK's only timer thread for futures, on which all time-outs of the JVM depend:
     * the action must do nothing but hand over to other threads.
     */
    public void schedule(long nanos, Runnable action) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
                .execute(action);
    }

    /**
     * Runs an action after a while, on one of the JDK's threads for asynchronous actions. The action contains its own
     * failures.
     */
    public void scheduleAsync(long nanos, Runnable action) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(action);
    }

    // parked threads

    /** Parks the current thread, as {@link LockSupport#parkNanos(Object, long)} does. */
    public void parkNanos(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /** Wakes a thread that {@link #parkNanos} has parked, or lets its next call return at once. */
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    /**
     * Waits for a condition, as {@link Condition#awaitNanos} does.
     *
     * @param lock the lock of the condition, which the caller holds; a test needs it to signal when its time passes
     * @return how much time is left; zero or less if the time is over
     */
    @SuppressWarnings("WaitNotInLoop") // callers loop
    public long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
        return condition.awaitNanos(nanos);
    }

    /**
     * For a thread that has found no memory for what it must do: gives other threads the time to free some, with each
     * try twice as much, up to 128 ms. Allocates nothing.
     *
     * @param tries how often it has tried before
     */
    public void awaitMemory(int tries) {
        parkNanos(this, 1_000_000L << Math.min(tries, 7));
    }

    /**
     * Takes a lock, for a thread that must: before JDK 21, a lock that another thread has needs memory for the queue of
     * those who wait.
     */
    public final void lock(Lock lock) {
        for (int tries = 0; ; tries++) {
            try {
                lock.lock();
                return;
            } catch (OutOfMemoryError noMemory) {
                awaitMemory(tries);
            }
        }
    }

    // started threads

    /** Makes the threads of an executor's own. */
    public ThreadFactory threadFactory(String name) {
        return new WorkerThreadFactory(name);
    }

    /** Starts a thread that a factory has made. */
    void start(Thread thread) {
        thread.start();
    }

    /** Runs an action on one of the JDK's threads for asynchronous actions, never on the calling thread. */
    void runAsync(Runnable action) {
        ANY_THREAD.execute(action);
    }
}
