package io.orderedexecutor.engine.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A thread for accepted work that a pool has refused, and that the thread at hand must not run: readers, completers,
 * cancellers and timers run no tasks. The helper offers the oldest work to the pool again, at once and then after 1, 2,
 * 4 … 100 ms. Work that the pool has refused for a second runs on the helper, as does work that the pool runs in its
 * caller. Meanwhile a timer offers the other work every 100 ms. A thread of the pool that has served a place polls the
 * work here, too.
 *
 * <pre>
 *   not running ──▶ running   by a thread that adds work, calls the helper, or runs the timer: it starts the helper
 *   running ──▶ not running   by that thread, if it cannot start the helper; by the helper, if there was no work for a
 *                             second, the executor has terminated, or an Error ends its thread; under the monitor, so
 *                             that it misses no work
 * </pre>
 *
 * <p>If the helper cannot be started, the thread that has tried runs the oldest work, and tries again as long as there
 * is any; but not in {@link #deposit}. Other threads that add work meanwhile do the same.
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

    /** @param since when the work was added */
    private record Refused(Runnable work, long since) {}

    private final String name;

    /** Gives work to the pool, which may run it inline. */
    private final Consumer<Runnable> handOver;

    /** Like {@link Workers#passOn}. */
    private final Predicate<Runnable> passOn;

    private final Platform platform;
    private final ThreadFactory threads;

    /** Added to and polled under the monitor. A sweep removes without it, since a sweep may take long. */
    private final Deque<Refused> refused = new ConcurrentLinkedDeque<>();

    private final SweepPace sweeps = new SweepPace();

    /**
     * Whether {@link #refused} has any work; may stay true until a sweep has ended. Written under the monitor; read
     * without it by threads that look for work.
     */
    private volatile boolean hasWork;

    /** Whether a thread is the helper, or is about to be. */
    @GuardedBy("this")
    private boolean running;

    /** How many threads run or hand over work: the helper, and threads that could not start the helper. */
    @GuardedBy("this")
    private int busy;

    /** The time since which at least one thread has been busy, on the clock of the platform. */
    @GuardedBy("this")
    private long busySince;

    /** Whether the timer is set that offers work while no helper is free to do so. */
    @GuardedBy("this")
    private boolean timed;

    /** The helper thread while it waits for work; null at other times. Written by the helper, read by any thread. */
    private volatile @Nullable Thread resting;

    private volatile boolean closed;

    Helper(String name, Consumer<Runnable> handOver, Predicate<Runnable> passOn, Platform platform) {
        this.name = name;
        this.handOver = handOver;
        this.passOn = passOn;
        this.platform = platform;
        this.threads = platform.threadFactory(name + "-helper", null);
    }

    /** Adds work that the pool has just refused. If the helper cannot be started, the calling thread runs work here. */
    public void add(Runnable work) {
        add(work, true);
    }

    /** Like {@link #add}, but the calling thread runs nothing now: it has to {@link #call} or {@link #poll} later. */
    public void deposit(Runnable work) {
        add(work, false);
    }

    /** Starts the helper if there is work and no helper is running. */
    public void call() {
        if (claimsStart()) {
            start(true);
        }
    }

    /** Whether there is work that no thread has polled. */
    public boolean hasWork() {
        return hasWork;
    }

    /** Removes and returns the oldest work, for the calling thread to run; null if there is none. */
    public @Nullable Runnable poll() {
        Refused oldest = hasWork ? pollOldest() : null;
        return oldest == null ? null : oldest.work;
    }

    /** See {@link Workers#onOver}. */
    void onOver(Predicate<? super Runnable> isOver) {
        if (hasWork) {
            sweeps.onOver(() -> sweep(isOver));
        }
    }

    private int sweep(Predicate<? super Runnable> isOver) {
        int left = 0;
        for (Iterator<Refused> all = refused.iterator(); all.hasNext(); ) {
            if (isOver.test(all.next().work)) {
                all.remove();
            } else {
                left++;
            }
        }
        noteWhetherHasWork();
        return left;
    }

    /** Called when the executor has terminated: forgets the work, which has nothing to run, and ends the helper. */
    public void close() {
        closed = true;
        forgetAll();
        Thread waiting = resting;
        if (waiting != null) {
            platform.unpark(waiting);
        }
    }

    private void add(Runnable work, boolean mayRun) {
        if (addFor(new Refused(work, platform.nanoTime()))) {
            start(mayRun);
        } else {
            wake();
            offerByTimer();
        }
    }

    /** Returns whether the caller has to start the helper. */
    private synchronized boolean addFor(Refused refusal) {
        refused.addLast(refusal);
        hasWork = true;
        return claimsRole();
    }

    @GuardedBy("this")
    private boolean claimsRole() {
        boolean starts = !running;
        running = true;
        return starts;
    }

    private synchronized void putBack(Refused oldest) {
        refused.addFirst(oldest);
        hasWork = true;
    }

    private void wake() {
        Thread waiting = resting;
        if (waiting != null) {
            platform.unpark(waiting);
        }
    }

    private synchronized @Nullable Refused pollOldest() {
        Refused oldest = refused.pollFirst();
        noteWhetherHasWork();
        return oldest;
    }

    private synchronized void forgetAll() {
        refused.clear();
        hasWork = false;
    }

    private synchronized void noteWhetherHasWork() {
        hasWork = !refused.isEmpty();
    }

    /** Ends the role of the helper if no work is left; returns whether it did. */
    private synchronized boolean ends() {
        boolean ends = refused.isEmpty();
        running = !ends;
        return ends;
    }

    private synchronized void end() {
        running = false;
    }

    /** Called when the helper could not be started; polls the oldest work if the calling thread may run it. */
    private synchronized @Nullable Refused endUnstarted(boolean mayRun) {
        running = false;
        return mayRun ? pollOldest() : null;
    }

    /** Returns whether the calling thread has to start the helper. */
    private synchronized boolean claimsStart() {
        return !refused.isEmpty() && claimsRole();
    }

    /**
     * Starts the helper.
     *
     * @param mayRun whether the calling thread runs work if the helper cannot be started
     */
    private void start(boolean mayRun) {
        boolean isReported = false;
        do {
            Throwable failure = tryStart();
            Refused oldest = failure == null ? null : endUnstarted(mayRun);
            if (oldest == null) {
                // if the start failed: other threads may have added work meanwhile, and count on the helper
                offerByTimer();
                return;
            }
            if (!isReported) {
                UncaughtFailures.report(new RejectedExecutionException(
                        "no thread could be started for executor '" + name + "', so thread '"
                                + Thread.currentThread().getName() + "' runs its tasks that are ready",
                        failure));
                isReported = true;
            }
            runHere(oldest.work);
        } while (claimsStart());
    }

    private @Nullable Throwable tryStart() {
        try {
            platform.start(threads.newThread(this::help));
            return null;
        } catch (Throwable noThread) {
            return noThread;
        }
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
                // an Error has ended this thread: memory has run out, or its simulation is over
                end();
            }
        }
    }

    private void findThreadFor(Refused first) {
        long pause = FIRST_PAUSE_NANOS;
        for (Refused next = first; next != null && !tryHandOver(next); next = pollOldest()) {
            if (platform.nanoTime() - next.since >= PATIENCE_NANOS) {
                runHere(next.work);
                return;
            }
            // so that other threads can poll it during the pause
            putBack(next);
            pause(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        }
    }

    private boolean tryHandOver(Refused next) {
        // busy, since the pool may run the work inline, which may take long
        beginBusy();
        try {
            handOver.accept(next.work);
            return true;
        } catch (Throwable refusal) { // a checked one too: not all languages declare them
            return false;
        } finally {
            endBusy();
        }
    }

    private void runHere(Runnable work) {
        beginBusy();
        try {
            Offer.runOutside(work);
        } catch (Throwable failure) {
            // the work catches what tasks throw, so this is a defect of ours, or an Error has broken the executor: it
            // must not end this thread
            UncaughtFailures.report(failure);
        } finally {
            endBusy();
        }
    }

    private void beginBusy() {
        noteBusy(platform.nanoTime());
        offerByTimer();
    }

    private synchronized void noteBusy(long now) {
        if (busy == 0) {
            busySince = now;
        }
        busy++;
    }

    private synchronized void endBusy() {
        busy--;
    }

    /** Sets the timer if there is work and no helper is free to offer it. Asynchronous, since the pool may block. */
    private void offerByTimer() {
        if (!claimsTimer()) {
            return;
        }
        try {
            platform.scheduleAsync(LONGEST_PAUSE_NANOS, this::offer);
        } catch (Throwable noTimer) {
            // the JVM cannot start its timer thread; the helper offers the work later
            endTimer();
            UncaughtFailures.report(noTimer);
        }
    }

    private synchronized boolean claimsTimer() {
        boolean isWanted = !timed && !refused.isEmpty() && !isFree();
        timed |= isWanted;
        return isWanted;
    }

    /** Whether the helper is free to offer the work here. */
    @GuardedBy("this")
    private boolean isFree() {
        return running && busy == 0;
    }

    private synchronized void endTimer() {
        timed = false;
    }

    /** Null if there is no work, or while the helper offers work itself: its next offer would overtake this one. */
    private synchronized @Nullable Refused pollOldestForTimer(long now) {
        boolean isBusyForLong = busy > 0 && now - busySince >= LONGEST_PAUSE_NANOS;
        return isBusyForLong || !running ? pollOldest() : null;
    }

    /** Called by the timer: offers the oldest work, as long as the pool accepts it. */
    private void offer() {
        endTimer();
        Refused oldest = pollOldestForTimer(platform.nanoTime());
        while (oldest != null && passOn.test(oldest.work)) {
            oldest = pollOldestForTimer(platform.nanoTime());
        }
        if (oldest != null) {
            putBack(oldest);
            wake();
            if (claimsStartIfUnattended()) {
                start(true);
                return;
            }
        }
        offerByTimer();
    }

    /** Like {@link #claimsStart}; also false if a thread is busy here: that thread looks again afterwards. */
    private synchronized boolean claimsStartIfUnattended() {
        return busy == 0 && claimsStart();
    }

    private void pause(long nanos) {
        long until = platform.nanoTime() + nanos;
        for (long left = nanos; left > 0; left = until - platform.nanoTime()) {
            platform.parkNanos(this, left);
            // otherwise each park would return at once
            Thread.interrupted();
        }
    }

    /** Waits until there is work, this helper is closed, or {@link #KEEP_ALIVE_NANOS} have passed. */
    private void rest() {
        resting = Thread.currentThread();
        try {
            long until = platform.nanoTime() + KEEP_ALIVE_NANOS;
            for (long left = KEEP_ALIVE_NANOS; left > 0 && !hasWork && !closed; left = until - platform.nanoTime()) {
                platform.restNanos(this, left);
                Thread.interrupted();
            }
        } finally {
            resting = null;
        }
    }
}
