package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How one listener is run. Immutable; begin with {@link #defaults()} and change what is to be different.
 *
 * @param window how many records of a partition are handed out and not settled at most, apart from one more poll; at so
 *     many the partition is paused, at half of them it goes on
 * @param commitInterval how long what is settled may stay uncommitted
 * @param commitMetadata whether commits tell what is settled beyond the committed offset
 * @param drainTimeout how long a revocation or a stop waits for running records before it interrupts them
 * @param nullKey what the order of records without a key is
 * @param attempts how often a record is run at most before the failure policy decides, the first time included
 * @param backoff the pause before the second attempt; it doubles with each further one
 * @param ceiling the longest pause
 * @param excludes exceptions that are not retried, in addition to those that Spring considers fatal; their subclasses
 *     included
 * @param failurePolicy what is done with a record after its last attempt
 */
public record OrderedListenerSettings(
        int window,
        Duration commitInterval,
        boolean commitMetadata,
        Duration drainTimeout,
        NullKey nullKey,
        int attempts,
        Duration backoff,
        Duration ceiling,
        List<Class<? extends Throwable>> excludes,
        FailurePolicy failurePolicy) {

    /** What the order of records without a key is. */
    public enum NullKey {
        /** They run in the order of their partition, as with a plain listener. */
        PARTITION,
        /** They run in no order. */
        UNORDERED
    }

    /** What is done with a record after its last attempt. */
    public enum FailurePolicy {
        /** Its key stops until an operator decides. */
        PARK,
        /** It is published to the dead letter topic, and settled when the broker has it. */
        DEAD_LETTER,
        /** It is settled, with an ERROR in the log. */
        SKIP
    }

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public OrderedListenerSettings {
        require(window >= 1, "window", window, "at least 1");
        require(attempts >= 1, "retry.attempts", attempts, "at least 1");
        require(isPositive(commitInterval), "commit-interval", commitInterval, "more than zero");
        require(!drainTimeout.isNegative(), "drain-timeout", drainTimeout, "zero or more");
        require(!backoff.isNegative(), "retry.backoff", backoff, "zero or more");
        require(!ceiling.isNegative(), "retry.ceiling", ceiling, "zero or more");
        Objects.requireNonNull(nullKey, "nullKey");
        Objects.requireNonNull(failurePolicy, "failurePolicy");
        excludes = List.copyOf(excludes);
        // who binds properties sees no type arguments
        for (Class<?> each : excludes) {
            require(Throwable.class.isAssignableFrom(each), "retry.excludes", each.getName(), "exceptions");
        }
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isZero() && !duration.isNegative();
    }

    private static void require(boolean right, String name, @Nullable Object value, String range) {
        if (!right) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be " + range);
        }
    }

    /**
     * Returns the settings that are in force where nothing else is said.
     *
     * @return a window of 1,000, commits each second with metadata, a drain of 10 seconds, records without a key in the
     *     order of their partition, 10 attempts with pauses from 100 milliseconds to 10 seconds, and parking after the
     *     last
     */
    public static OrderedListenerSettings defaults() {
        return new OrderedListenerSettings(
                1000,
                Duration.ofSeconds(1),
                true,
                Duration.ofSeconds(10),
                NullKey.PARTITION,
                10,
                Duration.ofMillis(100),
                Duration.ofSeconds(10),
                List.of(),
                FailurePolicy.PARK);
    }

    /** The pause after the attempt of this number, counted from 1. The same as that of executors. */
    Duration pauseAfter(int attempt) {
        // how many attempts there are plays no part: dead letters are tried until it works
        Duration longest = ceiling.compareTo(backoff) < 0 ? backoff : ceiling;
        return io.orderedexecutor.FailurePolicy.retry(2, backoff)
                .ceiling(longest)
                .thenProceed()
                .pauseAfter(attempt);
    }
}
