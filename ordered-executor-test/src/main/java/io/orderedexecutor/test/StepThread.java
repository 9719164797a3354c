package io.orderedexecutor.test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A thread for a single step. It inherits nothing from the thread that waits for it. */
final class StepThread extends Thread {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final Runnable step;

    /** The exception of the step, or null. Written by this thread; read by the thread that has joined it. */
    private @Nullable Throwable failure;

    private StepThread(Runnable step) {
        super(null, null, "step-" + COUNT.incrementAndGet(), 0, false);
        this.step = step;
        setDaemon(true);
        setContextClassLoader(Thread.currentThread().getContextClassLoader());
    }

    /** Runs a step on a thread of its own, waits until it has ended, and throws its exception. */
    static void run(Runnable step, Duration limit) {
        StepThread thread = new StepThread(step);
        thread.start();
        thread.await(limit);
        Throwable failure = thread.failure;
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw new AssertionError("A step has thrown a checked exception", failure);
        }
    }

    @Override
    public void run() {
        try {
            step.run();
        } catch (Throwable thrown) {
            failure = thrown;
        }
    }

    private void await(Duration limit) {
        try {
            join(Math.max(1, limit.toMillis()));
        } catch (InterruptedException interrupt) {
            interrupt();
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for the end of a step", interrupt);
        }
        if (isAlive()) {
            AssertionError tooLong = new AssertionError("A step has not ended after " + limit
                    + ". Its task may wait for another task that is to run in a later step; the cause has the stack of"
                    + " the step");
            tooLong.initCause(where());
            interrupt();
            throw tooLong;
        }
    }

    private Throwable where() {
        Throwable stack = new Throwable("Stack of the step, on thread " + getName());
        stack.setStackTrace(getStackTrace());
        return stack;
    }
}
