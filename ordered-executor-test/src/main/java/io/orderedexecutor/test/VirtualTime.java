package io.orderedexecutor.test;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The time of a simulation, and what is to happen in it. Used by the thread that has the baton only. */
final class VirtualTime {

    /** What is to happen at some time. Those of the same time happen in the order in which they were asked for. */
    record Timer(long at, long number, String name, Runnable action) {}

    private final long start = System.nanoTime();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));

    /** The nanoseconds that have passed. */
    private long now;

    private long timersMade;

    /** Whether no timer is accepted any more. */
    private boolean closed;

    /** The nanoseconds since the start. */
    long now() {
        return now;
    }

    /** As {@link System#nanoTime}, and not before what an executor may have read there before this run. */
    long nanoTime() {
        return start + now;
    }

    /** The time in so many nanoseconds; {@link Long#MAX_VALUE} for never. */
    long in(long nanos) {
        long sum = now + Math.max(0, nanos);
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Returns what forgets the action. */
    Runnable schedule(long nanos, String name, Runnable action) {
        Timer timer = new Timer(in(nanos), timersMade++, name, action);
        if (!closed) {
            timers.add(timer);
        }
        return () -> timers.remove(timer);
    }

    /** The time of the first timer; {@link Long#MAX_VALUE} if there is none. */
    long ofFirstTimer() {
        Timer first = timers.peek();
        return first == null ? Long.MAX_VALUE : first.at();
    }

    /** Lets time pass; it never goes back. */
    void moveTo(long time) {
        now = Math.max(now, time);
    }

    /** Takes out a timer whose time has come; null if there is none. */
    @Nullable
    Timer takeDue() {
        return ofFirstTimer() <= now ? timers.poll() : null;
    }

    /** Nothing is to happen any more, but that time passes. */
    void close() {
        closed = true;
        timers.clear();
    }
}
