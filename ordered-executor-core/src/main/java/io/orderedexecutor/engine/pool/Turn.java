package io.orderedexecutor.engine.pool;

import java.time.Duration;
import java.util.Objects;

/**
 * How long a thread serves one strand while others wait: until so many tasks are done or so much time is over,
 * whichever comes first. A running task is not cut short.
 *
 * @param tasks the most tasks of a turn
 * @param nanos the time of a turn in nanoseconds, measured from the end of the first task after which another strand
 *     was seen to wait
 */
public record Turn(int tasks, long nanos) {
    public static final Turn DEFAULT = new Turn(64, Duration.ofMillis(1).toNanos());

    /** A thread stays with a strand as long as that has tasks. */
    public static final Turn UNTIL_EMPTY = new Turn(Integer.MAX_VALUE, Long.MAX_VALUE);

    public static Turn of(int tasks, Duration time) {
        if (tasks < 1) {
            throw new IllegalArgumentException("the tasks of a turn are " + tasks + ", but must be at least 1");
        }
        if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
            throw new IllegalArgumentException("the time of a turn is " + time + ", but must be more than zero");
        }
        return new Turn(tasks, nanos(time));
    }

    /** The nanoseconds of a time; one of more than 292 years is cut off there. */
    public static long nanos(Duration time) {
        return time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0 ? time.toNanos() : Long.MAX_VALUE;
    }

    /** Whether a turn is over in which so many tasks were served since others were seen to wait so long ago. */
    public boolean isOver(int served, long elapsedNanos) {
        return served >= tasks || elapsedNanos >= nanos;
    }
}
