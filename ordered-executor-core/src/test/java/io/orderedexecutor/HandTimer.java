package io.orderedexecutor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Keeps what it is asked to call back until the test does so, on the test's own thread. */
final class HandTimer implements Timer {
    private final List<Runnable> scheduled = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private Error broken;

    @Override
    public synchronized void schedule(long nanos, Runnable action) {
        pauses.add(Duration.ofNanos(nanos));
        if (broken != null) {
            throw broken;
        }
        scheduled.add(action);
    }

    /** Throws from now on; null mends it. */
    synchronized void breakWith(Error error) {
        broken = error;
    }

    synchronized int waiting() {
        return scheduled.size();
    }

    /** All pauses that were asked for so far. */
    synchronized List<Duration> pauses() {
        return List.copyOf(pauses);
    }

    private synchronized List<Runnable> due() {
        List<Runnable> due = List.copyOf(scheduled);
        scheduled.clear();
        return due;
    }

    /** Lets the time come for all that wait now. */
    void fire() {
        due().forEach(Runnable::run);
    }
}
