package io.orderedexecutor.engine.striped;

import io.orderedexecutor.TaskSkippedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The future of a task that was skipped. Newer JDKs would throw an exception of their own, around the one that says so.
 *
 * @param <T> the type of the result that there is not
 */
final class SkippedFuture<T extends @Nullable Object> extends CompletableFuture<T> {
    private final TaskSkippedException skipped;

    SkippedFuture(TaskSkippedException skipped) {
        this.skipped = skipped;
        completeExceptionally(skipped);
    }

    @Override
    public T get() {
        throw skipped;
    }

    @Override
    public T get(long timeout, TimeUnit unit) {
        throw skipped;
    }

    @Override
    public T join() {
        throw skipped;
    }

    @Override
    public T getNow(T valueIfAbsent) {
        throw skipped;
    }
}
