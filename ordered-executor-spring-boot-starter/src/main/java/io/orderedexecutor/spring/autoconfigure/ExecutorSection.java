package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedOutputExecutor;
import io.orderedexecutor.StripedExecutor;
import java.util.Map;
import java.util.function.Function;

/**
 * The sections of the properties that name executors, one for each kind: what is written there, and what is made of it.
 */
enum ExecutorSection {
    STRIPED(
            "striped",
            StripedExecutor.class,
            "createStriped",
            "identity-stripes, stripe-capacity, " + ExecutorSection.OF_ALL,
            OrderedExecutorProperties::stripedSettings),
    GROUPED(
            "grouped",
            GroupedExecutor.class,
            "createGrouped",
            "group-capacity, " + ExecutorSection.OF_ALL,
            OrderedExecutorProperties::groupedSettings),
    ORDERED_OUTPUT(
            "ordered-output",
            OrderedOutputExecutor.class,
            "createOrderedOutput",
            "threads, executor, turn.tasks, turn.time, capacity, window, concurrency, overflow, overflow-timeout,"
                    + " retry.attempts, retry.backoff and retry.ceiling",
            OrderedExecutorProperties::orderedOutputSettings);

    private static final String OF_ALL =
            "threads, executor, turn.tasks, turn.time, capacity, overflow, overflow-timeout,"
                    + " failure-policy, retry.attempts, retry.backoff and retry.ceiling";
    private static final String OF_DEFAULTS =
            "identity-stripes, stripe-capacity, group-capacity, window, concurrency, " + OF_ALL;

    private final String section;
    private final Class<? extends OrderedExecutor> type;
    private final String factoryMethod;
    private final String settings;

    @SuppressWarnings("ImmutableEnumChecker") // a method reference
    private final Function<OrderedExecutorProperties, Map<String, Settings>> executors;

    ExecutorSection(
            String section,
            Class<? extends OrderedExecutor> type,
            String factoryMethod,
            String settings,
            Function<OrderedExecutorProperties, Map<String, Settings>> executors) {
        this.section = section;
        this.type = type;
        this.factoryMethod = factoryMethod;
        this.settings = settings;
        this.executors = executors;
    }

    Class<? extends OrderedExecutor> type() {
        return type;
    }

    /** The method of {@link ExecutorFactory} that builds executors of this kind, for bean definitions. */
    String factoryMethod() {
        return factoryMethod;
    }

    /** The settings that an executor of this kind has, for people. */
    String settings() {
        return settings;
    }

    /** The settings that can be given to all executors at once, for people. */
    static String settingsOfDefaults() {
        return OF_DEFAULTS;
    }

    /** The executors of this kind that are configured by name. */
    Map<String, Settings> of(OrderedExecutorProperties properties) {
        return executors.apply(properties);
    }

    /** What all properties of an executor begin with: its name as it has to be written, in brackets if need be. */
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
