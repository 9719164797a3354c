package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * Knows whether a consumer is certain to be a member of its group. If the process was frozen, if the consumer's thread
 * was blocked, or if the broker cannot be reached, the consumer may have lost its partitions. Until the consumer
 * notices, its workers would process records that another consumer owns. So a worker checks before each record when the
 * consumer's thread was last active, and the consumer's thread checks for how long commits have had no answer. If one
 * of them is too long, records are held until the broker accepts a commit, which shows that the consumer is still a
 * member.
 *
 * <pre>
 *   CERTAIN ──▶ SILENT     when the consumer's thread has not been active for too long; told by the clock, not stored
 *   SILENT ──▶ DOUBTFUL    by the consumer's thread, when it is active again
 *   CERTAIN ──▶ DOUBTFUL   by the consumer's thread, when commits have had no answer for too long, or records of a
 *                          lost partition were handed out
 *   DOUBTFUL ──▶ CERTAIN   by the consumer's thread, when the broker has accepted a commit
 * </pre>
 */
final class Membership {
    private final long silence;

    /** The time of the wall clock: other clocks may stand still while a machine is suspended. */
    private final LongSupplier millis;

    /**
     * The steps to run when the membership is certain again. Workers add steps, and the consumer's thread removes them.
     */
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();

    /** The time at which the consumer's thread was last active. Written by that thread. */
    private volatile long last;

    /** Whether there was a reason to doubt, and no commit was accepted since. Written by the consumer's thread. */
    private volatile boolean doubtful;

    /**
     * Creates the membership of a consumer, which is certain at first.
     *
     * @param silence how long the consumer's thread may be inactive, and commits may have no answer
     * @param millis the time, as {@link System#currentTimeMillis()}
     */
    Membership(Duration silence, LongSupplier millis) {
        this.silence = silence.toMillis();
        this.millis = millis;
        this.last = millis.getAsLong();
    }

    /** Returns whether the consumer is certain to be a member. Called by any thread. */
    boolean isCertain() {
        return !doubtful && millis.getAsLong() - last <= silence;
    }

    /** Returns whether a commit is needed to confirm the membership. Called by the consumer's thread. */
    boolean isDoubtful() {
        return doubtful;
    }

    /**
     * Keeps a step until the membership is certain. Called by any thread while it is not certain.
     *
     * @param step runs on the consumer's thread when the membership is certain, or never; must not block
     */
    void hold(Runnable step) {
        held.add(step);
    }

    /**
     * Records that the consumer's thread is active, and runs the held steps if the membership is certain. Called by
     * that thread between polls.
     *
     * @param unanswered for how long commits have had no answer of the broker
     * @return false if a commit is needed, and {@link #confirmed} after it
     */
    boolean turn(Duration unanswered) {
        long now = millis.getAsLong();
        if (now - last > silence || unanswered.toMillis() > silence) {
            // written before the time: a worker that sees the new time must see the doubt, too
            doubtful = true;
        }
        last = now;
        if (!doubtful) {
            release();
        }
        return !doubtful;
    }

    /** Makes the membership doubtful. Called by the consumer's thread. */
    void doubt() {
        doubtful = true;
    }

    /**
     * Makes the membership certain and runs the held steps. Called by the consumer's thread after a commit that began
     * after {@link #turn} had returned false.
     */
    void confirmed() {
        doubtful = false;
        release();
    }

    private void release() {
        for (Runnable step = held.poll(); step != null; step = held.poll()) {
            step.run();
        }
    }
}
