package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.OrderedExecutorProperties.GroupedSettings;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorProperties.Settings;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
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
    OrderedExecutorPropertyException nameWithoutBean(ExecutorKind kind, String executorName) {
        return wrong(
                kind.prefixOf(executorName),
                "makes no executor: names are fixed at build time in AOT mode, and there was none of this name",
                "Build the application with this property, or remove it.");
    }

    /** The failure of an executor whose name is that of another bean. */
    OrderedExecutorPropertyException nameTaken(ExecutorKind kind, String executorName, Class<?> type) {
        return wrong(
                kind.prefixOf(executorName),
                "makes no executor: the name is taken by a bean of type " + type.getTypeName(),
                "Rename one of the two.");
    }

    /** The failure of an executor whose name is that of a configured one of another kind. */
    OrderedExecutorPropertyException nameOfBoth(ExecutorKind kind, ExecutorKind other, String executorName) {
        return wrong(
                kind.prefixOf(executorName),
                "has the name of a " + other + " executor, '" + other.prefixOf(executorName)
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
        Class<?> type = failure.getTarget().getType().resolve();
        boolean misplaced = type == Settings.class || type == GroupedSettings.class;
        return new OrderedExecutorPropertyException(
                name.toString(),
                failure.getProperty() == null ? find(name) : failure.getProperty(),
                misplaced
                        ? "is a value where the settings of an executor are expected"
                        : "is no valid value: " + rootMessage(failure),
                mendOfInvalid(name, failure.getTarget()),
                failure);
    }

    /** The value as it is written, which is gone once it is bound. */
    private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    private static String mendOfUnknown(ConfigurationPropertyName name) {
        if (name.getNumberOfElements() > 2) {
            String section = name.getElement(1, Form.UNIFORM);
            for (ExecutorKind kind : ExecutorKind.values()) {
                if (section.equals(kind.toString())) {
                    return "The settings of a " + kind + " executor are " + kind.settings()
                            + "; correct the name, or remove the property.";
                }
            }
            if (section.equals("defaults")) {
                return "The settings of an executor are " + ExecutorKind.STRIPED.settings()
                        + "; correct the name, or remove the property.";
            }
        }
        return "Under " + OrderedExecutorProperties.PREFIX
                + " there are enabled, defaults.*, striped.<name>.* and grouped.<name>.*; correct the name, or remove the"
                + " property.";
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
        boolean grouped = name.getNumberOfElements() > 1
                && name.getElement(1, Form.UNIFORM).equals(ExecutorKind.GROUPED.toString());
        ExecutorKind kind = grouped ? ExecutorKind.GROUPED : ExecutorKind.STRIPED;
        return "Executors have names: set " + kind.prefixOf("") + "<name>.<setting>, where the settings are "
                + kind.settings() + ".";
    }

    private static @Nullable String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage();
    }
}
