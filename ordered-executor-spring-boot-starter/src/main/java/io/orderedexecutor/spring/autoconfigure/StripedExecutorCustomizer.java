package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;

/**
 * Callback for beans that change the auto-configured {@link StripedExecutor}s, which are those that are configured
 * under {@code ordered-executor.striped}. For the bean {@code stripedExecutor}, which is the stripes of
 * {@code groupedExecutor}, use a {@link GroupedExecutorCustomizer}. Customizers are called in their order, after the
 * properties have been applied, and so have the last word. Executors that the application defines itself are not
 * customized.
 */
@FunctionalInterface
public interface StripedExecutorCustomizer {

    /**
     * Changes the settings of an executor that is about to be built.
     *
     * @param executorName the name of the bean; the builder has it as its name already
     * @param builder the settings
     */
    void customize(String executorName, StripedExecutorBuilder builder);
}
