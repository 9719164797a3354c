package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.Batcher;
import io.orderedexecutor.OrderedExecutor;
import io.orderedexecutor.spring.annotation.OrderedAsyncCall;
import io.orderedexecutor.stats.OrderedExecutorStats;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Ends an executor that was not drained in time: running tasks are interrupted, and queued tasks are logged and handed
 * over to the application.
 */
final class UnfinishedTasks {
    private static final Log logger = LogFactory.getLog(UnfinishedTasks.class);

    /**
     * How long to wait for interrupted tasks. Tasks that respond to the interrupt end at once, while the beans that
     * they use still exist; tasks that ignore it would not end with more time either.
     */
    private static final long GRACE_SECONDS = 1;

    /** Executors that this class has stopped. The stop is logged once, and not again when the bean is destroyed. */
    private static final Set<OrderedExecutor> ENDED =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final ObjectProvider<UnfinishedTasksHandler> handlers;
    private final long graceSeconds;

    UnfinishedTasks(ObjectProvider<UnfinishedTasksHandler> handlers) {
        this(handlers, GRACE_SECONDS);
    }

    /** Creates an instance that waits for interrupted tasks for the given time. */
    UnfinishedTasks(ObjectProvider<UnfinishedTasksHandler> handlers, long graceSeconds) {
        this.handlers = handlers;
        this.graceSeconds = graceSeconds;
    }

    /**
     * Ends an executor and stops its tasks. An executor with tasks is not shut down first: a shutdown would start
     * paused tasks, and would give up parked tasks and all tasks behind them before they could be handed over.
     */
    void end(String name, OrderedExecutor executor) {
        if (ENDED.contains(executor)) {
            return;
        }
        OrderedExecutorStats stats = executor.inspect().stats();
        long active = stats.active();
        if (stats.queued() == 0 && active == 0) {
            executor.shutdown();
        }
        if (executor.isTerminated()) {
            return;
        }
        ENDED.add(executor);
        // each for itself, as they are among the queued ones
        long parked = executor.inspect().parkedTasks().stream()
                .mapToLong(parkedTask -> parkedTask.task() instanceof List<?> batch ? batch.size() : 1)
                .sum();
        boolean isStoppedFromWithin = Drain.isStoppedFromWithin(executor, Thread.currentThread());
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        List<Runnable> unstarted =
                executor.shutdownNow().stream().map(UnfinishedTasks::asCall).toList();
        if (isStoppedFromWithin && !wasInterrupted) {
            // clears the interrupt of shutdownNow(), since this thread still has to close other beans
            Thread.interrupted();
        }
        logger.warn("Ordered executor '" + name + "' was stopped before it was done: "
                + tasks(unstarted.size(), "queued task") + " did not run" + named(unstarted)
                + (parked == 0
                        ? ""
                        : ", of which " + parked + (parked == 1 ? " was" : " were") + " parked after a failure")
                + ", "
                + (isStoppedFromWithin
                        ? interrupted(active - 1) + ", and one goes on, as it stops the application"
                        : interrupted(active)
                                + (active == 1 ? " and has " : " and have ")
                                + (hasEnded(executor) ? "ended" : "not ended " + graceSeconds + " s later")));
        if (!unstarted.isEmpty()) {
            handOver(name, List.copyOf(unstarted));
        }
    }

    /** Passes tasks that an executor did not start or accept to the handlers of the application. */
    void handOver(String name, List<Runnable> tasks) {
        List<UnfinishedTasksHandler> all;
        try {
            all = handlers.orderedStream().toList();
        } catch (RuntimeException e) {
            logger.error(
                    "No UnfinishedTasksHandler was called for executor '" + name
                            + "', because the lookup of the handler beans failed",
                    e);
            return;
        }
        for (UnfinishedTasksHandler handler : all) {
            try {
                handler.handle(name, tasks);
            } catch (Throwable e) {
                // errors are caught, too, such as that of a missing class: the other executors still have to be ended
                logger.error(
                        "An UnfinishedTasksHandler failed on " + tasks(tasks.size(), "task") + " of executor '" + name
                                + "'",
                        e);
            }
        }
    }

    private static String interrupted(long running) {
        return tasks(running, "running task") + (running == 1 ? " was" : " were") + " interrupted";
    }

    private static String tasks(long number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    /** Returns the number of tasks of each kind, in parentheses; empty if there are no tasks. */
    private static String named(List<Runnable> tasks) {
        if (tasks.isEmpty()) {
            return "";
        }
        return tasks.stream()
                .collect(Collectors.groupingBy(UnfinishedTasks::nameOf, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(kind -> kind.getValue() + " x " + kind.getKey())
                .collect(Collectors.joining(", ", " (", ")"));
    }

    /**
     * Returns the call if a task is a call that waits to be joined with others; otherwise the task itself. Such a call
     * is an item of a batch, which is an implementation detail.
     */
    private static Runnable asCall(Runnable task) {
        return task instanceof Batcher.Item<?, ?> item && item.item() instanceof OrderedAsyncCall call ? call : task;
    }

    private static String nameOf(Runnable task) {
        if (task instanceof OrderedAsyncCall) {
            return task.toString();
        }
        String type = task.getClass().getName();
        int lambda = type.indexOf("$$Lambda");
        return task instanceof Future
                ? "task with a result"
                : lambda < 0 ? type : "lambda in " + type.substring(0, lambda);
    }

    private boolean hasEnded(OrderedExecutor executor) {
        try {
            return executor.awaitTermination(graceSeconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
