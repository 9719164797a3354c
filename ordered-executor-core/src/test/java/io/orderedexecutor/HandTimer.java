package io.orderedexecutor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Keeps what it is asked to call back until the test does so, on the test's own thread. */
final class HandTimer extends Platform {
    private final LongSupplier clock;

    /** Time passes on its own for a thread that is parked with a limit. */
    private final AtomicLong nanosParked = new AtomicLong();

    private final List<Runnable> scheduled = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private Error broken;

    HandTimer() {
        this(null);
    }

    /** As above, with a clock that the test sets. */
    HandTimer(LongSupplier clock) {
        this.clock = clock;
    }

    /** What is called to call back. */
    interface Schedule {
        void schedule(long nanos, Runnable action);
    }

    /** The JDK's platform, but for its timer. */
    static Platform of(Schedule timer) {
        return new Platform() {
            @Override
            void schedule(long nanos, Runnable action) {
                timer.schedule(nanos, action);
            }
        };
    }

    @Override
    long nanoTime() {
        return clock == null ? super.nanoTime() : clock.getAsLong() + nanosParked.get();
    }

    @Override
    void parkNanos(Object blocker, long nanos) {
        long start = System.nanoTime();
        super.parkNanos(blocker, nanos);
        nanosParked.addAndGet(System.nanoTime() - start);
    }

    @Override
    synchronized void schedule(long nanos, Runnable action) {
        pauses.add(Duration.ofNanos(nanos));
        if (broken != null) {
            throw broken;
        }
        scheduled.add(action);
    }

    @Override
    void scheduleAsync(long nanos, Runnable action) {
        schedule(nanos, action);
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
