package io.orderedexecutor.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The drain that was started last, for the two beans that start and stop drains. Neither of these beans may depend on
 * the other: Spring would stop the dependent bean first, whatever their phases.
 */
final class CurrentDrain {
    private final CreatedExecutors executors;

    /** Written by the thread that stops the context; read by threads that start or close it. */
    private volatile @Nullable Drain drain;

    CurrentDrain(CreatedExecutors executors) {
        this.executors = executors;
    }

    /** Starts to drain all executors that exist. */
    void start(Runnable callback) {
        drain = Drain.start(executors.byName(), Drain.REPORT_INTERVAL, callback);
    }

    /** Ends the drain that is under way, if there is one. */
    void stop() {
        Drain underWay = drain;
        if (underWay != null) {
            underWay.stop();
        }
    }
}
