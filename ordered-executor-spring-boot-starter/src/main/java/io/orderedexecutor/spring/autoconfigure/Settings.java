package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.Overflow;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of an executor of any kind, as {@link OrderedExecutorProperties} explains them. Null means not set.
 *
 * @param window how many pieces of an ordered output may be accepted and not written
 * @param concurrency how many pieces of an ordered output to work on at once
 */
record Settings(
        @Nullable Integer threads,
        @Nullable String executor,
        @Nullable Integer capacity,
        @Nullable Integer keyCapacity,
        @Nullable OverflowChoice overflow,
        @Nullable Duration overflowTimeout,
        @Nullable FailureChoice failurePolicy,
        @DefaultValue Retry retry,
        @Nullable Duration warnAfter,
        @Nullable Integer window,
        @Nullable Integer concurrency) {
    static final int DEFAULT_WINDOW = 256;

    /** The settings of an executor that has no properties. */
    static final Settings NONE = new Settings(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            new Retry(null, null, null, null, null, List.of(), List.of()),
            null,
            null,
            null);

    /**
     * Returns the overflow policy for the builder; null for the builder's default. Calls of an ordered output wait by
     * default, so a limit may be set without {@code block}, and {@code block} without a limit.
     */
    @Nullable
    Overflow overflowPolicy() {
        if (overflow == null || overflow == OverflowChoice.BLOCK) {
            return overflowTimeout == null ? null : Overflow.block(overflowTimeout);
        }
        return overflow == OverflowChoice.REJECT ? Overflow.reject() : Overflow.discardOldest();
    }

    /** Returns whether stuck tasks are logged. */
    boolean warns() {
        return warnAfter != null && !warnAfter.isZero();
    }

    FailurePolicy failurePolicyOfTasks() {
        return retry.then(failurePolicy == FailureChoice.PARK);
    }

    /** What to do with a call when the executor is full. */
    enum OverflowChoice {
        /** The call fails. */
        REJECT,
        /** The call waits. */
        BLOCK,
        /** The oldest queued task of the same key is dropped. */
        DISCARD_OLDEST
    }

    /** What to do after a failure. */
    enum FailureChoice {
        /** Run the next task. */
        PROCEED,
        /** Stop the keys of the task. */
        PARK
    }

    /**
     * Retries, with the words and the defaults of Spring's.
     *
     * @param maxRetries Maximum number of times to run a failed task again. Tasks are not retried unless it is set.
     * @param delay Delay before the first retry, in milliseconds unless it has a unit.
     * @param multiplier How much longer each delay is than the one before.
     * @param maxDelay Maximum delay between two attempts, in milliseconds unless it has a unit. Unlimited by default.
     * @param jitter Random part of the first delay, plus or minus, in milliseconds unless it has a unit. Grows with the
     *     delay.
     * @param includes The only exceptions after which a task is retried or parks. Also their subclasses, and exceptions
     *     caused by them. All by default.
     * @param excludes Exceptions after which a task is not retried and parks no key. Also their subclasses, and
     *     exceptions caused by them.
     */
    record Retry(
            @Nullable Integer maxRetries,
            @Nullable Duration delay,
            @Nullable Double multiplier,
            @Nullable Duration maxDelay,
            @Nullable Duration jitter,
            @DefaultValue List<Class<? extends Throwable>> includes,
            @DefaultValue List<Class<? extends Throwable>> excludes) {
        static final Duration DEFAULT_DELAY = Duration.ofSeconds(1);

        /** Returns whether tasks are retried at all. */
        boolean isOn() {
            return maxRetries != null && maxRetries > 0;
        }

        FailurePolicy then(boolean parks) {
            boolean isForAll = includes.isEmpty() && excludes.isEmpty();
            if (!isOn() && (isForAll || !parks)) {
                return parks ? FailurePolicy.park() : FailurePolicy.proceed();
            }
            FailurePolicy.RetryBuilder policy = FailurePolicy.retry().maxRetries(maxRetries == null ? 0 : maxRetries);
            PropertyMapper map = PropertyMapper.get();
            map.from(delay).to(policy::delay);
            map.from(multiplier).to(policy::multiplier);
            map.from(maxDelay).to(policy::maxDelay);
            map.from(jitter).to(policy::jitter);
            includes.forEach(policy::includes);
            excludes.forEach(policy::excludes);
            return parks ? policy.thenPark() : policy.thenProceed();
        }
    }
}
