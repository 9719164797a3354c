package io.orderedexecutor;

/** A {@link Runnable} that knows its stripe. */
public interface StripedRunnable extends Runnable, StripedObject {}
