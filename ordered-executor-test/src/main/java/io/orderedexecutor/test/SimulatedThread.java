package io.orderedexecutor.test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulation: an ordinary thread that runs only while it has the baton. Exactly one thread has the baton
 * at a time.
 *
 * <pre>
 *   RUNNABLE ──▶ WAITING   it waits for something, or some time
 *   WAITING ──▶ RUNNABLE   it is chosen, after its wait is over
 *   RUNNABLE ──▶ ENDED     its body has ended
 * </pre>
 *
 * <p>Only the thread that has the baton uses the fields, and the baton publishes them; {@link #baton} and
 * {@link #interruptSeen} are exceptions. Without the baton, a thread runs only little code: before it first gets the
 * baton, and after it has given the baton away at its end.
 */
final class SimulatedThread {
    enum State {
        RUNNABLE,
        WAITING,
        ENDED
    }

    /** The kinds of waits. A wait that ends earlier comes first. */
    enum Until {
        /** A condition is true, or a deadline has come. */
        AWAITED,

        /** No other thread can go on, unless time passes. */
        REST,

        /** Nothing can happen any more, at any time. */
        QUIET,

        /** Like {@link #QUIET}, but also no thread waits for {@link #QUIET} any more: the end of the test. */
        END
    }

    /** The simulated thread that the current thread runs; null outside of simulations. */
    static final ThreadLocal<@Nullable SimulatedThread> CURRENT = new ThreadLocal<>();

    static final BooleanSupplier NEVER = () -> false;

    final Scheduler scheduler;
    final String name;
    private @Nullable Thread thread;

    /**
     * Whether a thread factory of the application has made the thread, and may have put code of its own around the
     * body.
     */
    private final boolean isForeign;

    private final CountDownLatch arrived = new CountDownLatch(1);

    State state = State.RUNNABLE;

    // while it waits

    Until until = Until.AWAITED;

    /** The condition of the wait; evaluated by any thread that has the baton. */
    BooleanSupplier awaited = NEVER;

    /** The exception of the last evaluation of {@link #awaited}, which this thread throws. */
    private @Nullable Throwable refusal;

    String awaitedName = "";

    /** The time at which the wait ends in any case; {@link Long#MAX_VALUE} for never. */
    long deadline = Long.MAX_VALUE;

    boolean interruptible;

    /** Whether this is a worker without work, for which nothing has to wait. */
    boolean resting;

    /** The task that this thread is putting into a place that was reserved; null if none. */
    @Nullable
    Object filling;

    /**
     * Whether an ordered executor is handing work over on this thread. It has accepted a task, and its listeners are
     * told after the hand-over. If another thread went on in between, they could be told of a later task first.
     */
    boolean handsOver;

    /** The future of the task that this thread is submitting; the caller does not have it yet. */
    @Nullable
    Future<?> submitting;

    /** Whether the next park returns at once. */
    boolean permit;

    /** The thread that had the baton before, if it may still run code of its factory; null if not. */
    private @Nullable Thread leaving;

    /** Whether this thread has been given the baton. Set by the thread that had it, cleared by this one. */
    private volatile boolean baton;

    /**
     * Whether this thread was interrupted while it waited for the baton. This thread sets the field before it clears
     * its interrupt flag, so that {@link #isInterrupted} always finds one of the two.
     */
    private volatile boolean interruptSeen;

    SimulatedThread(Scheduler scheduler, String name) {
        this(scheduler, name, false);
    }

    SimulatedThread(Scheduler scheduler, String name, boolean isForeign) {
        this.scheduler = scheduler;
        this.name = name;
        this.isForeign = isForeign;
    }

    static @Nullable SimulatedThread current() {
        return CURRENT.get();
    }

    void setThread(Thread newThread) {
        thread = newThread;
    }

    Thread thread() {
        Thread known = thread;
        if (known == null) {
            throw new IllegalStateException("the thread " + name + " was not made");
        }
        return known;
    }

    // while it waits

    /** Makes the thread wait. */
    void waitFor(Until newUntil, String name, BooleanSupplier condition, long newDeadline, boolean mayInterrupt) {
        until = newUntil;
        awaitedName = name;
        awaited = condition;
        deadline = newDeadline;
        interruptible = mayInterrupt;
        state = State.WAITING;
    }

    /** Makes the thread runnable. */
    void goOn() {
        state = State.RUNNABLE;
        until = Until.AWAITED;
        awaited = NEVER;
    }

    /**
     * Evaluates the condition of the wait.
     *
     * @return true if the condition holds or has thrown an exception, which {@link #throwRefusal} rethrows on the
     *     waiting thread
     */
    boolean hasAwaited() {
        refusal = null;
        try {
            return awaited.getAsBoolean();
        } catch (Throwable thrown) {
            refusal = thrown;
            return true;
        }
    }

    /** Throws the exception that the condition of this thread has thrown on another thread. */
    void throwRefusal() {
        Throwable thrown = refusal;
        refusal = null;
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown != null) {
            throw thrown instanceof RuntimeException exception ? exception : new IllegalStateException(thrown);
        }
    }

    // its turn

    /** Runs the body when this thread gets the baton. Called by the {@link Thread} itself. */
    void run(Runnable body) {
        CURRENT.set(this);
        arrived.countDown();
        try {
            awaitBaton();
            body.run();
        } catch (SimulationAborted end) {
            // the scheduler has ended this thread
        } catch (Throwable failure) {
            scheduler.failUncaught(failure);
        } finally {
            CURRENT.remove();
            scheduler.end(this);
        }
    }

    /**
     * Waits until a thread that was just started has run the code that its factory has put in front of the body. The
     * thread runs that code without the baton.
     *
     * @return false if the thread ends without the body
     */
    boolean awaitArrival() {
        if (!isForeign) {
            return true;
        }
        uninterruptibly(() -> {
            boolean isHere = false;
            while (!isHere && thread().isAlive()) {
                isHere = arrived.await(1, TimeUnit.MILLISECONDS);
            }
        });
        return arrived.getCount() == 0;
    }

    void giveBaton() {
        baton = true;
        LockSupport.unpark(thread);
    }

    /** Gives the baton to this thread. Called by a thread that ends. */
    void giveBatonAfter(SimulatedThread ended) {
        leaving = ended.isForeign ? ended.thread() : null;
        giveBaton();
    }

    /** Waits until another thread hands this thread the baton. An interrupt does not end this wait, and is kept. */
    void awaitBaton() {
        while (!baton) {
            LockSupport.park(scheduler);
            if (Thread.currentThread().isInterrupted()) {
                interruptSeen = true;
                Thread.interrupted();
            }
        }
        baton = false;
        Thread before = leaving;
        if (before != null) {
            leaving = null;
            uninterruptibly(before::join);
        }
        if (interruptSeen) {
            interruptSeen = false;
            Thread.currentThread().interrupt();
        }
    }

    private interface Wait {
        void await() throws InterruptedException;
    }

    /**
     * Waits without being interrupted, and restores the interrupt afterwards. Only for short waits that are not part of
     * the simulation.
     */
    private static void uninterruptibly(Wait wait) {
        boolean interrupted = false;
        while (true) {
            try {
                wait.await();
                break;
            } catch (InterruptedException interrupt) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Returns whether the thread is interrupted. The order of the checks matters: a waiting thread sets
     * {@link #interruptSeen} before it clears its interrupt flag.
     */
    boolean isInterrupted() {
        return thread().isInterrupted() || interruptSeen;
    }
}
