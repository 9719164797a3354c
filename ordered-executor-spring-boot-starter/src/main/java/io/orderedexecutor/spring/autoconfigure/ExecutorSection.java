package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** The sections of the properties that name executors, one for each kind, and what the kinds differ in there. */
enum ExecutorSection {
    STRIPED(
            "striped",
            "stripedExecutor",
            StripedExecutor.class,
            "createStriped",
            "identity-stripes, stripe-capacity, " + ExecutorSection.OF_KEYS,
            OrderedExecutorProperties::striped),
    GROUPED(
            "grouped",
            "groupedExecutor",
            GroupedExecutor.class,
            "createGrouped",
            "group-capacity, " + ExecutorSection.OF_KEYS,
            OrderedExecutorProperties::grouped),
    ORDERED_OUTPUT(
            "ordered-output",
            "orderedOutputExecutor",
            OrderedOutputExecutor.class,
            "createOrderedOutput",
            "window, concurrency, " + ExecutorSection.OF_ALL,
            OrderedExecutorProperties::orderedOutput);

    private static final String OF_ALL = "threads, executor, turn.tasks, turn.time, capacity, overflow,"
            + " overflow-timeout, retry.attempts, retry.backoff, retry.ceiling";
    private static final String OF_KEYS = "failure-policy, " + OF_ALL;
    private static final List<String> OF_DEFAULTS =
            listOf("identity-stripes, stripe-capacity, group-capacity, window, concurrency, " + OF_KEYS);

    private final String section;
    private final String nameOfDefault;
    private final Class<? extends OrderedExecutor> type;
    private final String factoryMethod;

    @SuppressWarnings("ImmutableEnumChecker") // List.of
    private final List<String> settings;

    @SuppressWarnings("ImmutableEnumChecker") // a method reference
    private final Function<OrderedExecutorProperties, Map<String, ?>> executors;

    ExecutorSection(
            String section,
            String nameOfDefault,
            Class<? extends OrderedExecutor> type,
            String factoryMethod,
            String settings,
            Function<OrderedExecutorProperties, Map<String, ?>> executors) {
        this.section = section;
        this.nameOfDefault = nameOfDefault;
        this.type = type;
        this.factoryMethod = factoryMethod;
        this.settings = listOf(settings);
        this.executors = executors;
    }

    private static List<String> listOf(String settings) {
        return List.of(settings.split(", ", -1));
    }

    /** The name of the executor that is always there. */
    String nameOfDefault() {
        return nameOfDefault;
    }

    Class<? extends OrderedExecutor> type() {
        return type;
    }

    /** The method of {@link ExecutorFactory} that builds executors of this kind, for bean definitions. */
    String factoryMethod() {
        return factoryMethod;
    }

    /** The settings that an executor of this kind has, by their names as properties. */
    List<String> settings() {
        return settings;
    }

    /** The settings that can be given to all executors at once. */
    static List<String> settingsOfDefaults() {
        return OF_DEFAULTS;
    }

    /** The names of the executors of this kind that are configured. */
    Set<String> namesIn(OrderedExecutorProperties properties) {
        return executors.apply(properties).keySet();
    }

    /** The prefix of the properties of an executor: its name as it has to be written, in brackets if need be. */
    String prefixOf(String executorName) {
        boolean plain = executorName.chars().allMatch(c -> c == '-' || (c < 128 && Character.isLetterOrDigit(c)));
        return OrderedExecutorProperties.PREFIX + "." + section
                + (plain ? "." + executorName : "[" + executorName + "]");
    }

    /** As in "an ordered-output executor". */
    String withArticle() {
        return (this == ORDERED_OUTPUT ? "an " : "a ") + section;
    }

    /** As in "the name of a striped executor". */
    @Override
    public String toString() {
        return section;
    }
}
