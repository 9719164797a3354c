package io.orderedexecutor.engine.pool;

import java.util.concurrent.CompletableFuture;

/** A test that takes over the executors of a JVM, whoever builds them. Called by any thread, with no lock held. */
public interface PlatformSource {

    /** The platform of an executor that is being built. */
    Platform platformOf(String name);

    /**
     * Called before a thread waits for a future by the means of the future.
     *
     * @param nanos how long it will wait; {@link Long#MAX_VALUE} for as long as it takes
     * @param interruptibly whether an interrupt ends the wait
     * @return how long it has to wait still
     */
    long beforeWait(CompletableFuture<?> future, long nanos, boolean interruptibly);
}
