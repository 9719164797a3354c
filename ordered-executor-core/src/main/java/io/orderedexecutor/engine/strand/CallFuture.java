package io.orderedexecutor.engine.strand;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A task that has ended when its {@link Callable} has returned.
 *
 * @param <T> the type of the result
 */
public final class CallFuture<T extends @Nullable Object> extends TaskFuture<T> {

    public CallFuture(Callable<T> callable) {
        super(callable, false);
    }

    @Override
    @SuppressWarnings("unchecked")
    public @Nullable AsyncAttempt perform(Object taken) throws Exception {
        T result = ((Callable<T>) taken).call();
        noteReturn();
        complete(result);
        return null;
    }
}
