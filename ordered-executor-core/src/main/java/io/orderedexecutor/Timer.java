package io.orderedexecutor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Calls back after a while, on some thread that may run tasks. */
interface Timer {

    /**
     * The JDK's own timer for futures, which hands over to the common pool: no thread of ours, and none while nothing
     * waits.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it, and the action contains its failures
    Timer DEFAULT = (nanos, action) ->
            CompletableFuture.runAsync(action, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS));

    void schedule(long nanos, Runnable action);
}
