package io.orderedexecutor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Calls back after a while. */
interface Timer {

    /**
     * The JDK's own timer for futures, which hands over to the common pool: no thread of ours, and none while nothing
     * waits.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it, and the action contains its failures
    Timer DEFAULT = (nanos, action) ->
            CompletableFuture.runAsync(action, CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS));

    /**
     * The JDK's own timer for futures, and its only thread, on which all of the JVM's time-outs depend: what it calls
     * must do nothing but hand over to threads of others.
     */
    Timer HANDING_OVER =
            (nanos, action) -> CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
                    .execute(action);

    void schedule(long nanos, Runnable action);
}
