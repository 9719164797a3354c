package io.orderedexecutor.engine.pool;

/**
 * How long workers have been busy with a strand of late, and so whether the next one is worth a wake-up: a moving mean,
 * in which all that a worker has run between two rests counts for an eighth. A worker that is woken in vain counts as
 * work of no length, so needless wake-ups soon become fewer.
 */
final class RecentWork {

    /** About how long it takes to wake a thread, in nanoseconds. */
    private static final long WAKE_UP_NANOS = 5_000;

    /** What is longer counts as this: perhaps the thread was only without a processor. */
    private static final long LONGEST_NANOS = 4 * WAKE_UP_NANOS;

    private static final int WEIGHT = 8;

    /** Written by workers before they rest, and read by submitters. Updates may be lost: more will come. */
    private volatile long meanNanos;

    /**
     * Adds what a worker has run since it rested.
     *
     * @param nanos how long that took
     * @param count how many strands it has served, at least one
     */
    void add(long nanos, long count) {
        long mean = meanNanos;
        meanNanos = mean + (Math.min(nanos / count, LONGEST_NANOS) - mean) / WEIGHT;
    }

    /** Whether a strand keeps a worker busy for longer than it takes to wake another one. */
    boolean isLong() {
        return meanNanos > WAKE_UP_NANOS;
    }
}
