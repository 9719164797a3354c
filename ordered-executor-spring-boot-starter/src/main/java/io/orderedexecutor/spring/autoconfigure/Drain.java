package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Waits until executors have nothing to do, and logs what it waits for: at the start, from time to time, and at the
 * end. The thread that waits is its own, so that no task of the application can keep it from going on.
 *
 * <p>A drain is under way until its thread finds the executors idle, or another thread stops it. The callback is called
 * once, whichever comes first.
 */
final class Drain {
    static final Duration REPORT_INTERVAL = Duration.ofSeconds(5);

    private static final Log logger = LogFactory.getLog(Drain.class);

    private final Map<String, OrderedExecutor> executors;
    private final long reportNanos;
    private final Runnable callback;
    private final Thread thread = new Thread(this::run, "ordered-executors-drain");
    private final long start = System.nanoTime();

    /** Set by the one who ends this drain: its thread, or another that stops it. */
    private final AtomicBoolean ended = new AtomicBoolean();

    private Drain(Map<String, OrderedExecutor> executors, Duration reportInterval, Runnable callback) {
        this.executors = executors;
        this.reportNanos = reportInterval.toNanos();
        this.callback = callback;
        thread.setDaemon(true);
    }

    /**
     * Starts to wait; if there is nothing to wait for, the callback is called at once, and nothing is logged.
     *
     * @param executors by name
     * @param callback called when all executors had nothing to do at one look, or the drain is stopped
     */
    static Drain start(Map<String, OrderedExecutor> executors, Duration reportInterval, Runnable callback) {
        Drain drain = new Drain(executors, reportInterval, callback);
        String busy = drain.describeBusy();
        if (busy.isEmpty()) {
            drain.ended.set(true);
            callback.run();
        } else {
            logger.info("Draining ordered executors" + busy);
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

    /** Tells whether none of the executors has anything to do. */
    static boolean isIdle(Collection<OrderedExecutor> executors) {
        return executors.stream().allMatch(Drain::isIdle);
    }

    /** Tells whether an executor has nothing to do. */
    static boolean isIdle(OrderedExecutor executor) {
        try {
            return executor.drain(Duration.ZERO);
        } catch (InterruptedException e) {
            // it does not wait, yet does not look either on a thread that is interrupted: it has to be asked again
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void run() {
        try {
            awaitIdle();
            if (ended.compareAndSet(false, true)) {
                logger.info("Drained ordered executors in " + elapsed());
            }
        } catch (InterruptedException stopped) {
            // the one who stopped it has logged that
        } finally {
            callback.run();
        }
    }

    private void awaitIdle() throws InterruptedException {
        long nextReport = start + reportNanos;
        // tasks of one may have submitted to another that was idle before
        while (!isIdle(executors.values()) && !ended.get()) {
            for (OrderedExecutor executor : executors.values()) {
                while (!executor.drain(Duration.ofNanos(Math.max(0, nextReport - System.nanoTime())))) {
                    logger.info("Still draining ordered executors after " + elapsed() + describeBusy());
                    nextReport += reportNanos;
                }
            }
        }
    }

    /** The executors that have something to do, as the end of a sentence; empty if none has. */
    private String describeBusy() {
        String busy = executors.entrySet().stream()
                .filter(executor -> !isIdle(executor.getValue()))
                .map(executor -> describe(executor.getKey(), executor.getValue()))
                .collect(Collectors.joining(", "));
        return busy.isEmpty() ? busy : ": " + busy;
    }

    private static String describe(String name, OrderedExecutor executor) {
        var stats = executor.stats();
        return name + " (" + stats.queued() + " queued, " + stats.active() + " active"
                + (executor.isPaused() ? ", paused" : "") + ")";
    }

    private String elapsed() {
        return String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - start) / 1e9);
    }
}
