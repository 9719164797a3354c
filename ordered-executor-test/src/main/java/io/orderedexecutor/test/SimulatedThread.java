package io.orderedexecutor.test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulation: an ordinary one, which runs only while it has the baton.
 *
 * <pre>
 *   RUNNABLE ──▶ WAITING   it waits for something, or some time
 *   WAITING ──▶ RUNNABLE   it is chosen, after what it waits for has come
 *   RUNNABLE ──▶ ENDED     its body has ended
 * </pre>
 *
 * <p>All fields but {@link #baton} and {@link #interruptSeen} are used by the thread that has the baton only, and
 * published with it. Without the baton a thread runs nothing but the few steps before its first turn and after its
 * last.
 */
final class SimulatedThread {
    enum State {
        RUNNABLE,
        WAITING,
        ENDED
    }

    /** What a waiting thread waits for. What needs less to happen comes first. */
    enum Until {
        /** Something in particular, or its deadline. */
        AWAITED,

        /** No other thread can go on, unless time passes. */
        REST,

        /** Nothing can happen any more, at any time. */
        QUIET,

        /** As {@link #QUIET}, after all others that wait for it: the end of the test. */
        END
    }

    /** The thread of a simulation that this thread is. */
    static final ThreadLocal<@Nullable SimulatedThread> CURRENT = new ThreadLocal<>();

    static final BooleanSupplier NEVER = () -> false;

    final Scheduler scheduler;
    final String name;
    private @Nullable Thread thread;

    /** Whether a factory of the application makes its thread, and may put code of its own around the body. */
    private final boolean isForeign;

    private final CountDownLatch arrived = new CountDownLatch(1);

    State state = State.RUNNABLE;

    // while it waits

    Until until = Until.AWAITED;

    /** What it waits for; asked by any thread that has the baton. */
    BooleanSupplier awaited = NEVER;

    /** What {@link #awaited} has thrown when it was last asked; this thread throws it. */
    private @Nullable Throwable refusal;

    String awaitedName = "";

    /** When it goes on all the same; {@link Long#MAX_VALUE} for never. */
    long deadline = Long.MAX_VALUE;

    boolean interruptible;

    /** Whether it is a worker without work, which nothing has to wait for. */
    boolean resting;

    /** The future of what it submits, which its caller does not have yet. */
    @Nullable
    Future<?> submitting;

    /** Whether the next park returns at once. */
    boolean permit;

    /** The thread that had the baton before, if it may still run code of its factory; null if not. */
    private @Nullable Thread leaving;

    /** Given by the thread that had it; taken by this one. */
    private volatile boolean baton;

    /** An interrupt that this thread has seen while it waited for the baton. Written before it is cleared. */
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

    /** From now on it waits. */
    void waitFor(Until newUntil, String name, BooleanSupplier condition, long newDeadline, boolean mayInterrupt) {
        until = newUntil;
        awaitedName = name;
        awaited = condition;
        deadline = newDeadline;
        interruptible = mayInterrupt;
        state = State.WAITING;
    }

    /** From now on it runs. */
    void goOn() {
        state = State.RUNNABLE;
        until = Until.AWAITED;
        awaited = NEVER;
    }

    /** Whether what it waits for is there, or cannot be asked for. */
    boolean hasAwaited() {
        refusal = null;
        try {
            return awaited.getAsBoolean();
        } catch (Throwable thrown) {
            refusal = thrown;
            return true;
        }
    }

    /** Throws what its condition has thrown on another thread. */
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

    /** What a {@link Thread} that is part of the simulation does. */
    void run(Runnable body) {
        CURRENT.set(this);
        arrived.countDown();
        try {
            awaitBaton();
            body.run();
        } catch (SimulationAborted end) {
            // as meant
        } catch (Throwable failure) {
            scheduler.fail(failure);
        } finally {
            CURRENT.remove();
            scheduler.end(this);
        }
    }

    /**
     * Waits until a thread that was just started has run what its factory has put before the body, since it has no
     * baton for that.
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

    /** As {@link #giveBaton}, by a thread that does not want it back. */
    void giveBatonAfter(SimulatedThread ended) {
        leaving = ended.isForeign ? ended.thread() : null;
        giveBaton();
    }

    /** Waits until another thread gives the baton. An interrupt does not end this wait, and is kept. */
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

    /** For waits that are short, and no part of the simulation. */
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

    /** In this order: a waiting thread notes an interrupt before it clears it. */
    boolean isInterrupted() {
        return thread().isInterrupted() || interruptSeen;
    }
}
