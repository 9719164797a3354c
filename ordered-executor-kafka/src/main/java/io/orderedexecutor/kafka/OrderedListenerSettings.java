package io.orderedexecutor.kafka;

import io.orderedexecutor.FailurePolicy;
import java.time.Duration;
import java.util.Objects;

/**
 * The settings of one listener. Immutable: start with {@link #defaults()}, and change single settings.
 *
 * @param window how many records of a partition may be handed out and not settled. At this number, the partition is
 *     paused; at half of it, the partition is resumed. The records of the last poll before the pause may exceed the
 *     window
 * @param commitInterval how long a settled record may stay uncommitted
 * @param drainTimeout how long a revocation or a stop waits for running records before it interrupts them
 * @param failurePolicy what happens to a key when a record fails. Includes and excludes apply to causes as well, since
 *     Spring wraps the exceptions of listeners. A predicate gets the exception of the listener without wrappers.
 *     Exceptions that Spring for Apache Kafka considers fatal, such as a failed deserialization, are not retried, but
 *     treated as after the last retry
 * @param deadLetters whether a failed record is published to the dead letter topic, if its key proceeds. Such a record
 *     is settled when the broker has accepted it. Without dead letters, it is settled at once, with an ERROR in the log
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
     * @return changed settings
     */
    public OrderedListenerSettings withWindow(int window) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes how long a settled record may stay uncommitted.
     *
     * @param commitInterval more than zero
     * @return changed settings
     */
    public OrderedListenerSettings withCommitInterval(Duration commitInterval) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes how long a revocation or a stop waits for running records before it interrupts them.
     *
     * @param drainTimeout not negative
     * @return changed settings
     */
    public OrderedListenerSettings withDrainTimeout(Duration drainTimeout) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes what happens when a record fails.
     *
     * @param failurePolicy the policy
     * @return changed settings
     */
    public OrderedListenerSettings withFailurePolicy(FailurePolicy failurePolicy) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }

    /**
     * Changes whether failed records whose keys proceed are published as dead letters.
     *
     * @param deadLetters true to publish them
     * @return changed settings
     */
    public OrderedListenerSettings withDeadLetters(boolean deadLetters) {
        return new OrderedListenerSettings(window, commitInterval, drainTimeout, failurePolicy, deadLetters);
    }
}
