package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.util.StringUtils;

/** The kinds of executors that have names, each with its section of the properties. */
enum ExecutorSection {
    STRIPED("striped", StripedExecutor.class, ExecutorSection.OF_KEYS),
    GROUPED("grouped", GroupedExecutor.class, ExecutorSection.OF_KEYS),
    ORDERED_OUTPUT("ordered-output", OrderedOutputExecutor.class, "window, concurrency, " + ExecutorSection.OF_ALL);

    private static final String OF_ALL = "threads, executor, capacity, overflow, overflow-timeout, retry.max-retries,"
            + " retry.delay, retry.multiplier, retry.max-delay, retry.jitter, retry.includes, retry.excludes,"
            + " warn-after";
    private static final String OF_KEYS = "key-capacity, failure-policy, " + OF_ALL;

    private final String section;
    private final Class<? extends OrderedExecutor> type;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> settings;

    ExecutorSection(String section, Class<? extends OrderedExecutor> type, String settings) {
        this.section = section;
        this.type = type;
        this.settings = listOf(settings);
    }

    private static List<String> listOf(String settings) {
        return List.of(settings.split(", ", -1));
    }

    Class<? extends OrderedExecutor> type() {
        return type;
    }

    /** Returns the name of the bean of this kind that exists without any configuration. */
    String nameOfDefault() {
        return StringUtils.uncapitalize(type.getSimpleName());
    }

    /** Returns the name of the bean for the stripes of a grouped executor. */
    static String nameOfStripes(String nameOfGrouped) {
        return nameOfGrouped + "Stripes";
    }

    /** The method of {@link ExecutorFactory} that builds executors of this kind, for bean definitions. */
    String factoryMethod() {
        return "create" + type.getSimpleName();
    }

    /** The settings that an executor of this kind has, by their names as properties. */
    List<String> settings() {
        return settings;
    }

    /** The names of the executors of this kind that are configured. */
    Set<String> namesIn(OrderedExecutorProperties properties) {
        return switch (this) {
            case STRIPED -> properties.striped().keySet();
            case GROUPED -> properties.grouped().keySet();
            case ORDERED_OUTPUT -> properties.orderedOutput().keySet();
        };
    }

    /** The prefix of the properties of all executors of this kind. */
    ConfigurationPropertyName prefix() {
        return ConfigurationPropertyName.of(OrderedExecutorProperties.PREFIX + "." + section);
    }

    /**
     * Returns the prefix of the properties of an executor. The name of the executor is in brackets, unless it consists
     * of ASCII letters, digits and hyphens.
     */
    String prefixOf(String executorName) {
        boolean plain = executorName.chars().allMatch(c -> c == '-' || (c < 128 && Character.isLetterOrDigit(c)));
        return prefix() + (plain ? "." + executorName : "[" + executorName + "]");
    }

    /** Returns the kind with its article, as in "an ordered-output executor". */
    String withArticle() {
        return (this == ORDERED_OUTPUT ? "an " : "a ") + section;
    }

    /** Returns the kind, as in "the name of a striped executor". */
    @Override
    public String toString() {
        return section;
    }
}
