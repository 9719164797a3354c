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
 * The thread for work that was accepted, that a pool has refused, and that no thread at hand may run: readers,
 * completers, cancellers and timers run no tasks. It offers the oldest work to the pool again, at once and then after
 * 1, 2, 4 … 100 ms. What the pool has refused for a second, it runs itself; so it does with what the pool runs in its
 * caller. While it runs something, a timer offers the other work each 100 ms. Threads of the pool that have nothing
 * else to do come for the work here, too.
 *
 * <pre>
 *   not running ──▶ running   by the thread that adds work: it starts the helper
 *   running ──▶ not running   by that thread, if no thread can be started; by the helper, if there was no work for a
 *                             second or the executor has terminated; under the monitor, so that nothing is added unseen
 * </pre>
 *
 * <p>If no thread can be started, the thread that has tried runs the oldest work, and tries again as long as there is
 * any. Others that add work meanwhile do the same.
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

    /** @param since when the work came here */
    private record Refused(Runnable work, long since) {}

    private final String name;
    /** Gives work to the pool, which may run it inline. */
    private final Consumer<Runnable> handOver;

    /** As {@link Workers#passOn}. */
    private final Predicate<Runnable> passOn;

    private final Platform platform;
    private final ThreadFactory threads;

    /** Added to and taken from under the monitor; a sweep takes out what is over without it, since that may be long. */
    private final Deque<Refused> refused = new ConcurrentLinkedDeque<>();

    private final SweepPace sweeps = new SweepPace();

    /**
     * Whether {@link #refused} has any, or had before the last sweep. Written under the monitor; read without it by
     * threads that look for work.
     */
    private volatile boolean hasWork;

    /** Whether a thread is the helper, or is about to be. */
    @GuardedBy("this")
    private boolean running;

    /** How many threads run work as the helper, or in its stead since it could not be started. */
    @GuardedBy("this")
    private int busy;

    /** Since when some thread is busy without a break, on the clock of the platform. */
    @GuardedBy("this")
    private long busySince;

    /** Whether a timer is set, which offers work while nobody else does. */
    @GuardedBy("this")
    private boolean timed;

    /** The helper while it waits for work. Written by the helper, and read after work was added. */
    private volatile @Nullable Thread resting;

    private volatile boolean closed;

    Helper(String name, Consumer<Runnable> handOver, Predicate<Runnable> passOn, Platform platform) {
        this.name = name;
        this.handOver = handOver;
        this.passOn = passOn;
        this.platform = platform;
        this.threads = platform.threadFactory(name + "-helper", null);
    }

    /** Takes work over that the pool has refused just now. */
    public void add(Runnable work) {
        add(work, true);
    }

    /** As {@link #add}, for a thread in the middle of something, which will {@link #call} or {@link #poll} after it. */
    public void leave(Runnable work) {
        add(work, false);
    }

    /** Starts the helper if there is work and it could not be started before. */
    public void call() {
        if (claimsStart()) {
            start(true);
        }
    }

    /** Whether there is work that nobody has come for. */
    public boolean hasWork() {
        return hasWork;
    }

    /** The oldest work, for a thread that runs it now; null if there is none. */
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

    /** The executor has terminated: what is left here has nothing to run, and the helper ends. */
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

    /** Whether nothing is left, and the calling thread is the helper no more. */
    private synchronized boolean ends() {
        boolean ends = refused.isEmpty();
        running = !ends;
        return ends;
    }

    private synchronized void end() {
        running = false;
    }

    /** The helper could not be started: the oldest work, for the thread that has tried. */
    private synchronized @Nullable Refused endUnstarted(boolean mayRun) {
        running = false;
        return mayRun ? pollOldest() : null;
    }

    /** Whether the calling thread has to start the helper. */
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
                // after a failure for those that others have left here meanwhile, who have counted on the helper
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
                // only a simulation that is over ends a thread in the middle
                end();
            }
        }
    }

    private void findThreadFor(Refused first) {
        long pause = FIRST_PAUSE_NANOS;
        for (Refused next = first; next != null && !isTaken(next); next = pollOldest()) {
            if (platform.nanoTime() - next.since >= PATIENCE_NANOS) {
                runHere(next.work);
                return;
            }
            // whoever looks for work finds it meanwhile
            putBack(next);
            pause(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
        }
    }

    private boolean isTaken(Refused next) {
        // the pool may run it inline, and then for long
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
            // work contains what tasks throw, and so this is a defect of ours: it must not cost the helper
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

    /** While nobody is free to offer what is here, a timer does. Its thread may have to wait for the pool. */
    private void offerByTimer() {
        if (!claimsTimer()) {
            return;
        }
        try {
            platform.scheduleAsync(LONGEST_PAUSE_NANOS, this::offer);
        } catch (Throwable noTimer) {
            // the JVM cannot start its timer's thread; the helper comes for them later
            endTimer();
            UncaughtFailures.report(noTimer);
        }
    }

    private synchronized boolean claimsTimer() {
        boolean isWanted = !timed && !refused.isEmpty() && !isFree();
        timed |= isWanted;
        return isWanted;
    }

    /** Whether the helper offers what is here. */
    @GuardedBy("this")
    private boolean isFree() {
        return running && busy == 0;
    }

    private synchronized void endTimer() {
        timed = false;
    }

    /** Not while the helper only offers: what it offers next would overtake what the timer has in its hands. */
    private synchronized @Nullable Refused pollOldestForTimer(long now) {
        boolean isBusyForLong = busy > 0 && now - busySince >= LONGEST_PAUSE_NANOS;
        return isBusyForLong || !running ? pollOldest() : null;
    }

    /** For the timer: hands over what the pool takes by now. */
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

    /** Whether nobody will come for what is here, so that the calling thread has to start the helper. */
    private synchronized boolean claimsStartIfUnattended() {
        return busy == 0 && claimsStart();
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
            for (long left = KEEP_ALIVE_NANOS; left > 0 && !hasWork && !closed; left = until - platform.nanoTime()) {
                platform.restNanos(this, left);
                Thread.interrupted();
            }
        } finally {
            resting = null;
        }
    }
}
