package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;

/**
 * Shuts an executor down when its bean is destroyed, before a destroy method of its own would wait without a limit.
 * Until then, a drained executor accepts tasks, so that other beans can use it while they are destroyed. Tasks had time
 * to end during the {@linkplain ExecutorsLifecycle drain}: now, running tasks are interrupted, and queued tasks do not
 * run.
 */
final class ExecutorsShutdown implements DestructionAwareBeanPostProcessor {
    private final UnfinishedTasks unfinished;

    /**
     * The stripes of grouped executors, which end with their grouped executor. Used by all threads that create beans.
     */
    private final Set<Object> stripes = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    ExecutorsShutdown(UnfinishedTasks unfinished) {
        this.unfinished = unfinished;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof GroupedExecutor grouped && ExecutorsByName.failureOf(grouped) == null) {
            stripes.add(grouped.stripes());
        }
        return bean;
    }

    /**
     * Returns false for the stripes of a grouped executor: they are destroyed before the beans that use the grouped
     * executor, and these may still submit tasks.
     */
    @Override
    public boolean requiresDestruction(Object bean) {
        return bean instanceof OrderedExecutor && !stripes.contains(bean);
    }

    @Override
    public void postProcessBeforeDestruction(Object bean, String beanName) {
        if (bean instanceof OrderedExecutor executor
                && !stripes.contains(bean)
                && ExecutorsByName.failureOf(executor) == null) {
            unfinished.end(ExecutorsByName.nameOf(beanName, executor), executor);
        }
    }
}
