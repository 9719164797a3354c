package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The executors behind executor beans. The stripes of a grouped executor are a bean as well, and the same executor:
 * whoever counts, drains or shows executors must not do so twice.
 */
final class ExecutorsByName {
    /** The name of the executor whose two faces are the beans that always exist. */
    static final String DEFAULT = "ordered-executor";

    private ExecutorsByName() {}

    /**
     * Returns each executor once, under the name of its grouped bean if it has two. One that {@linkplain #failureOf
     * fails} is left out: it must not keep others from being shown or drained.
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

    /** Returns what a look at an executor throws, as at one that is a mock; null if nothing. */
    @SuppressWarnings("ReturnValueIgnored") // whether there is one is all that matters
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

    /** What the executor of a bean is called: as the bean, unless it is the default one, which has two. */
    static String nameOf(String beanName, OrderedExecutor executor) {
        return executor.name().equals(DEFAULT) && isOfDefault(beanName) ? DEFAULT : beanName;
    }

    /** Whether the default executor, or one of its beans, has a name. */
    static boolean isOfDefault(String name) {
        return name.equals(DEFAULT)
                || name.equals(ExecutorSection.GROUPED.nameOfDefault())
                || name.equals(ExecutorSection.STRIPED.nameOfDefault());
    }
}
