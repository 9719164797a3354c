package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/**
 * A task that has ended when its {@link Runnable} has returned.
 *
 * @param <T> the type of the result
 */
public final class RunFuture<T extends @Nullable Object> extends TaskFuture<T> {
    private final T result;
    private final boolean hasCaller;

    public RunFuture(Runnable runnable, T result) {
        this(runnable, result, true);
    }

    private RunFuture(Runnable runnable, T result, boolean hasCaller) {
        super(runnable, false);
        this.result = result;
        this.hasCaller = hasCaller;
    }

    /** A task that no caller has the future of: what it throws goes to the uncaught exception handler. */
    public static RunFuture<Boolean> executed(Runnable runnable) {
        return new RunFuture<>(runnable, true, false);
    }

    @Override
    boolean hasCaller() {
        return hasCaller;
    }

    @Override
    public @Nullable AsyncAttempt perform(Object taken) {
        ((Runnable) taken).run();
        noteReturn();
        complete(result);
        return null;
    }
}
