package io.orderedexecutor;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Determines what happens to a key when a task fails. A task fails if it throws, or if it is asynchronous and its stage
 * fails. A task whose future is cancelled has not failed. If its stage is cancelled, the task has failed, unless the
 * policy is {@link #proceed()} or {@link WhenBusy#interrupt} has cancelled the stage.
 *
 * <ul>
 *   <li>{@link #proceed()}: the failure is reported, and the next task runs. This is the default.
 *   <li>{@link #park()}: the key stops before the failed task until it is {@linkplain ExecutorControl#resume(Object)
 *       resumed}, which runs the task again, or the task is {@linkplain ExecutorControl#skip given up}. Meanwhile the
 *       key accepts tasks within its bounds. A task with several keys stops all of its keys, and no others. Later tasks
 *       that have one of these keys wait, and so does a later {@linkplain Groups#all() barrier} with all behind it.
 *   <li>{@link #retry()}: the failed task runs again after a delay, before the tasks behind it; after the last retry
 *       the key proceeds or parks. After a failure that is not to be retried, the task fails at once and the key goes
 *       on, even with {@link RetryBuilder#thenPark()}. The delay holds no thread. Without this policy nothing is
 *       retried.
 * </ul>
 *
 * <p>The future of a task completes with its last attempt. A failure that is followed by another attempt, or that parks
 * the key, does not complete the future and goes to no uncaught exception handler; only a {@link TaskListener} is
 * notified. If the future is completed earlier, for example by {@code cancel} or {@code orTimeout}, the task is neither
 * retried nor parked, and the key continues.
 *
 * <p>Memory consistency effects: the actions of one attempt <i>happen-before</i> the next attempt of the same task.
 * Immutable.
 */
public sealed interface FailurePolicy {

    /**
     * Reports the failure and runs the next task. The failure completes the future of the task; without a future, it
     * goes to the uncaught exception handler of the thread.
     *
     * @return a policy that proceeds
     */
    static FailurePolicy proceed() {
        return Proceed.INSTANCE;
    }

    /**
     * Stops the keys of a task when it fails, until somebody resumes or skips it; see {@link ExecutorControl}. A
     * {@linkplain Groups#all() barrier}, and a task that names no key, have nothing to park: they fail after their last
     * retry. A {@linkplain OrderedExecutor#shutdown shutdown} gives a parked key up, and cancels the tasks behind the
     * parked one.
     *
     * @return a policy that parks
     */
    static FailurePolicy park() {
        return Park.INSTANCE;
    }

    /**
     * Runs a failed task again. Terms and defaults are those of Spring's {@code RetryPolicy}: three retries, one second
     * apart, after any failure. A task that keeps failing with failures that are to be retried has exactly
     * {@code maxRetries + 1} attempts before the key proceeds or parks; {@code resume} starts a new round of the same
     * number.
     *
     * @return a builder, to be completed by {@link RetryBuilder#thenProceed()} or {@link RetryBuilder#thenPark()}
     */
    static RetryBuilder retry() {
        return new RetryBuilder();
    }

    /**
     * Returns whether this policy parks.
     *
     * @return true if keys stop after the last failed attempt of a task, until somebody resumes or skips the task
     */
    boolean parks();

    /** See {@link FailurePolicy#proceed()}. */
    enum Proceed implements FailurePolicy {
        /** The only instance. */
        INSTANCE;

        @Override
        public boolean parks() {
            return false;
        }

        @Override
        public String toString() {
            return "proceed";
        }
    }

    /** See {@link FailurePolicy#park()}. */
    enum Park implements FailurePolicy {
        /** The only instance. */
        INSTANCE;

        @Override
        public boolean parks() {
            return true;
        }

        @Override
        public String toString() {
            return "park";
        }
    }

    /**
     * See {@link FailurePolicy#retry()}.
     *
     * @param maxRetries the maximum number of times that a task is run again: one less than its attempts
     * @param delay the time between the first failure and the first retry
     * @param maxDelay the longest delay
     * @param multiplier how much longer each delay is than the one before, at least 1
     * @param jitter the maximum by which a delay is made shorter or longer, at random; multiplied as the delay is
     * @param includes the types of failures that are retried, with their subtypes; empty for all. Causes count, too
     * @param excludes the types of failures that are not retried, with their subtypes. Causes count, too
     * @param predicate decides whether a failure that the types allow is retried
     * @param parks whether the key parks after the last retry. If the types or the predicate do not allow a retry, the
     *     key does not park either: the task fails at once, and the key goes on
     */
    record Retry(
            long maxRetries,
            Duration delay,
            Duration maxDelay,
            double multiplier,
            Duration jitter,
            Set<Class<? extends Throwable>> includes,
            Set<Class<? extends Throwable>> excludes,
            Predicate<? super Throwable> predicate,
            boolean parks)
            implements FailurePolicy {
        /** The maximum number of causes to follow, since causes may form a cycle. */
        private static final int MOST_CAUSES = 100;

        /**
         * Checks and copies the values.
         *
         * @param maxRetries not negative
         * @param delay not negative
         * @param maxDelay not negative
         * @param multiplier at least 1
         * @param jitter not negative
         * @param includes types of failures
         * @param excludes types of failures
         * @param predicate decides for a failure
         * @param parks whether the key parks
         * @throws IllegalArgumentException if a number or a time is out of range
         * @throws NullPointerException if an argument is null
         */
        public Retry {
            checkedRetries(maxRetries);
            checkedTime("delay", delay);
            checkedTime("maxDelay", maxDelay);
            checkedTime("jitter", jitter);
            checkedMultiplier(multiplier);
            includes = Set.copyOf(includes);
            excludes = Set.copyOf(excludes);
            Objects.requireNonNull(predicate, "predicate");
        }

        private static long checkedRetries(long maxRetries) {
            if (maxRetries < 0) {
                throw new IllegalArgumentException("maxRetries of a retry is " + maxRetries
                        + ", but cannot be negative; 0 means that a failed task is not run again");
            }
            return maxRetries;
        }

        private static double checkedMultiplier(double multiplier) {
            if (!(multiplier >= 1 && multiplier <= Double.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        "multiplier of a retry is " + multiplier + ", but must be a number from 1 on");
            }
            return multiplier;
        }

        private static Duration checkedTime(String name, Duration time) {
            if (Objects.requireNonNull(time, name).isNegative()) {
                throw new IllegalArgumentException(name + " of a retry is " + time + ", but cannot be negative");
            }
            return time;
        }

        /**
         * Returns whether the types allow a retry, as in Spring's {@code RetryPolicy}: neither the failure nor one of
         * its causes is of a type that is excluded, and one of them is of an included type, if there are included
         * types. The predicate is not called. A failure whose {@code getCause} throws has no cause here.
         *
         * @param failure the exception of a task
         * @return true if the failure may be retried
         */
        public boolean allows(Throwable failure) {
            return !isAny(excludes, failure) && (includes.isEmpty() || isAny(includes, failure));
        }

        private static boolean isAny(Set<Class<? extends Throwable>> types, Throwable failure) {
            return !types.isEmpty()
                    && Stream.iterate(failure, Objects::nonNull, Retry::causeOf)
                            .limit(MOST_CAUSES)
                            .anyMatch(cause -> types.stream().anyMatch(type -> type.isInstance(cause)));
        }

        private static @Nullable Throwable causeOf(Throwable failure) {
            try {
                return failure.getCause();
            } catch (Throwable thrown) {
                return null;
            }
        }

        /** Returns the policy in the terms of its builder, for messages and logs. */
        @Override
        public String toString() {
            return "retry(maxRetries=" + maxRetries + ", delay=" + delay
                    + (maxDelay.compareTo(RetryBuilder.LONGEST) < 0 ? ", maxDelay=" + maxDelay : "") + ", multiplier="
                    + multiplier + ", jitter=" + jitter + "), then " + (parks ? "park" : "proceed");
        }
    }

    /**
     * Builds a policy that retries. An invalid value is rejected at once; null is rejected with a
     * {@link NullPointerException}. Not thread-safe.
     */
    final class RetryBuilder {
        /** The longest time that timers can count: 292 years. */
        private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

        private long maxRetries = 3;
        private Duration delay = Duration.ofSeconds(1);
        private Duration maxDelay = LONGEST;
        private double multiplier = 1;
        private Duration jitter = Duration.ZERO;
        private final Set<Class<? extends Throwable>> includes = new LinkedHashSet<>();
        private final Set<Class<? extends Throwable>> excludes = new LinkedHashSet<>();
        private Predicate<? super Throwable> predicate = failure -> true;

        private RetryBuilder() {}

        /**
         * Sets how often a failed task is run again.
         *
         * @param maxRetries not negative; 3 by default, so a task runs four times at most
         * @return this builder
         * @throws IllegalArgumentException if {@code maxRetries} is negative
         */
        public RetryBuilder maxRetries(long maxRetries) {
            this.maxRetries = Retry.checkedRetries(maxRetries);
            return this;
        }

        /**
         * Sets the time between the first failure and the first retry.
         *
         * @param delay not negative, zero to run the task again at once; a second by default
         * @return this builder
         * @throws IllegalArgumentException if {@code delay} is negative
         */
        public RetryBuilder delay(Duration delay) {
            this.delay = Retry.checkedTime("delay", delay);
            return this;
        }

        /**
         * Limits the delays, which grow with a {@link #multiplier}.
         *
         * @param maxDelay not negative; unlimited by default
         * @return this builder
         * @throws IllegalArgumentException if {@code maxDelay} is negative
         */
        public RetryBuilder maxDelay(Duration maxDelay) {
            this.maxDelay = Retry.checkedTime("maxDelay", maxDelay);
            return this;
        }

        /**
         * Lets each delay be longer than the one before.
         *
         * @param multiplier at least 1, which is the default
         * @return this builder
         * @throws IllegalArgumentException if {@code multiplier} is less than 1
         */
        public RetryBuilder multiplier(double multiplier) {
            this.multiplier = Retry.checkedMultiplier(multiplier);
            return this;
        }

        /**
         * Spreads the delays, so that keys that have failed together do not retry together.
         *
         * @param jitter the maximum by which the first delay is made shorter or longer, not negative; zero by default
         * @return this builder
         * @throws IllegalArgumentException if {@code jitter} is negative
         */
        public RetryBuilder jitter(Duration jitter) {
            this.jitter = Retry.checkedTime("jitter", jitter);
            return this;
        }

        /**
         * Adds a type of failures that are retried. Once a type is added, only failures of the added types are retried:
         * after any other failure, the task fails at once and the key goes on, even with {@link #thenPark()}. A failure
         * is of this type if it or one of its causes is.
         *
         * @param type the type, including its subtypes
         * @return this builder
         * @throws NullPointerException if {@code type} is null
         */
        public RetryBuilder includes(Class<? extends Throwable> type) {
            includes.add(Objects.requireNonNull(type, "type"));
            return this;
        }

        /**
         * Adds a type of failures that are not retried, such as that of an input that can never be processed. A failure
         * is of this type if it or one of its causes is. After such a failure, the task fails at once and the key goes
         * on, even with {@link #thenPark()}.
         *
         * @param type the type, including its subtypes; it wins over {@link #includes}
         * @return this builder
         * @throws NullPointerException if {@code type} is null
         */
        public RetryBuilder excludes(Class<? extends Throwable> type) {
            excludes.add(Objects.requireNonNull(type, "type"));
            return this;
        }

        /**
         * Sets a predicate that decides for each failure that the types allow. If the failure is a
         * {@link java.util.concurrent.CompletionException} or {@link java.util.concurrent.ExecutionException}, the
         * predicate gets its cause. It is called on the thread that ran the task (or completed its stage), with no lock
         * held. If the predicate throws, the exception goes to the uncaught exception handler, and the failure is not
         * retried.
         *
         * @param predicate true to retry; false to let the task fail at once and the key go on, even with
         *     {@link #thenPark()}; replaces an earlier one
         * @return this builder
         */
        public RetryBuilder predicate(Predicate<? super Throwable> predicate) {
            this.predicate = Objects.requireNonNull(predicate, "predicate");
            return this;
        }

        /**
         * Runs the next task after the last retry.
         *
         * @return the policy
         */
        public FailurePolicy thenProceed() {
            return build(false);
        }

        /**
         * {@linkplain FailurePolicy#park() Parks} the key after the last retry. When it is resumed, the retries start
         * over. A failure that is not to be retried, because of its type or the predicate, does not park: the task
         * fails at once, and the key goes on.
         *
         * @return the policy
         */
        public FailurePolicy thenPark() {
            return build(true);
        }

        private Retry build(boolean parks) {
            return new Retry(maxRetries, delay, maxDelay, multiplier, jitter, includes, excludes, predicate, parks);
        }
    }
}
