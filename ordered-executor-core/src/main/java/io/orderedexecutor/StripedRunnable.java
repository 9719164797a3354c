package io.orderedexecutor;

/**
 * A {@link Runnable} that knows its stripe, for {@link StripedExecutor#asExecutorService()}.
 *
 * <p>The idea and the name are those of Heinz Kabutz's {@code StripedExecutorService}; see {@link StripedObject}.
 */
public interface StripedRunnable extends Runnable, StripedObject {}
