package io.orderedexecutor.kafka;

import io.orderedexecutor.FailurePolicy;
import java.time.Duration;
import java.util.Objects;

/**
 * How one listener is run. Immutable; begin with {@link #defaults()} and change what is to be different.
 *
 * @param window how many records of a partition are handed out and not settled at most, apart from one more poll; at so
 *     many the partition is paused, at half of them it goes on
 * @param commitInterval how long a settled record may stay uncommitted
 * @param drainTimeout how long a revocation or a stop waits for running records before it interrupts them
 * @param failurePolicy what happens to a key when a record fails. Includes and excludes look at causes as well, since
 *     Spring wraps what a listener throws; a predicate is given what the listener has thrown. What Spring for Apache
 *     Kafka considers fatal, such as a failed deserialization, is not retried: it is treated as after the last retry
 * @param deadLetters whether a record after which its key proceeds is published to the dead letter topic, and settled
 *     when the broker has it; otherwise it is settled with an ERROR in the log
 */
public record OrderedListenerSettings(
        int window, Duration commitInterval, Duration drainTimeout, FailurePolicy failurePolicy, boolean deadLetters) {
    private static final OrderedListenerSettings DEFAULTS = new OrderedListenerSettings(
            1000,
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            FailurePolicy.retry()
                    .maxRetries(9)
                    .delay(Duration.ofMillis(100))
                    .multiplier(2)
                    .maxDelay(Duration.ofSeconds(10))
                    .thenPark(),
            false);

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException if one is out of range
     */
    public OrderedListenerSettings {
        require(window >= 1, "window", window, "at least 1");
        require(
                !commitInterval.isZero() && !commitInterval.isNegative(),
                "commit-interval",
                commitInterval,
                "more than zero");
        require(!drainTimeout.isNegative(), "drain-timeout", drainTimeout, "zero or more");
        Objects.requireNonNull(failurePolicy, "failurePolicy");
    }

    private static void require(boolean right, String name, Object value, String range) {
        if (!right) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be " + range);
        }
    }

    /**
     * Returns the default settings.
     *
     * @return a window of 1,000, commits each second, a drain of 10 seconds, 9 retries with delays that double from 100
     *     milliseconds to 10 seconds, and parking after the last
     */
    public static OrderedListenerSettings defaults() {
        return DEFAULTS;
    }

    /**
     * Changes the window.
     *
     * @param window at least 1
     * @return other settings
     */
    public OrderedListenerSettings withWindow(int window) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes how long a settled record may stay uncommitted.
     *
     * @param commitInterval more than zero
     * @return other settings
     */
    public OrderedListenerSettings withCommitInterval(Duration commitInterval) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes how long running records are awaited.
     *
     * @param drainTimeout not negative
     * @return other settings
     */
    public OrderedListenerSettings withDrainTimeout(Duration drainTimeout) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes what happens when a record fails.
     *
     * @param failurePolicy the policy
     * @return other settings
     */
    public OrderedListenerSettings withFailurePolicy(FailurePolicy failurePolicy) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes whether records after which their key proceeds are published.
     *
     * @param deadLetters true to publish them
     * @return other settings
     */
    public OrderedListenerSettings withDeadLetters(boolean deadLetters) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }
}
