package io.orderedexecutor.spring.actuate;

import io.orderedexecutor.GroupedExecutor;
import io.orderedexecutor.GroupedExecutorStats;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.OrderedExecutorStats;
import io.orderedexecutor.StripedExecutor;
import io.orderedexecutor.StripedExecutorStats;
import org.jspecify.annotations.Nullable;

/** How kinds of executors differ for those who look from outside: what the keys of their tasks are called. */
enum ExecutorKind {
    STRIPED("striped", "stripes", "Stripes that have tasks"),
    GROUPED("grouped", "groups", "Groups that have tasks");

    private final String type;
    private final String keys;
    private final String description;

    ExecutorKind(String type, String keys, String description) {
        this.type = type;
        this.keys = keys;
        this.description = description;
    }

    /** Returns the kind of an executor, or null if it is one that the application has made up. */
    static @Nullable ExecutorKind of(OrderedExecutor executor) {
        if (executor instanceof StripedExecutor) {
            return STRIPED;
        }
        return executor instanceof GroupedExecutor ? GROUPED : null;
    }

    String type() {
        return type;
    }

    String keys() {
        return keys;
    }

    String describeKeys() {
        return description;
    }

    /** How many keys have tasks, according to the figures of an executor of this kind. */
    long keysIn(OrderedExecutorStats stats) {
        return this == STRIPED ? ((StripedExecutorStats) stats).stripes() : ((GroupedExecutorStats) stats).groups();
    }
}
