package io.orderedexecutor.spring.autoconfigure;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Reads the properties before there are beans, and refuses what is wrong with them. The binder alone would accept a
 * name that nobody reads, and any number.
 */
final class PropertiesReader {
    private final Environment environment;
    private final PropertyFailures failures;

    private PropertiesReader(Environment environment) {
        this.environment = environment;
        this.failures = new PropertyFailures(environment);
    }

    /**
     * Reads and checks the properties.
     *
     * @throws OrderedExecutorPropertyException if one is wrong
     */
    static OrderedExecutorProperties read(Environment environment) {
        PropertiesReader reader = new PropertiesReader(environment);
        OrderedExecutorProperties properties = reader.bind();
        SettingsCheck check = new SettingsCheck(reader.failures, properties.defaults());
        Map<String, ExecutorSection> sections = new HashMap<>();
        for (ExecutorSection section : ExecutorSection.values()) {
            section.of(properties).forEach((name, settings) -> {
                reader.checkName(section, name);
                ExecutorSection other = sections.putIfAbsent(name, section);
                if (other != null) {
                    throw reader.failures.nameOfBoth(section, other, name);
                }
                check.check(section, section.prefixOf(name), settings);
            });
        }
        return properties;
    }

    /**
     * Tells whether there are to be executors at all.
     *
     * @throws OrderedExecutorPropertyException if that cannot be told
     */
    static boolean isEnabled(Environment environment) {
        String property = OrderedExecutorProperties.PREFIX + ".enabled";
        String value = Binder.get(environment).bind(property, String.class).orElse("true");
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new PropertyFailures(environment)
                    .wrong(property, "is neither true nor false", "Set it to true or false, or remove it for true.");
        }
        return value.equalsIgnoreCase("true");
    }

    private OrderedExecutorProperties bind() {
        try {
            return Binder.get(environment)
                    .bindOrCreate(
                            OrderedExecutorProperties.PREFIX,
                            Bindable.of(OrderedExecutorProperties.class),
                            new NoUnknownProperties(environment));
        } catch (BindException e) {
            throw failures.notBound(e);
        }
    }

    private void checkName(ExecutorSection section, String name) {
        if (name.isBlank()) {
            throw failures.wrong(
                    section.prefixOf(name),
                    "has a blank name where the name of an executor is expected",
                    "Give the executor a name.");
        }
    }
}
