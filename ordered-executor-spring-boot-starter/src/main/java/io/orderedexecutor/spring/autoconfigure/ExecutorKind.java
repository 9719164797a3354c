package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.spring.autoconfigure.OrderedExecutorProperties.Settings;
import java.util.Map;

/** The kinds of executors that can be configured, each under a section of its own. */
enum ExecutorKind {
    STRIPED("striped", StripedExecutor.class, "threads, identity-stripes, turn.tasks, turn.time and executor"),
    GROUPED("grouped", GroupedExecutor.class, "threads, turn.tasks, turn.time and executor");

    private final String section;
    private final Class<? extends OrderedExecutor> type;
    private final String settings;

    ExecutorKind(String section, Class<? extends OrderedExecutor> type, String settings) {
        this.section = section;
        this.type = type;
        this.settings = settings;
    }

    Class<? extends OrderedExecutor> type() {
        return type;
    }

    /** The settings that an executor of this kind has, for people. */
    String settings() {
        return settings;
    }

    /** The executors of this kind that are configured by name. */
    Map<String, Settings> of(OrderedExecutorProperties properties) {
        return this == STRIPED ? properties.striped() : properties.groupedSettings();
    }

    /** What all properties of an executor begin with: its name as it has to be written, in brackets if need be. */
    String prefixOf(String executorName) {
        boolean plain = executorName.chars().allMatch(c -> c == '-' || (c < 128 && Character.isLetterOrDigit(c)));
        return OrderedExecutorProperties.PREFIX + "." + section
                + (plain ? "." + executorName : "[" + executorName + "]");
    }

    /** As in "the name of a striped executor". */
    @Override
    public String toString() {
        return section;
    }
}
