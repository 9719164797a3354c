package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorBuilder;

/**
 * Callback for beans that change the auto-configured {@link StripedExecutor}s: those under
 * {@code ordered-executor.striped}, and the executors of Kafka listeners. The bean {@code stripedExecutorBuilder} is
 * customized, too. For the bean {@code stripedExecutor}, which consists of the stripes of {@code groupedExecutor}, use
 * a {@link GroupedExecutorCustomizer}. Customizers are called in their order, after the properties have been applied,
 * and so have the last word. Other executors that the application builds are not customized.
 */
@FunctionalInterface
public interface StripedExecutorCustomizer {

    /**
     * Changes the settings of an executor that is about to be built.
     *
     * @param executorName the name of the bean, or of the executor of a Kafka listener; it is set as the name of the
     *     builder already
     * @param builder the settings
     */
    void customize(String executorName, StripedExecutorBuilder builder);
}
