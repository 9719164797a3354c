package io.orderedexecutor.spring.test;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Lets a test run the tasks of all auto-configured executors, whatever is configured of their threads: {@code @Import}
 * it into a test. Each task that can run then runs at once on the thread that submits it, or that ends what it waits
 * for, so that a call of an {@link io.orderedexecutor.spring.annotation.OrderedAsync @OrderedAsync} method has been
 * made when it returns.
 *
 * <pre>{@code
 * @SpringBootTest
 * @Import(TestThread.class)
 * class OrdersTest { ... }
 * }</pre>
 *
 * <p>A test that wants to look in between injects it, {@link #hold() holds} the tasks, and {@link #runAll() runs} them
 * itself. Thread-safe.
 */
public final class TestThread {
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();

    /** Written by the test; a submission that races with it may see either. */
    private volatile boolean holding;

    /** Creates a thread that holds nothing. */
    public TestThread() {}

    /** Runs no task from now on but when {@link #runNext()} or {@link #runAll()} is called. */
    public void hold() {
        holding = true;
    }

    /**
     * Runs the held task that could run first. If executors have several tasks of a stripe, or their turn is long, this
     * may run more than one of them: those of one turn.
     *
     * @return false if there is none
     */
    public boolean runNext() {
        Runnable next = held.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    /** Runs all held tasks on this thread, and those that become ready by that. Further ones are held again. */
    public void runAll() {
        while (runNext()) {
            // the next one
        }
    }

    /** Runs all held tasks, and holds none from now on. */
    public void release() {
        holding = false;
        runAll();
    }

    /**
     * Called by executors with what can run.
     *
     * @param task to be run
     */
    public void execute(Runnable task) {
        if (holding) {
            held.add(task);
        } else {
            task.run();
        }
    }
}
