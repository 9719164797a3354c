package io.orderedexecutor;

/** A link that knows since when it waits, for a listener that asks. */
final class TimedLink extends Link {
    private final long queuedAt = System.nanoTime();

    TimedLink(Runnable task) {
        super(task);
    }

    @Override
    long queuedAt() {
        return queuedAt;
    }
}
