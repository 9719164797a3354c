package io.orderedexecutor.spring;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/** Runs on the thread of the test whatever can run, when the test says so: what has not run by then has to wait. */
public final class Steps implements Executor {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();

    @Override
    public void execute(Runnable step) {
        steps.add(step);
    }

    public void runAll() {
        for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
            step.run();
        }
    }
}
