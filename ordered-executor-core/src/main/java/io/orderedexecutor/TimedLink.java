package io.orderedexecutor;

/** A link that knows since when it waits, for a listener that asks. */
final class TimedLink extends Link {
    private final long queuedAt;

    TimedLink(Runnable task, long queuedAt) {
        super(task);
        this.queuedAt = queuedAt;
    }

    @Override
    long queuedAt() {
        return queuedAt;
    }
}
