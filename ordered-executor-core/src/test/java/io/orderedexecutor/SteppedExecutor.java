package io.orderedexecutor;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Keeps what it is given until the test runs it, step by step, on the test's own thread. */
final class SteppedExecutor implements Executor {
    private final Queue<Runnable> steps = new ArrayDeque<>();
    private boolean refusing;

    @Override
    public synchronized void execute(Runnable step) {
        if (refusing) {
            throw new RejectedExecutionException("refused by the test");
        }
        steps.add(step);
    }

    synchronized void refuse(boolean refusing) {
        this.refusing = refusing;
    }

    synchronized int waiting() {
        return steps.size();
    }

    private synchronized Runnable next() {
        return steps.poll();
    }

    /** Runs one step; false if there is none. */
    boolean runNext() {
        Runnable step = next();
        if (step == null) {
            return false;
        }
        step.run();
        return true;
    }

    /** Runs until nothing is left, and tells how many steps that were. */
    int runAll() {
        int steps = 0;
        while (runNext()) {
            steps++;
        }
        return steps;
    }
}
