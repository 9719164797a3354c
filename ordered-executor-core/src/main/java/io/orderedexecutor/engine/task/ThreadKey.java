package io.orderedexecutor.engine.task;

import org.jspecify.annotations.Nullable;

/** A thread by identity, whatever a subclass makes of {@code equals}. */
public record ThreadKey(Thread thread) {

    public static ThreadKey current() {
        return new ThreadKey(Thread.currentThread());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ThreadKey key && key.thread == thread;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(thread);
    }
}
