package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutorBuilder;
import io.orderedexecutor.OrderedOutputExecutorBuilder;
import io.orderedexecutor.StripedExecutorBuilder;
import io.orderedexecutor.TaskListener;
import java.util.function.BiFunction;
import org.springframework.core.Ordered;

/**
 * Gives the auto-configured executors of all kinds a listener, before the application's own customizers, which may put another one in its
 * place.
 */
final class ListenerCustomizer
        implements StripedExecutorCustomizer, GroupedExecutorCustomizer, OrderedOutputExecutorCustomizer, Ordered {

    /** Of a listener that does nothing but make the executor time its tasks: any other one takes its place. */
    static final int WEAKEST = Ordered.HIGHEST_PRECEDENCE;

    static final int STRONGER = WEAKEST + 1;

    private final int order;
    private final BiFunction<String, String, TaskListener> listener;

    /**
     * Creates a customizer.
     *
     * @param order those that come later have the last word
     * @param listener makes the listener of an executor, given its name and type
     */
    ListenerCustomizer(int order, BiFunction<String, String, TaskListener> listener) {
        this.order = order;
        this.listener = listener;
    }

    @Override
    public int getOrder() {
        return order;
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
