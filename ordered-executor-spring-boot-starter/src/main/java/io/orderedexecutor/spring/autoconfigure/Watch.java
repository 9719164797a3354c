package io.orderedexecutor.spring.autoconfigure;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** Looks at something now and then, on a daemon thread of its own that is there only while it runs. */
final class Watch {
    private static final Log logger = LogFactory.getLog(Watch.class);

    private final String threadName;
    private final Runnable look;

    /** Null while it does not run. Guarded by this. */
    private @Nullable ScheduledThreadPoolExecutor timer;

    Watch(String threadName, Runnable look) {
        this.threadName = threadName;
        this.look = look;
    }

    /** Starts, unless it runs. */
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
            // whatever is thrown here would end the watch without a word
            logger.warn("A look at the ordered executors failed on thread " + threadName, e);
        }
    }
}
