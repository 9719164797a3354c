package io.orderedexecutor.engine.pool;

import io.orderedexecutor.TaskListener;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The clock, the timers, and the means to park and start threads. The core gets them only from here, except that the
 * methods of futures and locks park threads themselves; see {@link #beforeWait}. A test decides when time passes, when
 * a timer fires and when a thread runs: it gives a subclass to a builder, or calls {@link #takeOver} to provide the
 * platforms of the executors that are built later.
 *
 * <p>Platforms of this class have no state, and any thread may use them. An application loads no subclass, so the JIT
 * compiler inlines the calls.
 */
public class Platform {

    /** The platform of the JDK. */
    public static final Platform JDK = new Platform();

    /**
     * The threads for actions of timers. The JDK's timer thread must not run these, since they call the executors of
     * applications, which may block. The common pool does not run them either: retries and leases must go on while
     * tasks that wait keep all of its threads. They are few: otherwise each due action of a pool that blocks would keep
     * one. Each ends after a minute without an action.
     */
    private static final Executor TIMER_THREADS = timerPool(8);

    private static final long PAUSE_WITHOUT_THREAD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Provides the platforms of executors; not {@link #JDK} once a test has taken over. */
    private static volatile Platform source = JDK;

    public Platform() {}

    // for tests that take over

    /** The platform of an executor whose builder was given none. */
    public static Platform of(String name) {
        return source.platformOf(name);
    }

    /**
     * Lets a test take over: from now on, {@link #platformOf} of the new source chooses the platform of each executor
     * whose builder was given none, {@link #onWait} is called before a thread waits in a method of a future of an
     * executor, and {@link #asyncExecutorHere} chooses what runs the asynchronous actions of such a future.
     */
    public static void takeOver(Platform newSource) {
        source = newSource;
    }

    /**
     * Called before a thread waits in a method of the future of a task, or of a {@link PlatformFuture}. That method
     * parks the thread itself, so a test that has taken over lets the thread wait here.
     *
     * @param nanos the limit of the wait; {@link Long#MAX_VALUE} if there is none
     * @param interruptibly whether an interrupt ends the wait
     * @return the limit for the method of the future; 0 if it has elapsed here
     */
    public static long beforeWait(CompletableFuture<?> future, long nanos, boolean interruptibly) {
        return source.onWait(future, nanos, interruptibly);
    }

    /**
     * The executor of asynchronous actions of futures that name none; that of the JDK, unless a test has taken over.
     */
    public static Executor asyncExecutor() {
        return source.asyncExecutorHere();
    }

    /** See {@link #of}. Called by any thread, with no lock held. */
    protected Platform platformOf(String name) {
        return this;
    }

    /** See {@link #beforeWait}. Called by any thread, with no lock held. */
    protected long onWait(CompletableFuture<?> future, long nanos, boolean interruptibly) {
        return nanos;
    }

    /** See {@link #asyncExecutor}. Called by any thread, with no lock held. */
    protected Executor asyncExecutorHere() {
        return new CompletableFuture<>().defaultExecutor();
    }

    // time

    /** The time as {@link System#nanoTime} measures it. */
    public long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Runs an action after a while, on a thread of {@link #TIMER_THREADS}. The action contains its own failures.
     *
     * @return cancels the action unless the time has elapsed: then the action still runs, even if it has no thread yet.
     *     Any thread may call it, and more than once
     */
    public Runnable scheduleAsync(long nanos, Runnable action) {
        CompletableFuture<Boolean> due = new CompletableFuture<>();
        var unused = due.thenAccept(isDue -> {
            if (isDue) {
                startTimed(action);
            }
        });
        due.completeOnTimeout(true, nanos, TimeUnit.NANOSECONDS);
        // completing the future removes its timeout from the timer's queue
        return () -> due.complete(false);
    }

    /**
     * Called on the JDK's single timer thread for futures. All time-outs of futures in the JVM depend on that thread,
     * so it only hands over the action. If no thread can be started, it tries again later, since nobody else would: the
     * action may be a retry, or the end of a lease. A late action has no effect if it is no longer wanted.
     */
    private void startTimed(Runnable action) {
        try {
            timerThreads().execute(action);
        } catch (Throwable noThread) {
            scheduleAsync(PAUSE_WITHOUT_THREAD_NANOS, action);
            UncaughtFailures.report(noThread);
        }
    }

    /** Overridden by a test. */
    Executor timerThreads() {
        return TIMER_THREADS;
    }

    private static Executor timerPool(int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, 1, TimeUnit.MINUTES, new LinkedBlockingQueue<>(), Platform::timerThread);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static Thread timerThread(Runnable actions) {
        Thread thread = new Thread(null, actions, "ordered-executor-timer", 0, false);
        thread.setDaemon(true);
        // not that of the application whose timer happens to start this thread
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        return thread;
    }

    /** A random number. */
    public int random() {
        return ThreadLocalRandom.current().nextInt();
    }

    // parked threads

    /**
     * How long a parked thread waits before it checks for a broken executor: a thread that died of an Error may have
     * woken nobody.
     */
    public long patienceNanos() {
        return TimeUnit.SECONDS.toNanos(10);
    }

    /** Parks the current thread, as {@link LockSupport#parkNanos(Object, long)} does. */
    public void parkNanos(Object blocker, long nanos) {
        LockSupport.parkNanos(blocker, nanos);
    }

    /**
     * Like {@link #parkNanos}, for a worker or helper that waits for work. Since no other thread waits for this one, a
     * simulation does not report it as stuck.
     */
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
     * @return how much time is left; zero or less if the time has elapsed
     */
    @SuppressWarnings("WaitNotInLoop") // callers loop
    public long awaitNanos(Lock lock, Condition condition, long nanos) throws InterruptedException {
        return condition.awaitNanos(nanos);
    }

    // started threads

    /**
     * Makes the factory for an executor's own threads.
     *
     * @param given the factory of the application; null if it has given none
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

    /** Called when an executor was built, with an action that shuts it down. */
    public void built(Runnable shutdown) {}

    // tasks

    /** Returns the listeners that an executor notifies: those that its builder was given. A test may add its own. */
    public List<TaskListener> listeners(String name, List<TaskListener> given) {
        return given;
    }

    /** Called before a task is accepted, with no lock held. If this throws, the task is refused. */
    public void beforeSubmission(Runnable task) {}

    /** Called before listeners are told of a task that fills a reserved place, with the task as they get it. */
    public void beforeFilled(Object task) {}

    /** Called before a task runs, if its executor has a listener. If this throws, the task has failed with that. */
    public void beforeTask() {}
}
