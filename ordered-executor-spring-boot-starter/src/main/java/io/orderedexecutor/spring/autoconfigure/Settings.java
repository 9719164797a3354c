package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.Overflow;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of an executor of any kind. Null means not set.
 *
 * @param threads Maximum number of threads. Defaults to the number of processors; with virtual threads enabled, to one
 *     virtual thread for each stripe that has tasks, and for each task with groups.
 * @param executor Name of the java.util.concurrent.Executor bean whose threads to use instead of its own.
 * @param turn Turns, after which a thread serves another stripe.
 * @param capacity Maximum number of queued tasks, from 1 to 1000000000. Unlimited by default.
 * @param stripeCapacity Maximum number of queued tasks of each stripe of a striped executor, from 1 to 1000000000.
 *     Unlimited by default.
 * @param groupCapacity Maximum number of queued tasks of each group of a grouped executor, from 1 to 1000000000.
 *     Unlimited by default.
 * @param overflow What to do with a call when the executor is full.
 * @param overflowTimeout Maximum time for which a call waits when the executor is full. Required by 'block'.
 * @param failurePolicy What to do with a stripe, or with the groups of a task, after the last attempt of a task has
 *     failed.
 * @param retry Retries of tasks that fail.
 * @param identityStripes Whether to compare stripes of a striped executor by identity instead of 'equals'.
 * @param reservationLease Maximum time for which a reserved place holds up what is behind it. Unlimited by default.
 * @param warnAfter Time after which a task that runs, or is the next one and does not start, is logged once as a
 *     warning, with what it waits for. When set, tasks are timed, which costs throughput. 0 disables it.
 * @param window Maximum number of pieces of an ordered output that are accepted and not written, from 1 to 1000000000.
 * @param concurrency Maximum number of pieces of an ordered output to work on concurrently, from 1 to 1000000000.
 *     Unlimited by default.
 */
record Settings(
        @Nullable Integer threads,
        @Nullable String executor,
        @DefaultValue Turn turn,
        @Nullable Integer capacity,
        @Nullable Integer stripeCapacity,
        @Nullable Integer groupCapacity,
        @Nullable OverflowChoice overflow,
        @Nullable Duration overflowTimeout,
        @Nullable FailureChoice failurePolicy,
        @DefaultValue Retry retry,
        @Nullable Boolean identityStripes,
        @Nullable Duration reservationLease,
        @Nullable Duration warnAfter,
        @Nullable Integer window,
        @Nullable Integer concurrency) {
    static final int DEFAULT_WINDOW = 256;

    /** These settings and, where there are none, the defaults. */
    Settings orElse(Settings defaults) {
        // own threads and an executor exclude each other: the one that is set for the executor itself counts
        boolean inheritsThreads = threads == null && executor == null;
        return new Settings(
                inheritsThreads ? defaults.threads : threads,
                inheritsThreads ? defaults.executor : executor,
                turn.orElse(defaults.turn),
                or(capacity, defaults.capacity),
                or(stripeCapacity, defaults.stripeCapacity),
                or(groupCapacity, defaults.groupCapacity),
                or(overflow, defaults.overflow),
                or(overflowTimeout, defaults.overflowTimeout),
                or(failurePolicy, defaults.failurePolicy),
                retry.orElse(defaults.retry),
                or(identityStripes, defaults.identityStripes),
                or(reservationLease, defaults.reservationLease),
                or(warnAfter, defaults.warnAfter),
                or(window, defaults.window),
                or(concurrency, defaults.concurrency));
    }

    private static <T> @Nullable T or(@Nullable T own, @Nullable T inherited) {
        return own == null ? inherited : own;
    }

    /**
     * Returns what the builder is told; null for its default. Calls of an ordered output wait by default, and so may
     * have a limit, or ask for the wait without one.
     */
    @Nullable
    Overflow overflowPolicy() {
        if (overflow == null || overflow == OverflowChoice.BLOCK) {
            return overflowTimeout == null ? null : Overflow.block(overflowTimeout);
        }
        return overflow == OverflowChoice.REJECT ? Overflow.reject() : Overflow.discardOldest();
    }

    /** Whether tasks that are stuck are logged. */
    boolean warns() {
        return warnAfter != null && !warnAfter.isZero();
    }

    FailurePolicy failurePolicyOfTasks() {
        return failurePolicy == FailureChoice.PARK ? retry.thenPark() : retry.thenProceed();
    }

    /** What to do with a call when the executor is full. */
    enum OverflowChoice {
        /** It fails. */
        REJECT,
        /** It waits. */
        BLOCK,
        /** The oldest queued task of the same stripe or group is dropped. */
        DISCARD_OLDEST
    }

    /** What to do after a failure. */
    enum FailureChoice {
        /** Run the next task. */
        PROCEED,
        /** Stop. */
        PARK
    }

    /**
     * Turns.
     *
     * @param tasks Maximum number of tasks of a stripe that a thread runs before it serves another stripe.
     * @param time Time after which a thread serves another stripe, checked between tasks.
     */
    record Turn(@Nullable Integer tasks, @Nullable Duration time) {
        Turn orElse(Turn defaults) {
            return new Turn(or(tasks, defaults.tasks), or(time, defaults.time));
        }

        void applyTo(OrderedExecutorBuilder<?> builder) {
            if (tasks != null || time != null) {
                builder.turn(tasks == null ? 64 : tasks, time == null ? Duration.ofMillis(1) : time);
            }
        }
    }

    /**
     * Retries.
     *
     * @param attempts Maximum number of times to run a task, the first one included. With 1, tasks are not retried.
     * @param backoff Pause before the first retry. It doubles with each further one.
     * @param ceiling Maximum pause between two attempts.
     */
    record Retry(
            @Nullable Integer attempts,
            @Nullable Duration backoff,
            @Nullable Duration ceiling) {
        private static final Duration DEFAULT_BACKOFF = Duration.ofMillis(100);
        private static final Duration DEFAULT_CEILING = Duration.ofMinutes(1);

        Retry orElse(Retry defaults) {
            return new Retry(
                    or(attempts, defaults.attempts), or(backoff, defaults.backoff), or(ceiling, defaults.ceiling));
        }

        /** Whether tasks are retried at all. */
        boolean isOn() {
            return attempts != null && attempts > 1;
        }

        Duration ceilingOrDefault() {
            return ceiling == null ? DEFAULT_CEILING : ceiling;
        }

        FailurePolicy thenProceed() {
            return isOn() ? toPolicy().thenProceed() : FailurePolicy.proceed();
        }

        FailurePolicy thenPark() {
            return isOn() ? toPolicy().thenPark() : FailurePolicy.park();
        }

        private FailurePolicy.Retry toPolicy() {
            return FailurePolicy.retry(
                            Objects.requireNonNull(attempts, "attempts"), backoff == null ? DEFAULT_BACKOFF : backoff)
                    .ceiling(ceilingOrDefault());
        }
    }
}
