package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import java.util.function.BiFunction;

/**
 * Gives the auto-configured executors of all kinds a listener, in addition to those that the application's own
 * customizers give them.
 */
final class ListenerCustomizer
        implements StripedExecutorCustomizer, GroupedExecutorCustomizer, OrderedOutputExecutorCustomizer {
    private final BiFunction<String, String, TaskListener> listener;

    /** @param listener makes the listener of an executor, given its name and type */
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
