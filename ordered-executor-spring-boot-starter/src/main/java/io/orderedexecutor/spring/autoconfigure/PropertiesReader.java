package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.spring.autoconfigure.OrderedExecutorProperties.Settings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.core.env.Environment;

/**
 * Reads the properties before there are beans, and refuses what is wrong with them. The binder alone would accept a name that
 * nobody reads, and any number.
 */
final class PropertiesReader {
    private static final String KEYS = "threads, identity-stripes, turn.tasks, turn.time and executor";

    private final Environment environment;

    private PropertiesReader(Environment environment) {
        this.environment = environment;
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
        properties.striped().forEach((name, settings) -> {
            String prefix = prefixOf(name);
            if (name.isBlank()) {
                throw reader.wrong(
                        prefix,
                        "has a blank name where the name of an executor is expected",
                        "Give the executor a name.");
            }
            reader.check(prefix, settings);
        });
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
            throw new PropertiesReader(environment)
                    .wrong(property, "is neither true nor false", "Set it to true or false, or remove it for true.");
        }
        return value.equalsIgnoreCase("true");
    }

    /** The failure of an executor whose {@code executor} is no such bean. */
    static OrderedExecutorPropertyException noSuchExecutor(
            Environment environment, String executorName, String reason, String mend) {
        PropertiesReader reader = new PropertiesReader(environment);
        OrderedExecutorProperties properties = reader.bind();
        Settings own = properties.striped().get(executorName);
        boolean isOwn = own != null && own.executor() != null;
        String prefix = isOwn ? prefixOf(executorName) : OrderedExecutorProperties.PREFIX + ".defaults";
        return reader.wrong(prefix + ".executor", reason, mend);
    }

    /** The failure of an executor of which no bean was made. */
    static OrderedExecutorPropertyException nameWithoutBean(Environment environment, String executorName) {
        return new PropertiesReader(environment)
                .wrong(
                        prefixOf(executorName),
                        "makes no executor: names are fixed at build time in AOT mode, and there was none of this name",
                        "Build the application with this property, or remove it.");
    }

    /** The failure of an executor whose name is that of another bean. */
    static OrderedExecutorPropertyException nameTaken(Environment environment, String executorName, Class<?> type) {
        return new PropertiesReader(environment)
                .wrong(
                        prefixOf(executorName),
                        "makes no executor: the name is taken by a bean of type " + type.getTypeName(),
                        "Rename one of the two.");
    }

    private OrderedExecutorProperties bind() {
        try {
            return Binder.get(environment)
                    .bindOrCreate(
                            OrderedExecutorProperties.PREFIX,
                            Bindable.of(OrderedExecutorProperties.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (BindException e) {
            throw explain(e);
        }
    }

    private void check(String prefix, Settings settings) {
        Integer threads = settings.threads();
        if (threads != null && threads < 1) {
            throw wrong(
                    prefix + ".threads",
                    "must be at least 1",
                    "Set it to a number of threads, or remove it for as many as" + " there are processors.");
        }
        Integer tasks = settings.turn().tasks();
        if (tasks != null && tasks < 1) {
            throw wrong(
                    prefix + ".turn.tasks", "must be at least 1", "Set it to a number of tasks, or remove it for 64.");
        }
        Duration time = settings.turn().time();
        if (time != null && (time.isZero() || time.isNegative())) {
            throw wrong(
                    prefix + ".turn.time", "must be more than zero", "Set it to a duration such as 1ms, or remove it.");
        }
        String executor = settings.executor();
        if (executor != null && executor.isBlank()) {
            throw wrong(prefix + ".executor", "is blank", "Set it to the name of an Executor bean, or remove it.");
        }
        if (executor != null && threads != null) {
            throw wrong(
                    prefix + ".executor",
                    "excludes '" + prefix
                            + ".threads': an executor runs on its own threads or on those of another executor",
                    "Remove one of the two.");
        }
    }

    private OrderedExecutorPropertyException wrong(String property, String reason, String mend) {
        ConfigurationProperty source = find(ConfigurationPropertyName.adapt(property, '.'));
        return new OrderedExecutorPropertyException(property, source, reason, mend, null);
    }

    /** What all properties of an executor begin with: its name as it has to be written, in brackets if need be. */
    private static String prefixOf(String executorName) {
        boolean plain = executorName.chars().allMatch(c -> c == '-' || (c < 128 && Character.isLetterOrDigit(c)));
        return OrderedExecutorProperties.PREFIX + ".striped" + (plain ? "." + executorName : "[" + executorName + "]");
    }

    private OrderedExecutorPropertyException explain(BindException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnboundConfigurationPropertiesException unbound) {
                ConfigurationProperty unknown =
                        unbound.getUnboundProperties().iterator().next();
                return new OrderedExecutorPropertyException(
                        unknown.getName().toString(), unknown, "is unknown", mendOfUnknown(unknown.getName()), failure);
            }
        }
        ConfigurationPropertyName name = failure.getName();
        boolean misplaced = failure.getTarget().getType().resolve() == Settings.class;
        return new OrderedExecutorPropertyException(
                name.toString(),
                failure.getProperty() == null ? find(name) : failure.getProperty(),
                misplaced
                        ? "is a value where the settings of an executor are expected"
                        : "is no valid value: " + rootMessage(failure),
                mendOfInvalid(failure.getTarget()),
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
        boolean ofExecutor = name.getNumberOfElements() > 2
                && List.of("defaults", "striped").contains(name.getElement(1, Form.UNIFORM));
        return ofExecutor
                ? "The settings of an executor are " + KEYS + "; correct the name, or remove the property."
                : "Under " + OrderedExecutorProperties.PREFIX
                        + " there are enabled, defaults.* and striped.<name>.*; correct"
                        + " the name, or remove the property.";
    }

    private static String mendOfInvalid(Bindable<?> target) {
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
        return "Striped executors have names: set " + OrderedExecutorProperties.PREFIX
                + ".striped.<name>.<setting>, where the settings are " + KEYS + ".";
    }

    private static @Nullable String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage();
    }
}
