package io.orderedexecutor;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What happens to a stripe, or to the groups of a task, when a task fails. A task fails if it throws, or if it is
 * asynchronous and its stage fails. A cancelled task has not failed.
 *
 * <ul>
 *   <li>{@link #proceed()}: the failure is reported, and the next task runs.
 *   <li>{@link #park()}: the stripe stops before the failed task until it is {@linkplain StripedExecutor#resume(Object)
 *       resumed}, which runs the task again, or the task is {@linkplain StripedExecutor#skip(Object) skipped}.
 *       Meanwhile the stripe accepts tasks within its bounds. A {@link GroupedExecutor} stops the groups of the failed
 *       task, and no others.
 *   <li>{@link #retry}: the failed task runs again after a pause, before the tasks behind it; after the last attempt
 *       the stripe proceeds or parks. The pause holds no thread.
 * </ul>
 *
 * <p>The future of a task completes with its last attempt. A failure that is followed by another attempt, or that parks
 * the stripe, does not complete it. If the future is completed before, for example by {@code cancel}, there is nothing
 * left to retry or decide, and the stripe continues. Immutable.
 */
public final class FailurePolicy {
    private static final FailurePolicy PROCEED = new FailurePolicy(1, Duration.ZERO, Duration.ZERO, false);
    private static final FailurePolicy PARK = new FailurePolicy(1, Duration.ZERO, Duration.ZERO, true);
    private static final Duration DEFAULT_CEILING = Duration.ofMinutes(1);

    /** What timers can count, 292 years: a longer pause is cut off there. */
    private static final Duration LONGEST_PAUSE = Duration.ofNanos(Long.MAX_VALUE);

    private final int attempts;
    private final Duration backoff;
    private final Duration ceiling;
    private final boolean parks;

    private FailurePolicy(int attempts, Duration backoff, Duration ceiling, boolean parks) {
        this.attempts = attempts;
        this.backoff = backoff;
        this.ceiling = ceiling;
        this.parks = parks;
    }

    /**
     * The default: reports the failure and runs the next task. The failure completes the future of the task; without a
     * future, it goes to the uncaught exception handler of the thread.
     *
     * @return a policy that proceeds
     */
    public static FailurePolicy proceed() {
        return PROCEED;
    }

    /**
     * Stops the stripe at the first failure.
     *
     * @return a policy that parks
     */
    public static FailurePolicy park() {
        return PARK;
    }

    /**
     * Runs a failed task again. The pause before the second attempt is {@code backoff}; each further pause is twice as
     * long as the one before, up to a minute or the given {@linkplain Retry#ceiling ceiling}.
     *
     * @param attempts maximum number of runs of a task, including the first one; at least 2
     * @param backoff the pause before the second attempt; zero for none
     * @return to be completed with {@link Retry#thenProceed()} or {@link Retry#thenPark()}
     * @throws IllegalArgumentException if {@code attempts} is less than 2 or {@code backoff} is negative
     */
    public static Retry retry(int attempts, Duration backoff) {
        if (attempts < 2) {
            throw new IllegalArgumentException("the attempts of a retry are " + attempts
                    + ", but must be at least 2, since the first run is one of them; use proceed() or "
                    + "park() to not retry");
        }
        if (Objects.requireNonNull(backoff, "backoff").isNegative()) {
            throw new IllegalArgumentException("the backoff of a retry is " + backoff + ", but cannot be negative");
        }
        return new Retry(attempts, backoff, DEFAULT_CEILING);
    }

    /** The first half of a policy that retries. Immutable. */
    public static final class Retry {
        private final int attempts;
        private final Duration backoff;
        private final Duration ceiling;

        private Retry(int attempts, Duration backoff, Duration ceiling) {
            this.attempts = attempts;
            this.backoff = backoff;
            this.ceiling = ceiling;
        }

        /**
         * Limits the pause between two attempts.
         *
         * @param ceiling the longest pause; if it is shorter than the backoff, all pauses are this long
         * @return a copy with this limit
         * @throws IllegalArgumentException if {@code ceiling} is negative
         */
        public Retry ceiling(Duration ceiling) {
            if (Objects.requireNonNull(ceiling, "ceiling").isNegative()) {
                throw new IllegalArgumentException("the ceiling of a retry is " + ceiling + ", but cannot be negative");
            }
            return new Retry(attempts, backoff, ceiling);
        }

        /**
         * After the last attempt, runs the next task.
         *
         * @return the policy
         */
        public FailurePolicy thenProceed() {
            return new FailurePolicy(attempts, backoff, ceiling, false);
        }

        /**
         * After the last attempt, parks the stripe. When it is resumed, the attempts start over.
         *
         * @return the policy
         */
        public FailurePolicy thenPark() {
            return new FailurePolicy(attempts, backoff, ceiling, true);
        }
    }

    /**
     * Returns how often a task is run at most.
     *
     * @return the number of attempts, the first one included; 1 if a task is not run again
     */
    public int attempts() {
        return attempts;
    }

    /**
     * Returns the pause before the second attempt.
     *
     * @return the first pause, not negative; zero if there is none, or no second attempt
     */
    public Duration backoff() {
        return backoff;
    }

    /**
     * Returns the limit of the pauses, which are doubled up to it.
     *
     * @return the longest pause, not negative; zero if there is no second attempt
     */
    public Duration ceiling() {
        return ceiling;
    }

    /**
     * Tells what happens after the last attempt.
     *
     * @return true if the stripe, or the groups of the task, stop; false if the next task runs
     */
    public boolean parks() {
        return parks;
    }

    /**
     * Tells whether a task is run again after it has failed.
     *
     * @param failures how often it has failed, at least 1
     * @return true if there is another attempt
     */
    public boolean retriesAfter(int failures) {
        return failures < attempts;
    }

    /**
     * Returns this policy for tasks that cannot be parked, as they have no stripe or group that could be resumed.
     *
     * @return a policy that proceeds where this one parks
     */
    public FailurePolicy withoutParking() {
        return parks ? new FailurePolicy(attempts, backoff, ceiling, false) : this;
    }

    /**
     * Returns the pause before the next attempt.
     *
     * @param failures how often the task has failed, at least 1
     * @return the pause, not negative
     */
    public Duration pauseAfter(int failures) {
        if (backoff.isZero()) {
            return backoff;
        }
        Duration longest = ceiling.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : ceiling;
        Duration half = longest.dividedBy(2);
        Duration pause = backoff;
        for (int doublings = 1; doublings < failures && pause.compareTo(longest) < 0; doublings++) {
            pause = pause.compareTo(half) > 0 ? longest : pause.multipliedBy(2);
        }
        return pause.compareTo(longest) > 0 ? longest : pause;
    }

    /** Tells whether the other one is a policy with the same attempts, pauses and end. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FailurePolicy that
                && attempts == that.attempts
                && backoff.equals(that.backoff)
                && ceiling.equals(that.ceiling)
                && parks == that.parks;
    }

    /** Equal policies have equal hash codes. */
    @Override
    public int hashCode() {
        return Objects.hash(attempts, backoff, ceiling, parks);
    }

    /** Returns the policy in the words of its factory methods, for messages and logs. */
    @Override
    public String toString() {
        String last = parks ? "park" : "proceed";
        return attempts == 1 ? last : "retry(" + attempts + ", " + backoff + ").ceiling(" + ceiling + "), then " + last;
    }
}
