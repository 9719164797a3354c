package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.SimpleAutowireCandidateResolver;

/**
 * Finds the executors of executor beans. A grouped executor and its stripes may be two beans, but are one executor,
 * which must not be counted, drained or shown twice.
 */
final class ExecutorsByName {
    /** The name of the default executor, which has two beans: {@code groupedExecutor} and {@code stripedExecutor}. */
    static final String DEFAULT = "ordered-executor";

    private ExecutorsByName() {}

    /**
     * Returns the executors of all singletons, and creates these if necessary, lazy ones too. Injection of a map would
     * leave out beans that are no default candidates. An executor of a prototype would be one that nobody else has.
     */
    static Map<String, OrderedExecutor> of(ConfigurableListableBeanFactory beanFactory) {
        return of(SimpleAutowireCandidateResolver.resolveAutowireCandidates(
                beanFactory, OrderedExecutor.class, false, true));
    }

    /**
     * Returns each executor once; if it has two beans, under the name of the grouped one. An executor that
     * {@linkplain #failureOf fails} is left out, so that the others can be shown and drained.
     *
     * @param beans by the names of the beans
     */
    static Map<String, OrderedExecutor> of(Map<String, ? extends OrderedExecutor> beans) {
        Set<OrderedExecutor> stripes = Collections.newSetFromMap(new IdentityHashMap<>());
        for (OrderedExecutor bean : beans.values()) {
            if (bean instanceof GroupedExecutor grouped && failureOf(bean) == null) {
                stripes.add(grouped.stripes());
            }
        }
        Map<String, OrderedExecutor> executors = new LinkedHashMap<>();
        beans.forEach((name, bean) -> {
            if (!stripes.contains(bean) && failureOf(bean) == null) {
                executors.put(nameOf(name, bean), bean);
            }
        });
        return executors;
    }

    /** Returns the exception that an executor throws when it is inspected, as a mock may do; null if it throws none. */
    @SuppressWarnings("ReturnValueIgnored") // only the exception matters
    static @Nullable Throwable failureOf(OrderedExecutor executor) {
        try {
            executor.name().length();
            executor.control().isPaused();
            executor.inspect().settings().failurePolicy().parks();
            if (executor instanceof GroupedExecutor grouped) {
                grouped.stripes().name();
            }
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /**
     * Returns the name of the executor of a bean: the name of the bean, except for the default executor, which has two
     * beans.
     */
    static String nameOf(String beanName, OrderedExecutor executor) {
        return executor.name().equals(DEFAULT) && isOfDefault(beanName) ? DEFAULT : beanName;
    }

    /** Returns whether a name belongs to the default executor or to one of its beans. */
    static boolean isOfDefault(String name) {
        return name.equals(DEFAULT)
                || name.equals(ExecutorSection.GROUPED.nameOfDefault())
                || name.equals(ExecutorSection.STRIPED.nameOfDefault());
    }
}
