package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.ExecutorInspection;
import io.orderedexecutor.Groups;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.stats.KeySnapshot;
import io.orderedexecutor.stats.OrderedExecutorStats;
import io.orderedexecutor.stats.ParkedTask;
import io.orderedexecutor.stats.QueuedTask;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Waits until executors have nothing to do except paused or parked tasks, and logs their remaining tasks: at the start,
 * from time to time, and at the end. A drain waits on a thread of its own, which no task of the application can hold
 * up.
 *
 * <p>A drain does not wait for a task that stops the application, since that task waits for the drain. Nor does it wait
 * for tasks behind that task, or behind paused or parked tasks.
 *
 * <p>A drain is under way until its thread finds the executors done, or another thread stops it. The callback is called
 * once, whichever comes first.
 */
final class Drain {
    static final Duration REPORT_INTERVAL = Duration.ofSeconds(5);

    /** The interval between checks whether only paused or parked tasks are left. No notification says so. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final Log logger = LogFactory.getLog(Drain.class);

    private final Map<String, OrderedExecutor> executors;
    private final long reportNanos;
    private final Runnable callback;
    private final Thread thread = new Thread(this::run, "ordered-executors-drain");
    private final Thread stopper = Thread.currentThread();
    private final long start = System.nanoTime();

    /** Set by the thread that ends this drain: its own thread, or a thread that stops it. */
    private final AtomicBoolean ended = new AtomicBoolean();

    private Drain(Map<String, OrderedExecutor> executors, Duration reportInterval, Runnable callback) {
        this.executors = executors;
        this.reportNanos = reportInterval.toNanos();
        this.callback = callback;
        thread.setDaemon(true);
    }

    /**
     * Starts a drain. If there is nothing to wait for, the callback is called at once, and only paused and parked tasks
     * are logged.
     *
     * @param executors by name
     * @param callback called when, at one moment, no executor had tasks that would go on by themselves; or when the
     *     drain is stopped
     */
    static Drain start(Map<String, OrderedExecutor> executors, Duration reportInterval, Runnable callback) {
        Drain drain = new Drain(executors, reportInterval, callback);
        if (drain.isDone()) {
            drain.ended.set(true);
            String left = drain.describeBusy();
            if (!left.isEmpty()) {
                logger.info("Ordered executors are not drained, since " + drain.stateOfQueuedTasks() + left);
            }
            callback.run();
        } else {
            logger.info("Draining ordered executors" + drain.describeBusy());
            drain.thread.start();
        }
        return drain;
    }

    /** Ends this drain if it is under way. */
    void stop() {
        if (ended.compareAndSet(false, true)) {
            logger.info("Stopped draining ordered executors after " + elapsed() + describeBusy());
            thread.interrupt();
        }
    }

    /** Returns whether none of the executors has anything to do. */
    static boolean isIdle(Collection<OrderedExecutor> executors) {
        return executors.stream().allMatch(Drain::isIdle);
    }

    /** Returns whether an executor has nothing to do. */
    static boolean isIdle(OrderedExecutor executor) {
        try {
            return executor.awaitIdle(Duration.ZERO);
        } catch (InterruptedException e) {
            // awaitIdle does not wait here, but throws if the thread is interrupted; so the caller has to ask again
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void run() {
        try {
            awaitDone();
            if (ended.compareAndSet(false, true)) {
                String left = describeBusy();
                logger.info("Drained ordered executors in " + elapsed()
                        + (left.isEmpty() ? "" : "; " + stateOfQueuedTasks() + left));
            }
        } catch (InterruptedException stopped) {
            // the thread that stopped this drain has logged that
        } finally {
            callback.run();
        }
    }

    private void awaitDone() throws InterruptedException {
        long nextReport = start + reportNanos;
        // tasks of one executor may have submitted tasks to another one that was idle before
        while (!isDone() && !ended.get()) {
            for (OrderedExecutor executor : executors.values()) {
                boolean isIdle = false;
                while (!isIdle && !isHeldUp(executor)) {
                    long untilReport = Math.max(0, nextReport - System.nanoTime());
                    isIdle = executor.awaitIdle(Duration.ofNanos(Math.min(untilReport, LOOK_NANOS)));
                    if (!isIdle && nextReport - System.nanoTime() <= 0) {
                        logger.info("Still draining ordered executors after " + elapsed() + describeBusy());
                        nextReport += reportNanos;
                    }
                }
            }
        }
    }

    /** Returns whether no executor has tasks that go on by themselves. */
    private boolean isDone() {
        return executors.values().stream().allMatch(executor -> isIdle(executor) || isHeldUp(executor));
    }

    private boolean isHeldUp(OrderedExecutor executor) {
        return executor.control().isHeldUp() || isHeldUpByStopper(executor);
    }

    /**
     * Returns whether only the task that stops the application runs, and each other task waits for that task or its
     * thread, or is paused or parked.
     */
    private boolean isHeldUpByStopper(OrderedExecutor executor) {
        ExecutorInspection inspection = executor.inspect();
        OrderedExecutorStats before = inspection.stats();
        if (before.active() != 1) {
            return false;
        }
        for (RunningTask running : inspection.runningTasks()) {
            if (stops(running.thread(), stopper)) {
                Integer threads = inspection.settings().threads();
                boolean isOnlyThread = threads != null && threads == 1;
                // false if a task has ended since, so that another one may have become ready
                return (isOnlyThread || executor.control().isPaused() || allWaitFor(running.key(), inspection))
                        && before.equals(inspection.stats());
            }
        }
        return false;
    }

    /**
     * Returns whether each queued task is paused or parked, waits for the task of a key, or waits for another such
     * task. A task that has just ended may still be listed before the next one; the next one then waits for no task
     * that is left.
     */
    private static boolean allWaitFor(@Nullable Object key, ExecutorInspection inspection) {
        List<Object> parked =
                inspection.parkedTasks().stream().map(ParkedTask::key).collect(Collectors.toCollection(ArrayList::new));
        Set<Object> paused = pausedKeys(inspection).collect(Collectors.toSet());
        Set<@Nullable Object> heldUp = new HashSet<>();
        heldUp.add(key);
        for (QueuedTask task : inspection.queuedTasks(Integer.MAX_VALUE)) {
            if (task.waitsFor().stream().noneMatch(heldUp::contains)
                    // each parked task counts only once: another task with the same shared groups may be ready
                    && !parked.remove(task.key())
                    && !isPaused(task.key(), paused)) {
                return false;
            }
            heldUp.add(task.key());
        }
        return true;
    }

    private static boolean isPaused(Object key, Set<Object> paused) {
        return key instanceof Groups groups ? paused.stream().anyMatch(groups::touch) : paused.contains(key);
    }

    private static Stream<Object> pausedKeys(ExecutorInspection inspection) {
        return inspection.deepestKeys(Integer.MAX_VALUE).stream()
                .filter(KeySnapshot::paused)
                .map(KeySnapshot::key);
    }

    /** Returns whether a task of an executor is stopping the application. */
    static boolean isStoppedFromWithin(OrderedExecutor executor, Thread stopper) {
        return executor.inspect().runningTasks().stream().anyMatch(task -> stops(task.thread(), stopper));
    }

    /**
     * Returns whether a thread is stopping the application: it is the stopper, or it is in {@link System#exit}, which
     * waits for the shutdown hook on another thread.
     */
    private static boolean stops(@Nullable Thread thread, Thread stopper) {
        return thread == stopper
                || (thread != null && Arrays.stream(thread.getStackTrace()).anyMatch(Drain::isExit));
    }

    private static boolean isExit(StackTraceElement frame) {
        return frame.getClassName().equals(Runtime.class.getName())
                && frame.getMethodName().equals("exit");
    }

    /** Returns, as a clause, why no queued task will start without outside action. */
    private String stateOfQueuedTasks() {
        return executors.values().stream().anyMatch(executor -> isStoppedFromWithin(executor, stopper))
                ? "each queued task is paused, parked, or waits for the task that stops the application"
                : "each queued task is paused or parked";
    }

    /** Returns the executors that have something to do, as the end of a sentence; empty if there are none. */
    private String describeBusy() {
        String busy = executors.entrySet().stream()
                .filter(executor -> !isIdle(executor.getValue()))
                .map(executor -> describe(executor.getKey(), executor.getValue()))
                .collect(Collectors.joining(", "));
        return busy.isEmpty() ? busy : ": " + busy;
    }

    private static String describe(String name, OrderedExecutor executor) {
        var stats = executor.inspect().stats();
        return name + " (" + stats.queued() + " queued, " + stats.active() + " active"
                + (executor.control().isPaused() ? ", paused" : "")
                + describe(stats.parked(), "task", "parked")
                + describe(pausedKeys(executor.inspect()).count(), "key", "paused") + ")";
    }

    /** Returns how much is parked or paused, as part of a list; empty if nothing is. */
    private static String describe(long number, String what, String state) {
        return number == 0 ? "" : ", " + number + " " + what + (number == 1 ? " " : "s ") + state;
    }

    private String elapsed() {
        return String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - start) / 1e9);
    }
}
