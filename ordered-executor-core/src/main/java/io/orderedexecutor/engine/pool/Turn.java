package io.orderedexecutor.engine.pool;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * How long a thread continues with the same work while other work waits: until it has run a number of tasks, or a time
 * has elapsed, whichever comes first. A running task is not cut short.
 *
 * @param tasks the maximum number of tasks of a turn
 * @param nanos the time of a turn in nanoseconds, measured from the end of the first task after which other work was
 *     seen to wait
 */
public record Turn(int tasks, long nanos) {
    public static final Turn DEFAULT = new Turn(64, Duration.ofMillis(1).toNanos());

    /** A thread continues as long as there are tasks. */
    public static final Turn UNTIL_EMPTY = new Turn(Integer.MAX_VALUE, Long.MAX_VALUE);

    public static Turn of(int tasks, Duration time) {
        return of("tasks", tasks, time);
    }

    public static Turn ofOutputs(int outputs, Duration time) {
        return of("outputs", outputs, time);
    }

    private static Turn of(String what, int tasks, Duration time) {
        if (tasks < 1) {
            throw new IllegalArgumentException("the " + what + " of a turn are " + tasks + ", but must be at least 1");
        }
        if (Objects.requireNonNull(time, "time").isZero() || time.isNegative()) {
            throw new IllegalArgumentException("the time of a turn is " + time + ", but must be more than zero");
        }
        return new Turn(tasks, TimeUnit.NANOSECONDS.convert(time));
    }

    /**
     * Measures one thread's turn: how many tasks it has run, and how long other work has waited for it. Used by that
     * thread only; the JIT compiler keeps it in registers.
     */
    public static final class Clock {
        private int served;
        private long begunAt;

        /** Begins another turn. */
        public void begin() {
            served = 0;
            begunAt = 0;
        }

        /** Counts tasks that have run. */
        public void served(int tasks) {
            served += tasks;
        }

        /** Whether the turn is over. Its time begins with the first call. */
        public boolean isOver(Turn turn, long now) {
            if (begunAt == 0) {
                begunAt = now;
            }
            return served >= turn.tasks || now - begunAt >= turn.nanos;
        }

        /**
         * Whether the turn of a thread of {@code workers} is over: never before it has run a task, nor while no other
         * work waits for it, unless there are too many threads. The clock is read only while other work waits.
         */
        public boolean isOver(Workers workers) {
            return served > 0
                    && (workers.areTooMany()
                            || (workers.isWantedElsewhere()
                                    && isOver(workers.turn(), workers.platform().nanoTime())));
        }
    }
}
