package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.stats.Explanation;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Warns once about each task that is stuck: a task that has been running for too long, or is the first of its key and
 * does not start. The check runs periodically, on a thread that exists only if an executor is to be watched.
 */
final class StuckTasks implements SmartLifecycle {
    private static final Log logger = LogFactory.getLog(StuckTasks.class);

    /**
     * The maximum number of warnings per executor and check: an overloaded executor may have thousands of stuck tasks.
     */
    private static final int MOST_AT_ONCE = 10;

    private static final Duration SHORTEST_PERIOD = Duration.ofMillis(50);
    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(10);

    private final CreatedExecutors executors;
    private final Supplier<@Nullable Duration> shortestLimit;
    private final Function<String, @Nullable Duration> limits;
    private final BiFunction<String, Object, String> shown;

    /** The tasks that were stuck at the last check, by executor. Used by the thread of the check. */
    private final Map<String, Set<Head>> known = new HashMap<>();

    private final Watch watch = new Watch("ordered-executor-watch", this::look);

    /**
     * A stuck task with its key. Both are compared by identity. The task stays reachable until the first check at which
     * it is not stuck any more.
     */
    private record Head(@Nullable Object key, @Nullable Object task) {
        static Head of(Explanation explanation) {
            Object task = explanation.causes().get(0) instanceof Explanation.Running running
                    ? running.task()
                    : explanation.task();
            return new Head(explanation.place().key(), task);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Head head && head.key == key && head.task == task;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(key) + System.identityHashCode(task);
        }
    }

    /**
     * Creates an instance.
     *
     * @param shortestLimit returns the shortest time after which a task is stuck, also of executors that are created
     *     later; null if no executor is to be watched
     * @param limits returns, for the name of an executor, the time after which a task is stuck; null if the executor is
     *     not watched
     * @param shown formats values of the application
     */
    StuckTasks(
            CreatedExecutors executors,
            Supplier<@Nullable Duration> shortestLimit,
            Function<String, @Nullable Duration> limits,
            BiFunction<String, Object, String> shown) {
        this.executors = executors;
        this.shortestLimit = shortestLimit;
        this.limits = limits;
        this.shown = shown;
    }

    @Override
    public void start() {
        Duration shortest = shortestLimit.get();
        if (shortest != null) {
            watch.start(periodFor(shortest));
        }
    }

    /**
     * Returns the period of the check: a third of the shortest limit, but at least 50 ms and at most 10 s. A warning is
     * late by about one period at most.
     */
    private static Duration periodFor(Duration shortest) {
        Duration third = shortest.dividedBy(3);
        return third.compareTo(SHORTEST_PERIOD) < 0
                ? SHORTEST_PERIOD
                : third.compareTo(LONGEST_PERIOD) > 0 ? LONGEST_PERIOD : third;
    }

    @Override
    public void stop() {
        watch.stop();
    }

    @Override
    public boolean isRunning() {
        return watch.isRunning();
    }

    /** Returns a phase after the drain, so that a task that holds up the drain is reported, too. */
    @Override
    public int getPhase() {
        return ExecutorsLifecycle.PHASE - 1;
    }

    void look() {
        executors.byName().forEach(this::look);
    }

    private void look(String name, OrderedExecutor executor) {
        Duration limit = limits.apply(name);
        if (limit == null) {
            return;
        }
        Set<Head> before = known.getOrDefault(name, Set.of());
        Set<Head> now = new HashSet<>();
        List<Explanation> stuck = executor.inspect().explainStuck(limit);
        int warnings = 0;
        for (Explanation explanation : stuck) {
            Head head = Head.of(explanation);
            if (now.add(head) && !before.contains(head) && ++warnings <= MOST_AT_ONCE) {
                logger.warn("A task of ordered executor '" + name + "' is stuck: " + explanation.text(shown));
            }
        }
        if (warnings > MOST_AT_ONCE) {
            logger.warn((warnings - MOST_AT_ONCE) + " more tasks of ordered executor '" + name
                    + "' have been running or waiting for more than " + limit);
        }
        known.put(name, now);
    }
}
