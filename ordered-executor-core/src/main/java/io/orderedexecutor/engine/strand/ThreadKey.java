package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/** A thread by identity, whatever a subclass makes of {@code equals}. */
record ThreadKey(Thread thread) {

    static ThreadKey current() {
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
