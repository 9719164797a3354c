package io.orderedexecutor.spring.annotation;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds the executor bean of one kind that an annotation refers to. Checks use only names and types, so that they
 * create no executor.
 *
 * @param <E> the kind of executor
 */
final class ExecutorBeans<E extends OrderedExecutor> {
    /** The name of the default executor, which has two beans. */
    private static final String DEFAULT = "ordered-executor";

    private final ConfigurableListableBeanFactory beanFactory;
    private final Class<E> type;
    private final String kind;

    /**
     * Returns the executor of this kind for a bean: the bean itself, or the stripes of a grouped executor. Returns null
     * for other beans.
     */
    private final Function<Object, @Nullable E> face;

    private final Map<String, E> found = new ConcurrentHashMap<>();
    private final Map<String, Reported> reported = new ConcurrentHashMap<>();

    private ExecutorBeans(
            ConfigurableListableBeanFactory beanFactory,
            Class<E> type,
            String kind,
            Function<Object, @Nullable E> face) {
        this.beanFactory = beanFactory;
        this.type = type;
        this.kind = kind;
        this.face = face;
    }

    /** Returns the beans for methods with a stripe, which can run on a grouped executor, too. */
    static ExecutorBeans<StripedExecutor> striped(ConfigurableListableBeanFactory beanFactory) {
        return new ExecutorBeans<>(
                beanFactory,
                StripedExecutor.class,
                "striped",
                bean -> bean instanceof GroupedExecutor grouped
                        ? grouped.stripes()
                        : bean instanceof StripedExecutor striped ? striped : null);
    }

    static ExecutorBeans<GroupedExecutor> grouped(ConfigurableListableBeanFactory beanFactory) {
        return new ExecutorBeans<>(
                beanFactory,
                GroupedExecutor.class,
                "grouped",
                bean -> bean instanceof GroupedExecutor grouped ? grouped : null);
    }

    /**
     * The name and type of an executor in meters, logs and the endpoint, which are the same for all beans of the
     * executor.
     *
     * @param name the name of its only bean, or of its grouped bean; for the default executor, its own name
     * @param type {@code striped} or {@code grouped}
     */
    record Reported(String name, String type) {}

    /** Returns the reported name and type of the executor that {@link #get} returns for a bean. */
    Reported reported(String bean) {
        Reported known = reported.get(bean);
        if (known == null) {
            try {
                known = reportedOf(bean, get(bean));
            } catch (BeanNotOfRequiredTypeException stripesOfAMock) {
                // the type of the bean was checked earlier, but its stripes are null, as those of a mock are; the
                // application starts nevertheless
                known = new Reported(bean, kind);
            }
            reported.put(bean, known);
        }
        return known;
    }

    private Reported reportedOf(String bean, E executor) {
        BeanFactory factory = beanFactory;
        while (factory instanceof ConfigurableListableBeanFactory here) {
            for (String name : here.getBeanNamesForType(GroupedExecutor.class, true, false)) {
                // an executor that is not created has no stripes yet
                if (here.getSingleton(name) instanceof GroupedExecutor grouped
                        && (grouped == executor || areStripesOf(grouped, executor))) {
                    return new Reported(nameOf(name, grouped), "grouped");
                }
            }
            factory = here.getParentBeanFactory();
        }
        return new Reported(nameOf(beanOf(executor, bean), executor), kind);
    }

    /** Returns the bean that is an executor, since an annotation may mean it by an expression or an alias. */
    private String beanOf(E executor, String meant) {
        BeanFactory factory = beanFactory;
        while (factory instanceof ConfigurableListableBeanFactory here && here.getSingleton(meant) != executor) {
            for (String name : here.getBeanNamesForType(type, true, false)) {
                if (here.getSingleton(name) == executor) {
                    return name;
                }
            }
            factory = here.getParentBeanFactory();
        }
        return meant;
    }

    private static boolean areStripesOf(GroupedExecutor grouped, OrderedExecutor executor) {
        try {
            return grouped.stripes() == executor;
        } catch (RuntimeException | Error ofAMock) {
            // a mock may throw here; the search goes on with the other executors
            return false;
        }
    }

    private static String nameOf(String bean, OrderedExecutor executor) {
        boolean isDefault =
                (bean.equals("groupedExecutor") || bean.equals("stripedExecutor")) && DEFAULT.equals(executor.name());
        return isDefault ? DEFAULT : bean;
    }

    /** Returns the name of the default bean of this kind. */
    private String nameOfDefault() {
        return kind + "Executor";
    }

    /**
     * Returns the executor of a bean. Gets each bean from the factory only once: a closed bean factory would create a
     * new executor, which would never be shut down.
     */
    E get(String name) {
        E executor = found.get(name);
        if (executor == null) {
            Object bean = beanFactory.getBean(name);
            executor = face.apply(bean);
            if (executor == null) {
                throw new BeanNotOfRequiredTypeException(name, type, bean.getClass());
            }
            found.put(name, executor);
        }
        return executor;
    }

    /** Returns the name by which {@link #get} finds the executor of an annotation, or throws. */
    String nameOf(String executor, String where) {
        List<String> known = namesOf(type);
        Object value = new ExecutorValue(beanFactory, nameOfDefault()).of(executor, where);
        E given = value == null ? null : face.apply(value);
        if (given != null) {
            found.put(executor, given);
            return executor;
        }
        String name = value instanceof String text ? text : "";
        if (value != null && !(value instanceof String)) {
            throw new InvalidOrderedAsyncException(
                    where + " has the executor '" + executor + "', which is a "
                            + value.getClass().getTypeName() + ", not a " + type.getSimpleName(),
                    "Use a " + type.getSimpleName() + " or the name of one: " + listed(usable()) + ".");
        }
        if (name.isBlank()) {
            return defaultOf(known, where);
        }
        if (known.contains(name) || isExecutor(name)) {
            return name;
        }
        List<String> qualified = qualifiedBy(name, known);
        if (qualified.isEmpty() && type == StripedExecutor.class) {
            qualified = qualifiedBy(name, namesOf(GroupedExecutor.class));
        }
        if (qualified.size() == 1) {
            return qualified.get(0);
        }
        throw noSuchExecutor(name, usable(), where);
    }

    /** Returns the names of all executors that a method may name: for a method with a stripe, the grouped ones, too. */
    private List<String> usable() {
        return type == StripedExecutor.class
                ? Stream.concat(namesOf(type).stream(), namesOf(GroupedExecutor.class).stream())
                        .toList()
                : namesOf(type);
    }

    private List<String> qualifiedBy(String qualifier, List<String> beans) {
        return beans.stream()
                .filter(bean -> BeanFactoryAnnotationUtils.isQualifierMatch(qualifier::equals, bean, beanFactory))
                .toList();
    }

    private List<String> namesOf(Class<?> kind) {
        return Arrays.asList(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, kind, true, false));
    }

    private InvalidOrderedAsyncException noSuchExecutor(String name, List<String> known, String where) {
        if (name.equals(DEFAULT) && !known.isEmpty() && !beanFactory.containsBean(name)) {
            return new InvalidOrderedAsyncException(
                    where + " names the executor '" + name + "', but there is no such " + type.getSimpleName()
                            + " bean: that is what logs, meters and the endpoint call the default executor",
                    "Leave executor empty for the default executor, or use one of " + listed(known) + ".");
        }
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

    /**
     * Returns whether a name belongs to a usable executor. Checks its type, since aliases are not among the names for a
     * type, nor are grouped executors among the striped ones.
     */
    private boolean isExecutor(String name) {
        try {
            return beanFactory.isTypeMatch(name, type)
                    || (type == StripedExecutor.class && beanFactory.isTypeMatch(name, GroupedExecutor.class));
        } catch (NoSuchBeanDefinitionException e) {
            return false;
        }
    }

    private String defaultOf(List<String> known, String where) {
        // as in injection: among several executors, one that is defined by properties is used only if it is named
        List<String> meant = known.stream().filter(name -> !isFallback(name)).toList();
        if (known.size() == 1 || meant.size() == 1) {
            return meant.isEmpty() ? known.get(0) : meant.get(0);
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

    private boolean isFallback(String name) {
        return beanFactory.containsBeanDefinition(name)
                && beanFactory.getMergedBeanDefinition(name).isFallback();
    }

    private String noExecutor() {
        return "Define a " + type.getSimpleName() + " bean, or leave ordered-executor.enabled at true.";
    }

    private static String listed(List<String> names) {
        return String.join(", ", new TreeSet<>(names));
    }
}
