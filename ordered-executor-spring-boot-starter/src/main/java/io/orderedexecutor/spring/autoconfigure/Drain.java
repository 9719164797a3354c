package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.OrderedExecutor;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The wait until executors have nothing to do, without a thread that waits: it looks again after a while, first soon
 * and then less often.
 */
final class Drain implements Runnable {
    private static final long MAX_PAUSE_MILLIS = 50;

    private final List<OrderedExecutor> executors;
    private final CompletableFuture<Void> idle = new CompletableFuture<>();
    private long pauseMillis = 1;

    private Drain(List<OrderedExecutor> executors) {
        this.executors = executors;
    }

    /**
     * Returns a future that is done when all executors had nothing to do at one look; cancelling it ends the looking.
     */
    static CompletableFuture<Void> of(List<OrderedExecutor> executors) {
        Drain drain = new Drain(executors);
        drain.run();
        return drain.idle;
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
            // it does not wait, yet does not look either on a thread that is interrupted: somebody has to look again
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void run() {
        if (idle.isDone()) {
            return;
        }
        if (isIdle(executors)) {
            idle.complete(null);
            return;
        }
        CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS).execute(this);
        pauseMillis = Math.min(pauseMillis * 2, MAX_PAUSE_MILLIS);
    }
}
