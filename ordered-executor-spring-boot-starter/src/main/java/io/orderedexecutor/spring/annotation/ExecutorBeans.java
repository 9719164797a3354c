package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.StripedExecutor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the bean that an annotation means. Looks at names and types only, so that no executor is created by a check. */
final class ExecutorBeans {
    static final String DEFAULT = "stripedExecutor";

    private final ConfigurableListableBeanFactory beanFactory;
    private final Map<String, StripedExecutor> found = new ConcurrentHashMap<>();

    ExecutorBeans(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Asks for the bean once: a bean factory that is closed would make a new one, of which nobody knows. */
    StripedExecutor get(String name) {
        StripedExecutor executor = found.get(name);
        if (executor == null) {
            executor = beanFactory.getBean(name, StripedExecutor.class);
            found.put(name, executor);
        }
        return executor;
    }

    /** Returns the bean name that {@code executor} stands for, or throws. */
    String nameOf(String executor, String where) {
        String name = resolved(executor, where);
        List<String> known = Arrays.asList(
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, StripedExecutor.class, true, false));
        if (name == null || name.isBlank()) {
            return defaultOf(known, where);
        }
        if (!known.contains(name) && !isStripedExecutor(name)) {
            throw noSuchExecutor(name, known, where);
        }
        return name;
    }

    /** A placeholder without a value fails or stays as it is, depending on what resolves them. */
    private @Nullable String resolved(String executor, String where) {
        IllegalArgumentException failure = null;
        String name = executor;
        try {
            name = beanFactory.resolveEmbeddedValue(executor);
        } catch (IllegalArgumentException e) {
            failure = e;
        }
        if (failure != null || (name != null && name.contains("${"))) {
            throw new InvalidOrderedAsyncException(
                    where + " names the executor '" + executor + "', a placeholder that cannot be resolved"
                            + (failure == null ? "" : " (" + failure.getMessage() + ")"),
                    "Set the property, or give it a default as in ${name:" + DEFAULT + "}.",
                    failure);
        }
        return name;
    }

    private InvalidOrderedAsyncException noSuchExecutor(String name, List<String> known, String where) {
        String mend = known.isEmpty() ? noExecutor() : "Use one of " + listed(known) + ", or ";
        String property = known.isEmpty() ? "" : "configure ordered-executor.striped." + name + ".";
        String names = where + " names the executor '" + name + "', but ";
        if (!beanFactory.containsBean(name)) {
            return new InvalidOrderedAsyncException(names + "there is no such StripedExecutor bean", mend + property);
        }
        Class<?> type = beanFactory.getType(name, false);
        return new InvalidOrderedAsyncException(
                names + "that bean is " + (type == null ? "" : "a " + type.getTypeName() + ", ") + "no StripedExecutor",
                mend + (known.isEmpty() ? "" : "rename the bean and ") + property);
    }

    /** Aliases are not among the names for a type. */
    private boolean isStripedExecutor(String name) {
        try {
            return beanFactory.isTypeMatch(name, StripedExecutor.class);
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
        if (known.contains(DEFAULT)) {
            return DEFAULT;
        }
        throw known.isEmpty()
                ? new InvalidOrderedAsyncException(
                        where + " needs a StripedExecutor bean, and there is none", noExecutor())
                : new InvalidOrderedAsyncException(
                        where + " names no executor, and of the StripedExecutor beans " + listed(known)
                                + " none is primary",
                        "Set executor to one of them, or mark one as @Primary.");
    }

    private boolean isPrimary(String name) {
        return beanFactory.containsBeanDefinition(name)
                && beanFactory.getMergedBeanDefinition(name).isPrimary();
    }

    private static String noExecutor() {
        return "Define a StripedExecutor bean, or leave ordered-executor.enabled at true.";
    }

    private static String listed(List<String> names) {
        return String.join(", ", new TreeSet<>(names));
    }
}
