package io.orderedexecutor.engine.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The thread for work that was accepted, that a pool has refused, and that no thread at hand may run: readers,
 * completers, cancellers and timers run no tasks. It offers the oldest work to the pool again, at once and then after
 * 1, 2, 4 … 100 ms. What the pool has refused for a second, it runs itself; so it does with what the pool runs in its
 * caller. Threads of the pool that have nothing else to do come for the work here, too.
 *
 * <pre>
 *   not running ──▶ running   by the thread that adds work: it starts the helper; if none can be started, it is the
 *                             helper itself until nothing is left, and waits for nothing
 *   running ──▶ not running   by the helper, if there was no work for a second or the executor has terminated; under
 *                             the monitor, so that nothing is added unseen
 * </pre>
 *
 * <p>Work may run more than once, see {@link Workers}. The monitor is held for a few writes, and never while other code
 * runs.
 */
public final class Helper {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** For how long a pool may refuse work before the helper runs it. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Work, and when the pool has refused it first. */
    private record Refused(Runnable work, long since) {}

    private final String name;
    private final Consumer<Runnable> pool;
    private final Platform platform;
    private final ThreadFactory threads;

    @GuardedBy("this")
    private final Deque<Refused> refused = new ArrayDeque<>(0);

    /** How much {@link #refused} has. Written under the monitor; read without it by threads that look for work. */
    private volatile int size;

    /** Whether a thread is the helper, or is about to be. */
    @GuardedBy("this")
    private boolean running;

    /** The helper while it waits for work. Written by the helper, and read after work was added. */
    private volatile @Nullable Thread resting;

    private volatile boolean closed;

    /** @param pool runs what it is given, on the calling thread or on another one; throws if it refuses */
    public Helper(String name, Consumer<Runnable> pool, Platform platform) {
        this.name = name;
        this.pool = pool;
        this.platform = platform;
        this.threads = platform.threadFactory(name + "-helper", null);
    }

    /** Takes work over that was refused just now. */
    public void add(Runnable work) {
        boolean starts = addFor(new Refused(work, platform.nanoTime()));
        Thread waiting = resting;
        if (starts) {
            start();
        } else if (waiting != null) {
            platform.unpark(waiting);
        }
    }

    /** Whether there is work that nobody has come for. */
    public boolean hasWork() {
        return size > 0;
    }

    /** The oldest work, for a thread that runs it now; null if there is none. */
    public @Nullable Runnable poll() {
        Refused oldest = size == 0 ? null : pollOldest();
        return oldest == null ? null : oldest.work;
    }

    /** The executor has terminated: what is left here has nothing to run, and the helper ends. */
    public void close() {
        closed = true;
        forgetAll();
        Thread waiting = resting;
        if (waiting != null) {
            platform.unpark(waiting);
        }
    }

    /** Returns whether the caller has to start the helper. */
    private synchronized boolean addFor(Refused work) {
        refused.addLast(work);
        size = refused.size();
        boolean starts = !running;
        running = true;
        return starts;
    }

    private synchronized void putBack(Refused oldest) {
        refused.addFirst(oldest);
        size = refused.size();
    }

    private synchronized @Nullable Refused pollOldest() {
        Refused oldest = refused.pollFirst();
        size = refused.size();
        return oldest;
    }

    private synchronized void forgetAll() {
        refused.clear();
        size = 0;
    }

    /** Whether nothing is left, and the calling thread is the helper no more. */
    private synchronized boolean ends() {
        boolean ends = refused.isEmpty();
        running = !ends;
        return ends;
    }

    private synchronized void end() {
        running = false;
    }

    private void start() {
        try {
            Thread thread = threads.newThread(this::help);
            platform.start(thread);
        } catch (Throwable noThread) {
            UncaughtFailures.report(new RejectedExecutionException(
                    "no thread could be started for executor '" + name + "', so thread '"
                            + Thread.currentThread().getName() + "' runs its tasks that are ready",
                    noThread));
            runAll();
        }
    }

    /** For the thread at hand, if there is no other. */
    private void runAll() {
        do {
            for (Refused next = pollOldest(); next != null; next = pollOldest()) {
                runContained(next.work);
            }
        } while (!ends());
    }

    private void help() {
        boolean ended = false;
        try {
            while (!ended) {
                for (Refused next = pollOldest(); next != null; next = pollOldest()) {
                    findThreadFor(next);
                }
                rest();
                ended = ends();
            }
        } finally {
            if (!ended) {
                // only a simulation that is over ends a thread in the middle
                end();
            }
        }
    }

    private void findThreadFor(Refused first) {
        long pause = FIRST_PAUSE_NANOS;
        for (Refused next = first; next != null && !isTaken(next.work); next = pollOldest()) {
            if (platform.nanoTime() - next.since >= PATIENCE_NANOS) {
                runContained(next.work);
                return;
            }
            // whoever looks for work finds it meanwhile
            putBack(next);
            pause(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        }
    }

    private boolean isTaken(Runnable work) {
        try {
            pool.accept(work);
            return true;
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            return false;
        }
    }

    private static void runContained(Runnable work) {
        try {
            work.run();
        } catch (Throwable failure) {
            // work contains what tasks throw, and so this is a defect of ours: it must not cost the helper
            UncaughtFailures.report(failure);
        }
    }

    private void pause(long nanos) {
        long until = platform.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = until - platform.nanoTime()) {
            platform.parkNanos(this, left);
            // an interrupt would make each park return at once
            Thread.interrupted();
        }
    }

    /** Waits for work until there was none for a while. */
    private void rest() {
        resting = Thread.currentThread();
        try {
            long until = platform.nanoTime() + KEEP_ALIVE_NANOS;
            for (long left = KEEP_ALIVE_NANOS; left > 0 && size == 0 && !closed; left = until - platform.nanoTime()) {
                platform.restNanos(this, left);
                Thread.interrupted();
            }
        } finally {
            resting = null;
        }
    }
}
