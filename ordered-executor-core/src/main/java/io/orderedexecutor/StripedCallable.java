package io.orderedexecutor;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Callable} that knows its stripe.
 *
 * @param <V> the type of the result
 */
public interface StripedCallable<V extends @Nullable Object> extends Callable<V>, StripedObject {}
