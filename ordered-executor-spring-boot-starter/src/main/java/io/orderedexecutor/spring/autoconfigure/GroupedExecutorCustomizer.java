package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;

/**
 * Callback for beans that change the auto-configured {@link GroupedExecutor}s: the default executor, which is behind
 * the beans {@code groupedExecutor} and {@code stripedExecutor}, and all executors under
 * {@code ordered-executor.grouped}. The bean {@code groupedExecutorBuilder} is customized, too. Customizers are called
 * in their order, after the properties have been applied, and so have the last word. Executors that the application
 * builds without this bean are not customized.
 */
@FunctionalInterface
public interface GroupedExecutorCustomizer {

    /**
     * Changes the settings of an executor that is about to be built.
     *
     * @param executorName the name of the bean, or {@code ordered-executor} for the default executor; it is set as the
     *     name of the builder already
     * @param builder the settings
     */
    void customize(String executorName, GroupedExecutorBuilder builder);
}
