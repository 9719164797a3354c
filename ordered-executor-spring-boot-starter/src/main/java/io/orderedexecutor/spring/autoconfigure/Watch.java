package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Runs a check periodically, on a daemon thread of its own that exists only while this watch is started. */
final class Watch {
    private static final Log logger = LogFactory.getLog(Watch.class);

    private final String threadName;
    private final Runnable look;

    /** The timer, or null while this watch is stopped. Guarded by this. */
    private @Nullable ScheduledThreadPoolExecutor timer;

    Watch(String threadName, Runnable look) {
        this.threadName = threadName;
        this.look = look;
    }

    /** Starts this watch, unless it is started already. */
    synchronized void start(Duration period) {
        if (timer != null) {
            return;
        }
        ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, looks -> {
            Thread thread = new Thread(looks, threadName);
            thread.setDaemon(true);
            return thread;
        });
        var unused =
                started.scheduleWithFixedDelay(this::look, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
        timer = started;
    }

    synchronized void stop() {
        if (timer != null) {
            timer.shutdownNow();
            timer = null;
        }
    }

    synchronized boolean isRunning() {
        return timer != null;
    }

    private void look() {
        try {
            look.run();
        } catch (RuntimeException | Error e) {
            // an exception would silently end the periodic check
            logger.warn("The periodic check of the ordered executors failed on thread " + threadName, e);
        }
    }
}
