package io.orderedexecutor.spring.actuate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * From where on an executor is not healthy.
 *
 * @param parked how many parked stripes, or tasks with groups, make it down; 0 if none do
 * @param capacity the share of its capacity, from 0 to 1, that makes it out of service if so many tasks are queued; 0
 *     if none does
 * @param age the age of a running task that makes it down; null if none does
 * @param blocked how long the thread of a task may be blocked, as successive checks see it, before it makes it down;
 *     null if it may forever
 */
public record HealthThresholds(
        int parked,
        double capacity,
        @Nullable Duration age,
        @Nullable Duration blocked) {

    /** Checks the values. */
    public HealthThresholds {
        if (parked < 0) {
            throw new IllegalArgumentException("parked is " + parked + ", but must be at least 0");
        }
        if (!(capacity >= 0 && capacity <= 1)) {
            throw new IllegalArgumentException("capacity is " + capacity + ", but must be between 0 and 1");
        }
        if (age != null && (age.isZero() || age.isNegative())) {
            throw new IllegalArgumentException("age is " + age + ", but must be more than zero");
        }
        if (blocked != null && (blocked.isZero() || blocked.isNegative())) {
            throw new IllegalArgumentException("blocked is " + blocked + ", but must be more than zero");
        }
    }

    boolean isTooMuchParked(int found) {
        return parked > 0 && found >= parked;
    }

    boolean isFull(long queued, int ofCapacity) {
        return capacity > 0 && queued >= capacity * ofCapacity;
    }

    boolean isTooOld(Duration found) {
        return age != null && found.compareTo(age) >= 0;
    }
}
