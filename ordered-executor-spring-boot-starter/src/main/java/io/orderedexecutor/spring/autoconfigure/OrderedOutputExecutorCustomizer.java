package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.OrderedOutputExecutorBuilder;

/**
 * Callback for beans that change the auto-configured {@link OrderedOutputExecutor}s: the bean
 * {@code orderedOutputExecutor}, and all executors under {@code ordered-executor.ordered-output}. Customizers are
 * called in their order, after the properties have been applied, and so have the last word. Executors that the
 * application defines itself are not customized.
 */
@FunctionalInterface
public interface OrderedOutputExecutorCustomizer {

    /**
     * Changes the settings of an executor that is about to be built.
     *
     * @param executorName the name of the bean; it is set as the name of the builder already
     * @param builder the settings
     */
    void customize(String executorName, OrderedOutputExecutorBuilder builder);
}
