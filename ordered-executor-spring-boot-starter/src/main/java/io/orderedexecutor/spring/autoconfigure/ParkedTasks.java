package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.stats.KeySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
 * Warns once about each parked key: its tasks wait until somebody resumes or skips the failed one, and no caller is
 * notified. The check runs once a second, on a thread that exists only if an executor parks. A listener would cost time
 * in each task.
 */
final class ParkedTasks implements SmartLifecycle {
    private static final Log logger = LogFactory.getLog(ParkedTasks.class);
    private static final Duration PERIOD = Duration.ofSeconds(1);

    /** The maximum number of warnings per executor and minute: a database that is down may park thousands of keys. */
    private static final int MOST_IN_A_MINUTE = 10;

    private final CreatedExecutors executors;
    private final BooleanSupplier isParkingConfigured;
    private final BiFunction<String, Object, String> shown;
    private final LongSupplier nanoTime;
    private final Watch watch = new Watch("ordered-executor-parked", this::look);

    /** The warnings by executor. Used by the thread of the check. */
    private final Map<String, Warnings> warnings = new HashMap<>();

    /**
     * Creates an instance.
     *
     * @param isParkingConfigured whether an executor is configured to park, even if it is created later
     * @param shown formats values of the application
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

    /** Returns a phase after the drain, so that this check runs until the executors are drained. */
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
     * A key, or the keys of a task, that is parked. Two of these are the same only if they have the same failure: a
     * task that was resumed and has failed again is reported again.
     *
     * @param queued how many tasks are queued there, as a part of a sentence; empty if that is not known
     */
    private record Parked(String kind, Object key, String queued, Throwable failure) {
        /** Compares by identity, since {@code equals} of a key is code of the application. */
        boolean isSame(Parked other) {
            return failure == other.failure && key == other.key;
        }
    }

    private static List<Parked> parkedIn(OrderedExecutor executor) {
        List<Parked> parked = new ArrayList<>();
        executor.inspect().parkedTasks().forEach(task -> {
            if (task.key() instanceof Groups) {
                parked.add(new Parked("keys", task.key(), "", task.failure()));
            } else {
                long queued = executor.inspect()
                        .snapshot(task.key())
                        .map(KeySnapshot::queued)
                        .orElse(0L);
                parked.add(new Parked(
                        "key",
                        task.key(),
                        ", where " + queued + (queued == 1 ? " task is" : " tasks are") + " queued",
                        task.failure()));
            }
        });
        return parked;
    }

    /** The warnings of one executor. */
    private final class Warnings {
        /** The parked keys of the last check. */
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
                    + ". When the cause is gone, run the task again with resume, or give it up with skip: methods of"
                    + " the executor, and actions of a POST to the endpoint orderedexecutors/" + name + "/{key}");
        }
    }
}
