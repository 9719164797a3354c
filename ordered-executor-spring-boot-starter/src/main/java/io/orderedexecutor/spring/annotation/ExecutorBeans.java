package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds the bean of one kind of executor that an annotation means. Looks at names and types only, so that no executor
 * is created by a check.
 *
 * @param <E> the kind of executor
 */
final class ExecutorBeans<E extends OrderedExecutor> {
    private final ConfigurableListableBeanFactory beanFactory;
    private final Class<E> type;
    private final String kind;
    private final Map<String, E> found = new ConcurrentHashMap<>();

    private ExecutorBeans(ConfigurableListableBeanFactory beanFactory, Class<E> type, String kind) {
        this.beanFactory = beanFactory;
        this.type = type;
        this.kind = kind;
    }

    static ExecutorBeans<StripedExecutor> striped(ConfigurableListableBeanFactory beanFactory) {
        return new ExecutorBeans<>(beanFactory, StripedExecutor.class, "striped");
    }

    static ExecutorBeans<GroupedExecutor> grouped(ConfigurableListableBeanFactory beanFactory) {
        return new ExecutorBeans<>(beanFactory, GroupedExecutor.class, "grouped");
    }

    /** The name of the executor that always exists. */
    private String nameOfDefault() {
        return kind + "Executor";
    }

    /** Asks for the bean once: a bean factory that is closed would make a new one, which would never be shut down. */
    E get(String name) {
        E executor = found.get(name);
        if (executor == null) {
            executor = beanFactory.getBean(name, type);
            found.put(name, executor);
        }
        return executor;
    }

    /** Returns what {@link #get} finds the executor by that {@code executor} stands for, or throws. */
    String nameOf(String executor, String where) {
        List<String> known =
                Arrays.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false));
        Object value = new ExecutorValue(beanFactory, nameOfDefault()).of(executor, where);
        if (type.isInstance(value)) {
            found.put(executor, type.cast(value));
            return executor;
        }
        String name = value instanceof String text ? text : "";
        if (value != null && !(value instanceof String)) {
            throw new InvalidOrderedAsyncException(
                    where + " has the executor '" + executor + "', which is a "
                            + value.getClass().getTypeName() + ", not a " + type.getSimpleName(),
                    "Use a " + type.getSimpleName() + " or the name of one: " + listed(known) + ".");
        }
        if (name.isBlank()) {
            return defaultOf(known, where);
        }
        if (known.contains(name) || isExecutor(name)) {
            return name;
        }
        List<String> qualified = known.stream()
                .filter(bean -> BeanFactoryAnnotationUtils.isQualifierMatch(name::equals, bean, beanFactory))
                .toList();
        if (qualified.size() == 1) {
            return qualified.get(0);
        }
        throw noSuchExecutor(name, known, where);
    }

    private InvalidOrderedAsyncException noSuchExecutor(String name, List<String> known, String where) {
        String fix = known.stream()
                .filter(name::equalsIgnoreCase)
                .findFirst()
                .map(meant -> "Did you mean '" + meant + "'? ")
                .orElse("");
        fix += known.isEmpty() ? noExecutor() : "Use one of " + listed(known) + ", or ";
        String property = known.isEmpty() ? "" : "configure ordered-executor." + kind + "." + name + ".";
        String names = where + " names the executor '" + name + "', but ";
        if (!beanFactory.containsBean(name)) {
            return new InvalidOrderedAsyncException(
                    names + "there is no such " + type.getSimpleName() + " bean", fix + property);
        }
        Class<?> other = beanFactory.getType(name, false);
        return new InvalidOrderedAsyncException(
                names + "that bean is " + (other == null ? "" : "a " + other.getTypeName() + ", ") + "not a "
                        + type.getSimpleName(),
                fix + (known.isEmpty() ? "" : "rename the bean and ") + property);
    }

    /** Aliases are not among the names for a type. */
    private boolean isExecutor(String name) {
        try {
            return beanFactory.isTypeMatch(name, type);
        } catch (NoSuchBeanDefinitionException e) {
            return false;
        }
    }

    private String defaultOf(List<String> known, String where) {
        if (known.size() == 1) {
            return known.get(0);
        }
        List<String> primary = known.stream().filter(this::isPrimary).toList();
        if (primary.size() == 1) {
            return primary.get(0);
        }
        if (known.contains(nameOfDefault())) {
            return nameOfDefault();
        }
        throw known.isEmpty()
                ? new InvalidOrderedAsyncException(
                        where + " needs a " + type.getSimpleName() + " bean, and there is none", noExecutor())
                : new InvalidOrderedAsyncException(
                        where + " names no executor, and of the " + type.getSimpleName() + " beans " + listed(known)
                                + " none is primary",
                        "Set executor to one of them, or mark one as @Primary.");
    }

    private boolean isPrimary(String name) {
        return beanFactory.containsBeanDefinition(name)
                && beanFactory.getMergedBeanDefinition(name).isPrimary();
    }

    private String noExecutor() {
        return "Define a " + type.getSimpleName() + " bean, or leave ordered-executor.enabled at true.";
    }

    private static String listed(List<String> names) {
        return String.join(", ", new TreeSet<>(names));
    }
}
