package io.orderedexecutor.test;

import io.orderedexecutor.engine.pool.Platform;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A future that is part of the simulation. The waits for this future and for its dependent futures, and their
 * asynchronous actions, are part of the simulation, too.
 */
final class SimulatedFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final Executor async;

    /**
     * Creates a future that is not complete.
     *
     * @param async runs dependent actions that are asynchronous and name no executor
     */
    SimulatedFuture(Executor async) {
        this.async = async;
    }

    @Override
    public Executor defaultExecutor() {
        return async;
    }

    @Override
    public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new SimulatedFuture<>(async);
    }

    @Override
    public T join() {
        long unused = Platform.beforeWait(this, Long.MAX_VALUE, false);
        return super.join();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        long unused = Platform.beforeWait(this, Long.MAX_VALUE, true);
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return super.get(Platform.beforeWait(this, unit.toNanos(timeout), true), TimeUnit.NANOSECONDS);
    }
}
