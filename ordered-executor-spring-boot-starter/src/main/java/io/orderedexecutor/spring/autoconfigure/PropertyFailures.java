package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** Says what is wrong with a property, with its value as it is written and where that is. */
final class PropertyFailures {
    private final Environment environment;

    PropertyFailures(Environment environment) {
        this.environment = environment;
    }

    /** The failure of a property that has a value, but not a good one. */
    OrderedExecutorPropertyException wrong(String property, String reason, String mend) {
        ConfigurationProperty source = find(ConfigurationPropertyName.adapt(property, '.'));
        return new OrderedExecutorPropertyException(property, source, reason, mend, null);
    }

    /** The failure of an executor of which no bean was made. */
    OrderedExecutorPropertyException nameWithoutBean(ExecutorSection section, String executorName) {
        return wrong(
                section.prefixOf(executorName),
                "makes no executor: names are fixed at build time in AOT mode, and there was none of this name",
                "Build the application with this property, or remove it.");
    }

    /** The failure of an executor whose name is that of another bean. */
    OrderedExecutorPropertyException nameTaken(ExecutorSection section, String executorName, Class<?> type) {
        return wrong(
                section.prefixOf(executorName),
                "makes no executor: the name is taken by a bean of type " + type.getTypeName(),
                "Rename one of the two.");
    }

    /** The failure of an executor whose name is that of a configured one of another kind. */
    OrderedExecutorPropertyException nameOfBoth(ExecutorSection section, ExecutorSection other, String executorName) {
        return wrong(
                section.prefixOf(executorName),
                "has the name of " + other.withArticle() + " executor, '" + other.prefixOf(executorName)
                        + "', and each executor is a bean of its name",
                "Rename one of the two.");
    }

    /** The failure of properties that cannot be bound. */
    OrderedExecutorPropertyException notBound(BindException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnboundConfigurationPropertiesException unbound) {
                ConfigurationProperty unknown =
                        unbound.getUnboundProperties().iterator().next();
                return new OrderedExecutorPropertyException(
                        unknown.getName().toString(), unknown, "is unknown", mendOfUnknown(unknown.getName()), failure);
            }
        }
        ConfigurationPropertyName name = failure.getName();
        boolean misplaced = name.getNumberOfElements() == 3 && sectionOf(name) != null;
        return new OrderedExecutorPropertyException(
                name.toString(),
                failure.getProperty() == null ? find(name) : failure.getProperty(),
                misplaced
                        ? "is a value where the settings of an executor are expected"
                        : "is no valid value: " + rootMessage(failure),
                mendOfInvalid(name, failure.getTarget()),
                failure);
    }

    /**
     * The value as it is written, which is gone once it is bound. What has none is found by the first that is below it.
     */
    private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return findBelow(name);
    }

    private @Nullable ConfigurationProperty findBelow(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                ConfigurationPropertyName below =
                        iterable.stream().filter(name::isAncestorOf).findFirst().orElse(null);
                if (below != null) {
                    return source.getConfigurationProperty(below);
                }
            }
        }
        return null;
    }

    private static @Nullable ExecutorSection sectionOf(ConfigurationPropertyName name) {
        String element = name.getNumberOfElements() < 2 ? "" : name.getElement(1, Form.UNIFORM);
        for (ExecutorSection section : ExecutorSection.values()) {
            if (element.equals(section.toString().replace("-", ""))) {
                return section;
            }
        }
        return null;
    }

    private static String mendOfUnknown(ConfigurationPropertyName name) {
        ExecutorSection section = sectionOf(name);
        if (section != null && name.getNumberOfElements() > 2) {
            return "The settings of " + section.withArticle() + " executor are " + section.settings()
                    + "; correct the name, or remove the property.";
        }
        if (name.getNumberOfElements() > 2 && name.getElement(1, Form.UNIFORM).equals("defaults")) {
            return "The settings of an executor are " + ExecutorSection.settingsOfDefaults()
                    + "; correct the name, or remove the property.";
        }
        return "Under " + OrderedExecutorProperties.PREFIX
                + " there are enabled, metrics.*, observations.*, defaults.* and "
                + Stream.of(ExecutorSection.values())
                        .map(each -> each + ".<name>.*")
                        .collect(Collectors.joining(", "))
                + "; correct the name, or remove the property.";
    }

    private static String mendOfInvalid(ConfigurationPropertyName name, Bindable<?> target) {
        Class<?> type = target.getType().resolve(Object.class);
        if (type == Duration.class) {
            return "Set it to a duration such as 500us, 1ms or 2s.";
        }
        if (type == Integer.class) {
            return "Set it to a whole number, at least 1.";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "Set it to true or false.";
        }
        if (type.isEnum()) {
            return "Set it to one of "
                    + Stream.of(type.getEnumConstants())
                            .map(choice ->
                                    choice.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .collect(Collectors.joining(", "))
                    + ".";
        }
        ExecutorSection section = sectionOf(name);
        if (section == null) {
            return "Set " + name + ".<setting>, where the settings are " + ExecutorSection.settingsOfDefaults() + ".";
        }
        return "Executors have names: set " + section.prefixOf("") + "<name>.<setting>, where the settings are "
                + section.settings() + ".";
    }

    private static @Nullable String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage();
    }
}
