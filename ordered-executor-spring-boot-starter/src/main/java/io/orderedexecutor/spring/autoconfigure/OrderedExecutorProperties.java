package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What can be configured.
 *
 * @param enabled Whether to configure executors, @OrderedAsync, their meters and their endpoint. If not, calls of annotated
 *     methods run on the threads of their callers, in no order.
 * @param defaults Settings of all executors, unless they have their own.
 * @param striped Striped executors by name. Each name is a bean of that name; 'stripedExecutor' is the one that is always there.
 * @param grouped Grouped executors by name. Each name is a bean of that name; 'groupedExecutor' is the one that is always there.
 */
@ConfigurationProperties(OrderedExecutorProperties.PREFIX)
record OrderedExecutorProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Settings defaults,
        @DefaultValue Map<String, Settings> striped,
        @DefaultValue Map<String, GroupedSettings> grouped) {
    static final String PREFIX = "ordered-executor";

    /** The settings of an executor: its own and, where it has none, the defaults. */
    Settings settingsOf(ExecutorKind kind, String name) {
        Settings own = kind.of(this).get(name);
        return own == null ? defaults : own.orElse(defaults);
    }

    /** The settings of the grouped executors, as far as they have them. */
    Map<String, Settings> groupedSettings() {
        Map<String, Settings> settings = new LinkedHashMap<>();
        grouped.forEach((name, own) -> settings.put(name, own.asSettings()));
        return settings;
    }

    /**
     * Settings of an executor. What is null is not set.
     *
     * @param threads How many threads of its own the executor has at most. As many as there are processors by default; with
     *     virtual threads enabled, each stripe that has tasks, and each task with groups, runs on a virtual thread by default.
     * @param identityStripes Whether two stripes of a striped executor are the same only if they are one object, instead of if they
     *     are equal.
     * @param turn For how long a thread serves one stripe while others wait.
     * @param executor Name of the java.util.concurrent.Executor bean to run on, instead of threads of its own.
     */
    record Settings(
            @Nullable Integer threads,
            @Nullable Boolean identityStripes,
            @DefaultValue Turn turn,
            @Nullable String executor) {

        Settings orElse(Settings defaults) {
            // an executor of one's own and inherited threads, or the other way round, exclude each other: the nearer
            // one counts
            return new Settings(
                    threads == null && executor == null ? defaults.threads : threads,
                    or(identityStripes, defaults.identityStripes),
                    new Turn(or(turn.tasks, defaults.turn.tasks), or(turn.time, defaults.turn.time)),
                    threads == null && executor == null ? defaults.executor : executor);
        }

        private static <T> @Nullable T or(@Nullable T own, @Nullable T inherited) {
            return own == null ? inherited : own;
        }
    }

    /**
     * Settings of a grouped executor. What is null is not set.
     *
     * @param threads How many threads of its own the executor has at most. As many as there are processors by default; with
     *     virtual threads enabled, each task runs on a virtual thread by default.
     * @param turn For how long a thread goes on with what becomes ready by its own tasks while others wait.
     * @param executor Name of the java.util.concurrent.Executor bean to run on, instead of threads of its own.
     */
    record GroupedSettings(
            @Nullable Integer threads,
            @DefaultValue Turn turn,
            @Nullable String executor) {

        Settings asSettings() {
            return new Settings(threads, null, turn, executor);
        }
    }

    /**
     * A turn.
     *
     * @param tasks After how many tasks of a stripe, or of tasks that waited for each other, a thread serves the next one.
     * @param time After how much time a thread serves the next stripe, looked at between tasks.
     */
    record Turn(@Nullable Integer tasks, @Nullable Duration time) {}
}
