package io.orderedexecutor.test.spring;

import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorThreads;
import io.orderedexecutor.test.SteppedExecutor;
import org.springframework.context.SmartLifecycle;

/** Makes all auto-configured ordered executors run their tasks on one {@link SteppedExecutor}. */
final class SteppedThreads implements OrderedExecutorThreads, SmartLifecycle {
    static final String BEAN = "steppedOrderedExecutorThreads";

    private final SteppedExecutor executor;

    /** Whether the executor holds its steps when the context starts. */
    private final boolean holds;

    private volatile boolean running;

    SteppedThreads(SteppedExecutor executor, boolean holds) {
        this.executor = executor;
        this.holds = holds;
    }

    static SteppedThreads of(AutoConfigureOrderedExecutors.Calls calls, long seed, boolean onCallingThread) {
        SteppedExecutor executor = onCallingThread ? SteppedExecutor.onCallingThread() : new SteppedExecutor();
        switch (calls) {
            case INLINE -> executor.release();
            case SEEDED -> executor.seed(seed);
            case STEPPED -> {}
        }
        return new SteppedThreads(executor, calls != AutoConfigureOrderedExecutors.Calls.INLINE);
    }

    SteppedExecutor executor() {
        return executor;
    }

    @Override
    public void applyTo(OrderedExecutorBuilder<?> builder, String name) {
        executor.configure(builder, name);
    }

    @Override
    public void start() {
        if (holds) {
            executor.hold();
        }
        running = true;
    }

    /**
     * Runs the steps that are left when the context is closed, up to one that fails: a shutdown waits for their tasks.
     * In the default phase, this comes before the shutdown.
     */
    @Override
    public void stop() {
        running = false;
        executor.release();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Keeps the steps while the context is only paused, between two classes that use it. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
