package io.orderedexecutor;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Callable} that knows its stripe, for {@link StripedExecutor#asExecutorService()}.
 *
 * <p>The idea and the name are those of Heinz Kabutz's {@code StripedExecutorService}; see {@link StripedObject}.
 *
 * @param <V> the type of the result
 */
public interface StripedCallable<V extends @Nullable Object> extends Callable<V>, StripedObject {}
