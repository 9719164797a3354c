package io.orderedexecutor.test;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The time of a simulation, and its timers. Used only by the thread that has the baton. */
final class VirtualTime {

    /** An action with its time. Actions that are due at the same time run in the order in which they were scheduled. */
    record Timer(long at, long number, String name, Runnable action) {}

    private final long start = System.nanoTime();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));

    /** The nanoseconds that have passed. */
    private long now;

    private long timersMade;

    /** Whether no timer is accepted any more. */
    private boolean closed;

    /** Returns the nanoseconds since the start. */
    long now() {
        return now;
    }

    /**
     * Returns the time as {@link System#nanoTime} does. This time is not before any time that an executor read before
     * this run.
     */
    long nanoTime() {
        return start + now;
    }

    /** Returns the time in {@code nanos} nanoseconds; {@link Long#MAX_VALUE} for never. */
    long in(long nanos) {
        long sum = now + Math.max(0, nanos);
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Schedules an action; returns a runnable that cancels it. */
    Runnable schedule(long nanos, String name, Runnable action) {
        Timer timer = new Timer(in(nanos), timersMade++, name, action);
        if (!closed) {
            timers.add(timer);
        }
        return () -> timers.remove(timer);
    }

    /** Returns the time of the first timer; {@link Long#MAX_VALUE} if there is none. */
    long ofFirstTimer() {
        Timer first = timers.peek();
        return first == null ? Long.MAX_VALUE : first.at();
    }

    /** Moves time to this point, unless it has passed already. */
    void moveTo(long time) {
        now = Math.max(now, time);
    }

    /** Removes and returns a timer whose time has come; returns null if there is none. */
    @Nullable
    Timer takeDue() {
        return ofFirstTimer() <= now ? timers.poll() : null;
    }

    /** Cancels all timers, and accepts no more. Time can still be moved. */
    void close() {
        closed = true;
        timers.clear();
    }
}
