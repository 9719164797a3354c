package io.orderedexecutor.spring.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.env.Environment;

/**
 * Creates the exceptions for wrong properties. Spring Boot prints them with the value and the place where it is set.
 */
final class PropertyFailures {
    private final List<ConfigurationPropertySource> sources;

    PropertyFailures(Environment environment) {
        this(new EnvironmentVariables(environment).sources());
    }

    PropertyFailures(List<ConfigurationPropertySource> sources) {
        this.sources = sources;
    }

    /** Returns the exception for a property whose value, or whose combination with others, is not valid. */
    InvalidConfigurationPropertyValueException invalid(String property, String reason) {
        return invalid(property, find(ConfigurationPropertyName.adapt(property, '.')), reason);
    }

    /**
     * Returns the exception for properties that cannot be bound. It has no cause, since Spring Boot would print the
     * cause instead.
     */
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
        return invalid(
                name.toString(),
                property,
                PropertyReference.expectationOf(name, property == null ? null : property.getValue()));
    }

    private static InvalidConfigurationPropertyValueException invalid(
            String property, @Nullable ConfigurationProperty found, String reason) {
        return found == null
                ? new InvalidConfigurationPropertyValueException(property, null, reason)
                : invalid(found, reason);
    }

    /**
     * Returns the exception for a property under the name that is used in its source: Spring Boot needs this name to
     * find the value and its origin.
     */
    static InvalidConfigurationPropertyValueException invalid(ConfigurationProperty property, String reason) {
        String name = property.getOrigin() instanceof PropertySourceOrigin origin
                ? origin.getPropertyName()
                : property.getName().toString();
        return new InvalidConfigurationPropertyValueException(name, property.getValue(), reason);
    }

    /** Returns the property or, if it has no value itself, the first one below it; null if there is none. */
    private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
        return Stream.concat(
                        sources.stream().map(source -> source.getConfigurationProperty(name)),
                        sources.stream()
                                .filter(IterableConfigurationPropertySource.class::isInstance)
                                .flatMap(source -> ((IterableConfigurationPropertySource) source)
                                        .stream()
                                                .filter(name::isAncestorOf)
                                                .limit(1)
                                                .map(source::getConfigurationProperty)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
