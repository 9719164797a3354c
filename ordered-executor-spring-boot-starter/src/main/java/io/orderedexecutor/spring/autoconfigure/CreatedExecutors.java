package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The executor beans that exist. One that was never requested is not created to be asked whether it has anything to do.
 */
final class CreatedExecutors {
    private final ConfigurableListableBeanFactory beanFactory;

    CreatedExecutors(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Tells whether the stripes of an executor are a bean that exists. */
    boolean hasStripesOf(GroupedExecutor executor) {
        return beans().containsValue(executor.stripes());
    }

    /** Returns them by name, each once. */
    Map<String, OrderedExecutor> byName() {
        return ExecutorsByName.of(beans());
    }

    /** Returns those that cannot be looked at, by the names of their beans, with the reason. */
    Map<String, Throwable> failing() {
        Map<String, Throwable> failing = new LinkedHashMap<>();
        beans().forEach((name, executor) -> {
            Throwable failure = ExecutorsByName.failureOf(executor);
            if (failure != null) {
                failing.put(name, failure);
            }
        });
        return failing;
    }

    private Map<String, OrderedExecutor> beans() {
        Map<String, OrderedExecutor> created = new LinkedHashMap<>();
        for (String name : beanFactory.getBeanNamesForType(OrderedExecutor.class, false, false)) {
            if (beanFactory.getSingleton(name) instanceof OrderedExecutor executor) {
                created.put(name, executor);
            }
        }
        return created;
    }
}
