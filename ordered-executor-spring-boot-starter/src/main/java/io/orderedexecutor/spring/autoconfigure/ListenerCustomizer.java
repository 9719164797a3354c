package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import java.util.function.BiFunction;

/**
 * Adds a listener to the auto-configured executors of all kinds, in addition to the listeners of the application's own
 * customizers.
 */
final class ListenerCustomizer
        implements StripedExecutorCustomizer, GroupedExecutorCustomizer, OrderedOutputExecutorCustomizer {
    private final BiFunction<String, String, TaskListener> listener;

    /** @param listener creates the listener of an executor, given the name and the type of the executor */
    ListenerCustomizer(BiFunction<String, String, TaskListener> listener) {
        this.listener = listener;
    }

    @Override
    public void customize(String executorName, StripedExecutorBuilder builder) {
        builder.listener(listener.apply(executorName, "striped"));
    }

    @Override
    public void customize(String executorName, GroupedExecutorBuilder builder) {
        builder.listener(listener.apply(executorName, "grouped"));
    }

    @Override
    public void customize(String executorName, OrderedOutputExecutorBuilder builder) {
        builder.listener(listener.apply(executorName, "ordered-output"));
    }
}
