package io.orderedexecutor.test.spring;

import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorThreads;
import io.orderedexecutor.test.SteppedExecutor;
import org.springframework.context.SmartLifecycle;

/** Makes all auto-configured ordered executors run their tasks on one {@link SteppedExecutor}. */
record SteppedThreads(SteppedExecutor executor) implements OrderedExecutorThreads, SmartLifecycle {
    static final String BEAN = "steppedOrderedExecutorThreads";

    static SteppedThreads of(AutoConfigureOrderedExecutors.Calls calls, long seed, boolean onCallingThread) {
        SteppedExecutor executor = onCallingThread ? SteppedExecutor.onCallingThread() : new SteppedExecutor();
        switch (calls) {
            case INLINE -> executor.release();
            case SEEDED -> executor.seed(seed);
            case STEPPED -> {}
        }
        return new SteppedThreads(executor);
    }

    @Override
    public void start() {}

    /**
     * Runs the steps that are left when the context is closed: a shutdown waits for their tasks. In the default phase,
     * this comes before the shutdown.
     */
    @Override
    public void stop() {
        executor.release();
    }

    @Override
    public boolean isRunning() {
        return true;
    }

    /** Keeps the steps while the context is only paused, between two classes that use it. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public void applyTo(OrderedExecutorBuilder<?> builder, String name) {
        executor.configure(builder, name);
    }
}
