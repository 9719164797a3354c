package io.orderedexecutor.spring.annotation;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/** Runs on the thread of the test whatever can run, when the test says so: what has not run by then has to wait. */
final class Steps implements Executor {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();

    @Override
    public void execute(Runnable step) {
        steps.add(step);
    }

    void runAll() {
        for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
            step.run();
        }
    }
}
