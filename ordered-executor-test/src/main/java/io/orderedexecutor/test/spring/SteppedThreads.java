package io.orderedexecutor.test.spring;

import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorThreads;
import io.orderedexecutor.test.SteppedExecutor;

/** Makes all auto-configured ordered executors run their tasks on one {@link SteppedExecutor}. */
record SteppedThreads(SteppedExecutor executor) implements OrderedExecutorThreads {
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
    public void applyTo(OrderedExecutorBuilder<?> builder, String name) {
        executor.configure(builder, name);
    }
}
