package io.orderedexecutor.spring.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.core.env.Environment;

/** Says what is wrong with a property. Spring Boot prints it with the value as it is written, and where that is. */
final class PropertyFailures {
    private final List<ConfigurationPropertySource> sources;

    PropertyFailures(Environment environment) {
        this(new EnvironmentVariables(environment).sources());
    }

    PropertyFailures(List<ConfigurationPropertySource> sources) {
        this.sources = sources;
    }

    /** The failure of a property whose value, or combination with others, is not valid. */
    InvalidConfigurationPropertyValueException invalid(String property, String reason) {
        return invalid(property, find(ConfigurationPropertyName.adapt(property, '.')), reason);
    }

    /** The failure of a property whose value is not one of its setting. */
    InvalidConfigurationPropertyValueException invalidValue(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(property, '.');
        return invalid(property, find(name), PropertyReference.expectationOf(name));
    }

    /** The failure of an executor whose name is that of another bean. */
    InvalidConfigurationPropertyValueException nameTaken(ExecutorSection section, String executorName, Class<?> type) {
        return invalid(
                section.prefixOf(executorName),
                "The executor name '" + executorName + "' conflicts with an existing bean of type " + type.getTypeName()
                        + ". Rename one of the two.");
    }

    /** The failure of an executor whose name is that of a configured one of another kind. */
    InvalidConfigurationPropertyValueException nameOfBoth(
            ExecutorSection section, ExecutorSection other, String executorName) {
        return invalid(
                section.prefixOf(executorName),
                "The executor name '" + executorName + "' is also the name of " + other.withArticle() + " executor, '"
                        + other.prefixOf(executorName) + "', and both would be the bean of that name."
                        + " Rename one of the two.");
    }

    /** The failure of an executor for which there is no bean. */
    InvalidConfigurationPropertyValueException nameWithoutBean(ExecutorSection section, String executorName) {
        return invalid(
                section.prefixOf(executorName),
                "There is no bean for the executor name '" + executorName + "': names are fixed at build time in AOT"
                        + " mode, and this one was not there. Build the application with it, or remove it.");
    }

    /** The failure of properties that cannot be bound, without its cause: Spring Boot would print that instead. */
    InvalidConfigurationPropertyValueException notBound(BindException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnboundConfigurationPropertiesException unbound) {
                ConfigurationProperty unknown =
                        unbound.getUnboundProperties().iterator().next();
                ConfigurationPropertyName name = unknown.getName();
                return invalid(name.toString(), unknown, PropertyReference.reasonOfUnknown(name));
            }
        }
        ConfigurationPropertyName name = failure.getName();
        ConfigurationProperty property = failure.getProperty() == null ? find(name) : failure.getProperty();
        return invalid(name.toString(), property, PropertyReference.expectationOf(name));
    }

    private static InvalidConfigurationPropertyValueException invalid(
            String property, @Nullable ConfigurationProperty found, String reason) {
        return found == null
                ? new InvalidConfigurationPropertyValueException(property, null, reason)
                : new InvalidConfigurationPropertyValueException(nameInSource(found), found.getValue(), reason);
    }

    /** The name as it is written, by which Spring Boot finds the value and where it is. */
    private static String nameInSource(ConfigurationProperty property) {
        Origin origin = property.getOrigin();
        if (origin instanceof PropertySourceOrigin source) {
            return source.getOrigin() instanceof SystemEnvironmentOrigin variable
                    ? variable.getProperty()
                    : source.getPropertyName();
        }
        return property.getName().toString();
    }

    /** The property or, if it has no value itself, the first one below it. */
    private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        for (ConfigurationPropertySource source : sources) {
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
}
