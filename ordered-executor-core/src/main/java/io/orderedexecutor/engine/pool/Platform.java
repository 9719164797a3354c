package io.orderedexecutor.engine.pool;

import io.orderedexecutor.TaskListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The clock, the timers, and the means to park and start threads: the only place in the core that asks the JDK for
 * them. A test hands a subclass to a builder and decides when time passes, when a timer fires and when a thread runs;
 * or it replaces the platform that all builders of the JVM use.
 *
 * <p>Stateless, and used by any thread. In an application this class has no subclass that is loaded, so the JIT
 * compiler inlines the calls.
 */
public class Platform {

    /** The platform of the JDK. */
    public static final Platform JDK = new Platform();

    /** The platform that all others come from; another one than {@link #JDK} once a test has taken over. */
    private static volatile Platform source = JDK;

    public Platform() {}

    // who takes over

    /** The platform of an executor that is being built and was given none. */
    public static Platform of(String name) {
        return source.platformOf(name);
    }

    /** Lets a test say, by its {@link #platformOf} and {@link #onWait}, what is used from now on. */
    public static void takeOver(Platform newSource) {
        source = newSource;
    }

    /**
     * Called before a thread waits for a future by the means of the future, for which a platform is not asked.
     *
     * @param nanos how long it will wait; {@link Long#MAX_VALUE} for as long as it takes
     * @param interruptibly whether an interrupt ends the wait
     * @return how long it has to wait still
     */
    public static long beforeWait(CompletableFuture<?> future, long nanos, boolean interruptibly) {
        return source.onWait(future, nanos, interruptibly);
    }

    /** See {@link #of}. Called by any thread, with no lock held. */
    protected Platform platformOf(String name) {
        return this;
    }

    /** See {@link #beforeWait}. Called by any thread, with no lock held. */
    protected long onWait(CompletableFuture<?> future, long nanos, boolean interruptibly) {
        return nanos;
    }

    // time

    /** The time as {@link System#nanoTime} measures it. */
    public long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Runs an action after a while, on the JDK's only timer thread for futures, on which all time-outs of the JVM
     * depend: the action must do nothing but hand over to other threads.
     *
     * @return forgets the action if it has not begun; called by any thread, more than once, too
     */
    public Runnable schedule(long nanos, Runnable action) {
        return runLater(nanos, action);
    }

    private static Runnable runLater(long nanos, Runnable action) {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        var unused = due.thenAccept(isDue -> {
            if (isDue) {
                action.run();
            }
        });
        // a future that is complete takes its time-out from the timer's queue
        due.completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
        return () -> due.complete(false);
    }

    /**
     * As {@link #schedule}, on one of the JDK's threads for asynchronous actions. The action contains its own failures.
     */
    public Runnable scheduleAsync(long nanos, Runnable action) {
        Executor threads = new CompletableFuture<>().defaultExecutor();
        return runLater(nanos, () -> threads.execute(action));
    }

    /** Any number, to spread orders that have no hash of their own. */
    public int random() {
        return ThreadLocalRandom.current().nextInt();
    }

    // parked threads

    /**
     * How long a thread waits for another one before it looks whether that will never come: an Error that has struck
     * where there was no stack left could wake nobody.
     */
    public long patienceNanos() {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /** Parks the current thread, as {@link LockSupport#parkNanos(Object, long)} does. */
    public void parkNanos(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /** As {@link #parkNanos}, for a worker that has nothing to do: no other thread waits for what it does next. */
    public void restNanos(Object blocker, long nanos) {
        parkNanos(blocker, nanos);
    }

    /** Wakes a thread that {@link #parkNanos} has parked, or lets its next call return at once. */
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    /** Makes a condition of a lock, for {@link #awaitNanos}. */
    public Condition newCondition(Lock lock) {
        return lock.newCondition();
    }

    /**
     * Waits for a condition, as {@link Condition#awaitNanos} does.
     *
     * @param condition made by {@link #newCondition}
     * @param lock the lock of the condition, which the caller holds; a test needs it to signal when its time passes
     * @return how much time is left; zero or less if the time is over
     */
    @SuppressWarnings("WaitNotInLoop") // callers loop
    public long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
        return condition.awaitNanos(nanos);
    }

    // started threads

    /**
     * Makes the threads of an executor's own.
     *
     * @param given by the application; null if it has given none
     */
    public ThreadFactory threadFactory(String name, @Nullable ThreadFactory given) {
        return given == null ? new WorkerThreadFactory(name) : given;
    }

    /** The default number of threads of an executor. */
    public int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** Returns the pool that runs the tasks of an executor to which the application has handed a pool. */
    public Executor borrowed(String name, Executor given) {
        return given;
    }

    /** Starts a thread that a factory has made. */
    public void start(Thread thread) {
        thread.start();
    }

    /** Called when an executor was built, with what shuts it down. */
    public void built(Runnable shutdown) {}

    // tasks

    /** The listeners of an executor. */
    public List<TaskListener> listeners(String name, List<TaskListener> given) {
        return given;
    }

    /** Called before a task is accepted, with no lock held. If it throws, the task is refused. */
    public void beforeSubmission(Runnable task) {}

    /**
     * Called before a task runs, if its executor has a listener. If it throws, the task counts as having thrown that.
     */
    public void beforeTask() {}
}
