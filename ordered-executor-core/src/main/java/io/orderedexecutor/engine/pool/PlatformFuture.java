package io.orderedexecutor.engine.pool;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A future that a test controls once it has {@linkplain Platform#takeOver taken over}: how threads wait for this future
 * and for its dependent futures, and which executor runs their asynchronous actions.
 *
 * @param <T> the type of the result
 */
public class PlatformFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    @Override
    public final Executor defaultExecutor() {
        return Platform.asyncExecutor();
    }

    @Override
    public final <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
        return new PlatformFuture<>();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        if (!isDone()) {
            Platform.beforeWait(this, Long.MAX_VALUE, true);
        }
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return isDone()
                ? super.get(timeout, unit)
                : super.get(Platform.beforeWait(this, unit.toNanos(timeout), true), TimeUnit.NANOSECONDS);
    }

    @Override
    public T join() {
        if (!isDone()) {
            Platform.beforeWait(this, Long.MAX_VALUE, false);
        }
        return super.join();
    }
}
