package io.orderedexecutor.spring.autoconfigure;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.OrderedExecutorBuilder;
import io.orderedexecutor.Overflow;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of an executor, of whatever kind. What is null is not set.
 *
 * @param threads How many threads of its own the executor has at most. As many as there are processors by default; with
 *     virtual threads enabled, each stripe that has tasks, and each task with groups, runs on a virtual thread by
 *     default.
 * @param executor Name of the java.util.concurrent.Executor bean to run on, instead of threads of its own.
 * @param turn For how long a thread serves one stripe while others wait.
 * @param capacity How many tasks may be queued in all, from 1 to 1000000000. Unlimited by default.
 * @param stripeCapacity How many tasks may be queued in each stripe of a striped executor, from 1 to 1000000000.
 *     Unlimited by default.
 * @param groupCapacity How many tasks may be queued in each group of a grouped executor, from 1 to 1000000000.
 *     Unlimited by default.
 * @param overflow What happens to a call for which there is no room.
 * @param overflowTimeout How long a call waits for room at most, if it waits.
 * @param failurePolicy What happens to a stripe, or to the groups of a task, when a task has failed for the last time.
 * @param retry How often a task that fails is run again, before anything behind it.
 * @param identityStripes Whether two stripes of a striped executor are the same only if they are one object, instead of
 *     if they are equal.
 * @param window How many pieces of an ordered output may be accepted and not written, from 1 to 1000000000.
 * @param concurrency How many pieces of an ordered output may be worked on at once, from 1 to 1000000000. Unlimited by
 *     default.
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
        @Nullable Integer window,
        @Nullable Integer concurrency) {

    Settings orElse(Settings defaults) {
        // an executor of one's own and inherited threads, or the other way round, exclude each other: the nearer one
        // counts
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
                or(window, defaults.window),
                or(concurrency, defaults.concurrency));
    }

    /**
     * What of these settings makes sense for all executors: an ordered output cannot drop what others wait behind, nor
     * stop for it.
     */
    Settings forOrderedOutput() {
        boolean discards = overflow == OverflowChoice.DISCARD_OLDEST;
        return new Settings(
                threads,
                executor,
                turn,
                capacity,
                null,
                null,
                discards ? null : overflow,
                discards ? null : overflowTimeout,
                null,
                retry,
                null,
                window,
                concurrency);
    }

    /** Sets what is set, except which threads there are. */
    void applyTo(OrderedExecutorBuilder<?> builder) {
        if (turn.tasks != null || turn.time != null) {
            builder.turn(
                    turn.tasks == null ? Turn.DEFAULT_TASKS : turn.tasks,
                    turn.time == null ? Turn.DEFAULT_TIME : turn.time);
        }
        if (capacity != null) {
            builder.capacity(capacity);
        }
        if (overflow != null) {
            builder.overflow(overflowPolicy(overflow));
        }
        builder.failurePolicy(failurePolicyOfTasks());
    }

    /** Whether there can be a call for which there is no room. */
    boolean isBounded() {
        return capacity != null || stripeCapacity != null || groupCapacity != null;
    }

    private Overflow overflowPolicy(OverflowChoice choice) {
        return switch (choice) {
            case REJECT -> Overflow.reject();
            case BLOCK -> Overflow.block(Objects.requireNonNull(overflowTimeout, "overflowTimeout"));
            case DISCARD_OLDEST -> Overflow.discardOldest();
        };
    }

    private FailurePolicy failurePolicyOfTasks() {
        boolean parks = failurePolicy == FailureChoice.PARK;
        if (!retry.isOn()) {
            return parks ? FailurePolicy.park() : FailurePolicy.proceed();
        }
        FailurePolicy.Retry attempts = retry.toPolicy();
        return parks ? attempts.thenPark() : attempts.thenProceed();
    }

    private static <T> @Nullable T or(@Nullable T own, @Nullable T inherited) {
        return own == null ? inherited : own;
    }

    /** What happens to a call for which there is no room. */
    enum OverflowChoice {
        /** It fails. */
        REJECT,
        /** It waits. */
        BLOCK,
        /** The oldest queued task of the same stripe or group is dropped. */
        DISCARD_OLDEST
    }

    /** What happens to a stripe after a failure. */
    enum FailureChoice {
        /** It goes on. */
        PROCEED,
        /** It stops. */
        PARK
    }

    /**
     * A turn.
     *
     * @param tasks After how many tasks of a stripe, or of tasks that waited for each other, a thread serves the next
     *     one.
     * @param time After how much time a thread serves the next stripe, looked at between tasks.
     */
    record Turn(@Nullable Integer tasks, @Nullable Duration time) {
        private static final int DEFAULT_TASKS = 64;
        private static final Duration DEFAULT_TIME = Duration.ofMillis(1);

        Turn orElse(Turn defaults) {
            return new Turn(or(tasks, defaults.tasks), or(time, defaults.time));
        }
    }

    /**
     * Attempts.
     *
     * @param attempts How often a task is run at most, the first time included. With 1 it is not run again.
     * @param backoff Pause before the second attempt. Each further pause is twice as long as the one before.
     * @param ceiling Longest pause between two attempts.
     */
    record Retry(
            @Nullable Integer attempts,
            @Nullable Duration backoff,
            @Nullable Duration ceiling) {
        private static final Duration DEFAULT_BACKOFF = Duration.ofMillis(100);

        /** Whether a task is ever run again. */
        boolean isOn() {
            return attempts != null && attempts > 1;
        }

        private FailurePolicy.Retry toPolicy() {
            FailurePolicy.Retry policy = FailurePolicy.retry(
                    Objects.requireNonNull(attempts, "attempts"), backoff == null ? DEFAULT_BACKOFF : backoff);
            return ceiling == null ? policy : policy.ceiling(ceiling);
        }

        Retry orElse(Retry defaults) {
            return new Retry(
                    or(attempts, defaults.attempts), or(backoff, defaults.backoff), or(ceiling, defaults.ceiling));
        }
    }
}
