package io.orderedexecutor.kafka;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/**
 * Whether a consumer is certain to be a member of its group. A process that was frozen, or whose consumer's thread did
 * not get on, may have lost its partitions, and its workers would go on with what is others' by now until the consumer
 * hears of that. So a worker looks before each record how long ago the consumer's thread was last heard of; if that is
 * too long, the record is held until a commit has shown that nothing is lost.
 */
final class Membership {
    private final long silence;

    /** Of the wall clock: others may stand still while a machine is suspended. */
    private final LongSupplier millis;

    /** What is to be done when it is certain again. Workers add, the consumer's thread takes. */
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();

    /** When the consumer's thread was last here. Written by it. */
    private volatile long last;

    /** Whether there was silence, and no commit since. Written by the consumer's thread. */
    private volatile boolean doubtful;

    /**
     * Begins, certain.
     *
     * @param silence how long the consumer's thread may be silent
     * @param millis the time, as {@link System#currentTimeMillis()}
     */
    Membership(Duration silence, LongSupplier millis) {
        this.silence = silence.toMillis();
        this.millis = millis;
        this.last = millis.getAsLong();
    }

    /** Any thread. */
    boolean isCertain() {
        return !doubtful && millis.getAsLong() - last <= silence;
    }

    /** Whether a commit is needed. The consumer's thread. */
    boolean isDoubtful() {
        return doubtful;
    }

    /**
     * Any thread, when it is not certain.
     *
     * @param step run on the consumer's thread when it is, or never; must not block
     */
    void hold(Runnable step) {
        held.add(step);
    }

    /**
     * The consumer's thread, between polls.
     *
     * @return false if a commit is needed, and {@link #confirmed} after it
     */
    boolean turn() {
        long now = millis.getAsLong();
        if (now - last > silence) {
            // before the time: who sees that must see this, too
            doubtful = true;
        }
        last = now;
        if (!doubtful) {
            release();
        }
        return !doubtful;
    }

    /** The consumer's thread, after a commit that was begun since {@link #turn} has returned false. */
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
