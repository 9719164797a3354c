package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutorBuilder;

/**
 * Callback for a bean that chooses the threads of all auto-configured executors, in place of the properties
 * {@code threads} and {@code executor} and of virtual threads. The module {@code ordered-executor-test} defines such a
 * bean to run the tasks of a test step by step. There can be one such bean. The customizers of executors, such as
 * {@link StripedExecutorCustomizer}, are applied after it.
 */
@FunctionalInterface
public interface OrderedExecutorThreads {

    /**
     * Sets {@code threads}, {@code threadFactory} or {@code executor} of a builder. The properties have set none of
     * them.
     *
     * @param builder has all other settings from the properties
     * @param name the bean name of the executor, or {@code ordered-executor} for the default executor; for an injected
     *     builder, the bean name of the builder
     */
    void applyTo(OrderedExecutorBuilder<?> builder, String name);

    /**
     * Runs each executor on virtual threads of its own, as {@code spring.threads.virtual.enabled} does. The names of
     * the threads are the name that {@link #applyTo} gets, with a number. The threads inherit nothing from the thread
     * that submits, and have the context class loader of the thread that called {@link #applyTo}. Before JDK 21,
     * {@link #applyTo} throws an {@link UnsupportedOperationException}.
     *
     * @return a callback that sets these threads
     */
    static OrderedExecutorThreads virtual() {
        return new VirtualThreads();
    }
}
