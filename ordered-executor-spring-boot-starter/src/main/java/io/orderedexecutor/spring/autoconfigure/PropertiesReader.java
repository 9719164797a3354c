package io.orderedexecutor.spring.autoconfigure;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/**
 * Reads the properties before there are beans, and refuses what is wrong with them. The binder alone would accept a
 * name that is never read, and any number.
 */
final class PropertiesReader {
    private final Environment environment;
    private final EnvironmentVariables variables;
    private final Binder binder;
    private final PropertyFailures failures;

    private PropertiesReader(Environment environment) {
        this.environment = environment;
        this.variables = new EnvironmentVariables(environment);
        this.binder = new Binder(variables.sources(), new PropertySourcesPlaceholdersResolver(environment));
        this.failures = new PropertyFailures(variables.sources());
    }

    /**
     * Reads and checks the properties.
     *
     * @throws InvalidConfigurationPropertyValueException if one is wrong
     */
    static ConfiguredExecutors read(Environment environment) {
        PropertiesReader reader = new PropertiesReader(environment);
        reader.variables.requireKnown();
        return reader.read();
    }

    /**
     * Reads a property that is true or false. Spring Boot's own conditions take a misspelt {@code true} for false.
     *
     * @throws InvalidConfigurationPropertyValueException if it is neither
     */
    static boolean isOn(Environment environment, String property, boolean byDefault) {
        PropertiesReader reader = new PropertiesReader(environment);
        String value = reader.binder.bind(property, String.class).orElse("");
        if (!value.isEmpty() && !value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw reader.failures.invalidValue(property);
        }
        return value.isEmpty() ? byDefault : Boolean.parseBoolean(value);
    }

    private ConfiguredExecutors read() {
        try {
            OrderedExecutorProperties properties = binder.bindOrCreate(
                    OrderedExecutorProperties.PREFIX,
                    Bindable.of(OrderedExecutorProperties.class),
                    new NoUnknownProperties(environment));
            return checked(properties);
        } catch (BindException e) {
            throw failures.notBound(e);
        }
    }

    private ConfiguredExecutors checked(OrderedExecutorProperties properties) {
        SettingsCheck check = new SettingsCheck(failures, properties.defaults());
        Map<ExecutorSection, Map<String, Settings>> executors = new EnumMap<>(ExecutorSection.class);
        Map<String, ExecutorSection> sections = new HashMap<>();
        for (ExecutorSection section : ExecutorSection.values()) {
            Map<String, Settings> ofSection = new LinkedHashMap<>();
            for (String name : section.namesIn(properties)) {
                checkName(section, name, sections.putIfAbsent(name, section));
                Settings settings = settingsOf(section.prefixOf(name));
                check.check(section, section.prefixOf(name), settings);
                ofSection.put(name, settings);
            }
            executors.put(section, ofSection);
        }
        return new ConfiguredExecutors(properties.defaults(), executors);
    }

    private Settings settingsOf(String prefix) {
        return binder.bindOrCreate(ConfigurationPropertyName.adapt(prefix, '.'), Bindable.of(Settings.class), null);
    }

    private void checkName(ExecutorSection section, String name, @Nullable ExecutorSection other) {
        if (name.isBlank()) {
            throw failures.invalid(section.prefixOf(name), "The name of the executor is blank. Give it a name.");
        }
        if (other != null) {
            throw failures.nameOfBoth(section, other, name);
        }
    }
}
