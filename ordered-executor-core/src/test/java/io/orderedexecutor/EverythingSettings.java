package io.orderedexecutor;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** A random choice of all that can be set, and of the end. */
record EverythingSettings(
        Integer capacity,
        Integer stripeCapacity,
        Overflow overflow,
        Policy policy,
        Listening listening,
        int turn,
        End end) {

    private static final Duration BACKOFF = Duration.ofNanos(20_000);

    enum Policy {
        PROCEED(1, false),
        PARK(1, true),
        RETRY(3, false),
        RETRY_AT_ONCE(2, false),
        RETRY_AND_PARK(3, true);

        /** How often a task is run before its stripe proceeds or parks. */
        final int attempts;

        final boolean parks;

        Policy(int attempts, boolean parks) {
            this.attempts = attempts;
            this.parks = parks;
        }

        private FailurePolicy policy() {
            return switch (this) {
                case PROCEED -> FailurePolicy.proceed();
                case PARK -> FailurePolicy.park();
                case RETRY -> FailurePolicy.retry(3, BACKOFF).thenProceed();
                case RETRY_AT_ONCE -> FailurePolicy.retry(2, Duration.ZERO).thenProceed();
                case RETRY_AND_PARK -> FailurePolicy.retry(3, BACKOFF).thenPark();
            };
        }

        boolean putsBack() {
            return this != PROCEED;
        }
    }

    enum Listening {
        OFF,
        ON,
        THROWING
    }

    enum End {
        /** All tasks end first, and the executor can be looked at while it is idle. */
        DRAIN,
        SHUTDOWN,
        SHUTDOWN_NOW
    }

    private static final List<Overflow> OVERFLOWS = List.of(
            Overflow.reject(),
            Overflow.block(Duration.ofMillis(1)),
            // longer than the patience of the test: who is not called in time is found
            Overflow.block(Duration.ofMinutes(10)),
            Overflow.discardOldest());

    /** What follows from the number of the seed differs from round to round, so that few rounds meet all of it. */
    static EverythingSettings any(SplittableRandom random, long seed) {
        Overflow overflow = OVERFLOWS.get((int) Math.floorMod(seed / 2, (long) OVERFLOWS.size()));
        Integer stripeCapacity = pick(random, 1, 3, 50);
        return new EverythingSettings(
                pick(random, 5, 60, 400),
                stripeCapacity == null && overflow == Overflow.discardOldest() ? Integer.valueOf(2) : stripeCapacity,
                overflow,
                Policy.values()[(int) Math.floorMod(seed, (long) Policy.values().length)],
                Listening.values()[(int) Math.floorMod(seed, (long) Listening.values().length)],
                1 + random.nextInt(8),
                seed % 2 == 0 ? End.SHUTDOWN_NOW : random.nextInt(4) == 0 ? End.SHUTDOWN : End.DRAIN);
    }

    private static Integer pick(SplittableRandom random, Integer... limits) {
        int choice = random.nextInt(limits.length + 1);
        return choice == limits.length ? null : limits[choice];
    }

    boolean isListening() {
        return listening != Listening.OFF;
    }

    boolean discards() {
        return overflow == Overflow.discardOldest();
    }

    boolean isBounded() {
        return capacity != null || stripeCapacity != null;
    }

    StripedExecutorBuilder builder(TaskListener listener) {
        StripedExecutorBuilder builder = StripedExecutor.builder()
                .overflow(overflow)
                .failurePolicy(policy.policy())
                .turn(turn, Duration.ofNanos(50_000));
        if (isListening()) {
            builder.listener(listener);
        }
        if (capacity != null) {
            builder.capacity(capacity);
        }
        if (stripeCapacity != null) {
            builder.stripeCapacity(stripeCapacity);
        }
        return builder;
    }
}
