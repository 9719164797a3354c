package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutorBuilder;

/**
 * Callback for a bean that decides on which threads all auto-configured executors run, in place of the properties
 * {@code threads} and {@code executor} and of virtual threads. The module {@code ordered-executor-test} defines such a
 * bean to run the tasks of a test step by step. There can be one such bean; {@link StripedExecutorCustomizer} and its
 * like are applied after it.
 */
@FunctionalInterface
public interface OrderedExecutorThreads {

    /**
     * Sets {@code threads}, {@code threadFactory} or {@code executor} of a builder, which has none of them.
     *
     * @param builder has all other settings from the properties
     * @param name the bean name of the executor
     */
    void applyTo(OrderedExecutorBuilder<?> builder, String name);

    /**
     * Runs each executor on virtual threads of its own: as {@code spring.threads.virtual.enabled} does. They are named
     * after the executor with a number, inherit nothing from the thread that submits, and have the context class loader
     * of the thread that called {@link #applyTo}, which throws an {@link UnsupportedOperationException} before JDK 21.
     *
     * @return a callback that sets these threads
     */
    static OrderedExecutorThreads virtual() {
        return new VirtualThreads();
    }
}
