package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.OrderedExecutorProperties.Settings;
import java.time.Duration;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Reads the properties before there are beans, and refuses what is wrong with them. The binder alone would accept a name that
 * nobody reads, and any number.
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
        reader.check(OrderedExecutorProperties.PREFIX + ".defaults", properties.defaults());
        for (ExecutorKind kind : ExecutorKind.values()) {
            kind.of(properties).forEach((name, settings) -> {
                reader.checkName(kind, name);
                reader.check(kind.prefixOf(name), settings);
            });
        }
        for (String name : properties.grouped().keySet()) {
            if (properties.striped().containsKey(name)) {
                throw reader.failures.nameOfBoth(ExecutorKind.GROUPED, ExecutorKind.STRIPED, name);
            }
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
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (BindException e) {
            throw failures.notBound(e);
        }
    }

    private void checkName(ExecutorKind kind, String name) {
        if (name.isBlank()) {
            throw failures.wrong(
                    kind.prefixOf(name),
                    "has a blank name where the name of an executor is expected",
                    "Give the executor a name.");
        }
    }

    private void check(String prefix, Settings settings) {
        Integer threads = settings.threads();
        if (threads != null && threads < 1) {
            throw failures.wrong(
                    prefix + ".threads",
                    "must be at least 1",
                    "Set it to a number of threads, or remove it for as many as there are processors.");
        }
        Integer tasks = settings.turn().tasks();
        if (tasks != null && tasks < 1) {
            throw failures.wrong(
                    prefix + ".turn.tasks", "must be at least 1", "Set it to a number of tasks, or remove it for 64.");
        }
        Duration time = settings.turn().time();
        if (time != null && (time.isZero() || time.isNegative())) {
            throw failures.wrong(
                    prefix + ".turn.time", "must be more than zero", "Set it to a duration such as 1ms, or remove it.");
        }
        String executor = settings.executor();
        if (executor != null && executor.isBlank()) {
            throw failures.wrong(
                    prefix + ".executor", "is blank", "Set it to the name of an Executor bean, or remove it.");
        }
        if (executor != null && threads != null) {
            throw failures.wrong(
                    prefix + ".executor",
                    "excludes '" + prefix
                            + ".threads': an executor runs on its own threads or on those of another executor",
                    "Remove one of the two.");
        }
    }
}
