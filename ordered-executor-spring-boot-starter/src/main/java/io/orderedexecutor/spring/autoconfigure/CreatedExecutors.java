package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The executor beans that were created. Looking for executors with tasks must not create a bean that nobody has
 * requested.
 */
final class CreatedExecutors {
    private final ConfigurableListableBeanFactory beanFactory;

    CreatedExecutors(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Returns whether the stripes of an executor are a bean that exists. */
    boolean hasStripesOf(GroupedExecutor executor) {
        return beans().containsValue(executor.stripes());
    }

    /** Returns the executors by name, each once. */
    Map<String, OrderedExecutor> byName() {
        return ExecutorsByName.of(beans());
    }

    /** Returns the executors that cannot be inspected: the names of their beans, with the exceptions. */
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

    /**
     * Returns whether the application uses an executor: whether it has defined or configured the executor, or one of
     * its own beans depends on it.
     */
    boolean isAskedFor(OrderedExecutor executor) {
        Object stripes = executor instanceof GroupedExecutor grouped ? grouped.stripes() : executor;
        return beans().entrySet().stream()
                .filter(bean -> bean.getValue() == executor || bean.getValue() == stripes)
                .map(Map.Entry::getKey)
                .flatMap(name -> Stream.concat(Stream.of(name), Stream.of(beanFactory.getDependentBeans(name))))
                .anyMatch(name -> !isOurs(name));
    }

    /**
     * Returns whether a bean comes from a bean method of our auto-configuration, so that it exists even if the
     * application does not use it.
     */
    private boolean isOurs(String bean) {
        return beanFactory.containsBeanDefinition(bean)
                && String.valueOf(beanFactory.getMergedBeanDefinition(bean).getFactoryBeanName())
                        .startsWith(CreatedExecutors.class.getPackageName() + ".");
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
