package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;

/**
 * Shuts an executor down when its bean is destroyed, before a destroy method of its own would wait without a limit.
 * Until then a drained executor goes on accepting, so that other beans can use it while they are destroyed. The time to
 * finish was the {@linkplain ExecutorsLifecycle drain}: what has not ended by now is interrupted or does not run.
 */
final class ExecutorsShutdown implements DestructionAwareBeanPostProcessor {
    private final UnfinishedTasks unfinished;

    ExecutorsShutdown(UnfinishedTasks unfinished) {
        this.unfinished = unfinished;
    }

    @Override
    public boolean requiresDestruction(Object bean) {
        return bean instanceof OrderedExecutor;
    }

    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        if (bean instanceof OrderedExecutor executor) {
            unfinished.end(beanName, executor);
        }
    }
}
