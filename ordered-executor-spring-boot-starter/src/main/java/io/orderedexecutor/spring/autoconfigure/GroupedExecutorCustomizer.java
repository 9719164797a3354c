package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorBuilder;

/**
 * Callback for beans that change the auto-configured {@link GroupedExecutor}s: the one that is behind the beans
 * {@code groupedExecutor} and {@code stripedExecutor}, and all that are configured under
 * {@code ordered-executor.grouped}. Customizers are called in their order, after the properties have been applied, and
 * so have the last word. Executors that the application defines itself are not customized.
 */
@FunctionalInterface
public interface GroupedExecutorCustomizer {

    /**
     * Changes the settings of an executor that is about to be built.
     *
     * @param executorName the name of the bean, or {@code ordered-executor} of the one that has two; the builder has it
     *     as its name already
     * @param builder the settings
     */
    void customize(String executorName, GroupedExecutorBuilder builder);
}
