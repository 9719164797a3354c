package io.orderedexecutor.test;

import java.util.concurrent.Future;
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
 * published with it.
 */
final class SimulatedThread {
    enum State {
        RUNNABLE,
        WAITING,
        ENDED
    }

    /** The thread of a simulation that this thread is. */
    static final ThreadLocal<@Nullable SimulatedThread> CURRENT = new ThreadLocal<>();

    static final BooleanSupplier NEVER = () -> false;

    final Scheduler scheduler;
    final String name;
    private @Nullable Thread thread;

    State state = State.RUNNABLE;

    // while it waits

    /** What it waits for; asked by any thread that has the baton. */
    BooleanSupplier awaited = NEVER;

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

    /** Given by the thread that had it; taken by this one. */
    private volatile boolean baton;

    /** An interrupt that this thread has seen while it waited for the baton. Written before it is cleared. */
    private volatile boolean interruptSeen;

    SimulatedThread(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.name = name;
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

    /** What a {@link Thread} that is part of the simulation does. */
    void run(Runnable body) {
        CURRENT.set(this);
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

    void giveBaton() {
        baton = true;
        LockSupport.unpark(thread);
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
        if (interruptSeen) {
            interruptSeen = false;
            Thread.currentThread().interrupt();
        }
    }

    /** In this order: a waiting thread notes an interrupt before it clears it. */
    boolean isInterrupted() {
        return thread().isInterrupted() || interruptSeen;
    }
}
