package io.orderedexecutor.engine.run;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import io.orderedexecutor.TaskListener;
import io.orderedexecutor.engine.pool.Platform;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings of an executor.
 *
 * @param name not blank
 * @param capacity how many tasks may be queued, or {@link #UNLIMITED}
 * @param keyCapacity how many tasks of a key may be queued, or {@link #UNLIMITED}; for ordered output, the default
 *     window of an output
 * @param identityStripes whether stripes are compared by identity instead of {@code equals}
 * @param overflow what happens when there is no room
 * @param failurePolicy what happens when a task fails
 * @param reservationLease how long a reserved place may hold up the places behind it; null without limit
 * @param listeners notified of task events, in this order
 * @param platform the clock, timers and threads
 */
public record Settings(
        String name,
        int capacity,
        int keyCapacity,
        boolean identityStripes,
        Overflow overflow,
        FailurePolicy failurePolicy,
        @Nullable Duration reservationLease,
        List<TaskListener> listeners,
        Platform platform) {

    public static final int UNLIMITED = Integer.MAX_VALUE;

    public Settings {
        listeners = List.copyOf(listeners);
    }

    /** Settings without a lease of reservations. */
    public Settings(
            String name,
            int capacity,
            int keyCapacity,
            boolean identityStripes,
            Overflow overflow,
            FailurePolicy failurePolicy,
            List<TaskListener> listeners,
            Platform platform) {
        this(name, capacity, keyCapacity, identityStripes, overflow, failurePolicy, null, listeners, platform);
    }

    public static int checked(String setting, int capacity) {
        if (capacity < 1 || capacity > 1_000_000_000) {
            throw new IllegalArgumentException(
                    setting + " is " + capacity + ", but must be from 1 to 1,000,000,000; leave it out for no limit");
        }
        return capacity;
    }

    public static int checkedWindow(int window) {
        if (window < 1 || window > 1_000_000_000) {
            throw new IllegalArgumentException("window is " + window + ", but must be from 1 to 1,000,000,000");
        }
        return window;
    }

    public static Duration checkedLease(Duration lease) {
        if (Objects.requireNonNull(lease, "reservationLease").isNegative() || lease.isZero()) {
            throw new IllegalArgumentException(
                    "reservationLease is " + lease + ", but must be positive; leave it out for no limit");
        }
        return lease;
    }

    public static int checkedThreads(int threads) {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + ", but must be at least 1");
        }
        return threads;
    }
}
