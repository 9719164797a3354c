package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.stats.KeySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Warns once of each key that is parked: nothing of it goes on until somebody decides, and the caller of the task that
 * has failed is not told. It looks once a second, on a thread of its own that is there only if any executor parks: a
 * listener of the executors would cost each of their tasks.
 */
final class ParkedTasks implements SmartLifecycle {
    private static final Log logger = LogFactory.getLog(ParkedTasks.class);
    private static final Duration PERIOD = Duration.ofSeconds(1);

    /** So many warnings of each executor in a minute: a database that is down may park thousands of keys. */
    private static final int MOST_IN_A_MINUTE = 10;

    private final CreatedExecutors executors;
    private final BooleanSupplier isParkingConfigured;
    private final BiFunction<String, Object, String> shown;
    private final LongSupplier nanoTime;
    private final Watch watch = new Watch("ordered-executor-parked", this::look);

    /** By executor. Used by the thread that looks. */
    private final Map<String, Warnings> warnings = new HashMap<>();

    /**
     * Creates an instance.
     *
     * @param isParkingConfigured whether an executor parks that may be created later
     * @param shown makes text of what belongs to the application
     */
    ParkedTasks(
            CreatedExecutors executors,
            BooleanSupplier isParkingConfigured,
            BiFunction<String, Object, String> shown,
            LongSupplier nanoTime) {
        this.executors = executors;
        this.isParkingConfigured = isParkingConfigured;
        this.shown = shown;
        this.nanoTime = nanoTime;
    }

    @Override
    public void start() {
        if (isParkingConfigured.getAsBoolean()
                || executors.byName().values().stream().anyMatch(ParkedTasks::parks)) {
            watch.start(PERIOD);
        }
    }

    @Override
    public void stop() {
        watch.stop();
    }

    @Override
    public boolean isRunning() {
        return watch.isRunning();
    }

    /** It watches until the executors are drained. */
    @Override
    public int getPhase() {
        return ExecutorsLifecycle.PHASE - 1;
    }

    private static boolean parks(OrderedExecutor executor) {
        return executor.inspect().settings().failurePolicy().parks();
    }

    void look() {
        executors.byName().forEach((name, executor) -> {
            if (parks(executor)) {
                warnings.computeIfAbsent(name, any -> new Warnings()).warn(name, parkedIn(executor));
            }
        });
    }

    /**
     * A key, or the groups of a task, that is parked. Two are the same if they are parked with the same failure: one
     * that was resumed and has failed again is another one.
     *
     * @param single what one of its keys is called
     * @param queued how many tasks are queued there, as a part of a sentence; empty if that is not known
     */
    private record Parked(String kind, String single, Object key, String queued, Throwable failure) {
        /** By identity, since {@code equals} of a key is code of the application. */
        boolean isSame(Parked other) {
            return failure == other.failure
                    && (key == other.key
                            // a task with one group has no object of its own that says so
                            || (key instanceof Groups groups
                                    && other.key instanceof Groups others
                                    && areSame(groups.exclusiveGroups(), others.exclusiveGroups())
                                    && areSame(groups.sharedGroups(), others.sharedGroups())));
        }

        private static boolean areSame(Collection<?> groups, Collection<?> others) {
            Iterator<?> each = others.iterator();
            return groups.size() == others.size() && groups.stream().allMatch(group -> group == each.next());
        }
    }

    private static List<Parked> parkedIn(OrderedExecutor executor) {
        List<Parked> parked = new ArrayList<>();
        executor.inspect().parkedTasks().forEach(task -> {
            if (task.key() instanceof Groups) {
                parked.add(new Parked("groups", "group", task.key(), "", task.failure()));
            } else {
                long queued = executor.inspect()
                        .snapshot(task.key())
                        .map(KeySnapshot::queued)
                        .orElse(0L);
                parked.add(new Parked(
                        "stripe",
                        "stripe",
                        task.key(),
                        ", where " + queued + (queued == 1 ? " task is" : " tasks are") + " queued",
                        task.failure()));
            }
        });
        return parked;
    }

    /** The warnings of one executor. */
    private final class Warnings {
        /** What was parked at the last look. */
        private List<Parked> known = List.of();

        private long minuteBegan = nanoTime.getAsLong();
        private int inThisMinute;
        private int notTold;

        void warn(String name, List<Parked> now) {
            if (nanoTime.getAsLong() - minuteBegan >= TimeUnit.MINUTES.toNanos(1)) {
                if (notTold > 0) {
                    logger.warn("In the last minute " + notTold + " more tasks of ordered executor '" + name
                            + "' were parked; " + now.size() + " are parked now");
                }
                minuteBegan = nanoTime.getAsLong();
                inThisMinute = 0;
                notTold = 0;
            }
            Map<Object, List<Parked>> byFailure = new HashMap<>();
            known.forEach(parked -> byFailure
                    .computeIfAbsent(System.identityHashCode(parked.failure), any -> new ArrayList<>())
                    .add(parked));
            for (Parked parked : now) {
                boolean isKnown = byFailure.getOrDefault(System.identityHashCode(parked.failure), List.of()).stream()
                        .anyMatch(parked::isSame);
                if (isKnown) {
                    continue;
                }
                if (inThisMinute++ < MOST_IN_A_MINUTE) {
                    warn(name, parked);
                } else {
                    notTold++;
                }
            }
            known = now;
        }

        private void warn(String name, Parked parked) {
            logger.warn("A task of ordered executor '" + name + "' has failed and parks " + parked.kind + " "
                    + shown.apply(parked.kind, parked.key) + parked.queued + ": "
                    + shown.apply("failure", parked.failure)
                    + ". When the cause is gone, let it run again with resume, or give it up with skip: methods of the"
                    + " executor, and actions of a POST to the endpoint orderedexecutors/" + name + "/<"
                    + parked.single + ">");
        }
    }
}
