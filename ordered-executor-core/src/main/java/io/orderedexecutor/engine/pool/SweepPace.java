package io.orderedexecutor.engine.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Says when a queue is to be swept, which keeps what is over until a thread comes to it: when as many elements may be
 * over as the last sweep has left, and a few. So a sweep costs a look at each element that was added since the one
 * before, and at each that may be over; and no more are kept than have waited at once, and a few.
 *
 * <p>One thread at a time sweeps.
 */
public final class SweepPace {
    private static final int FEW = 64;

    /** How many more may be over before a sweep is due; zero or less during one. */
    private final AtomicInteger left = new AtomicInteger(FEW);

    /**
     * One more element may be over.
     *
     * @param sweep takes out what is over, and returns how many elements are left, or at least about how many
     */
    public void onOver(IntSupplier sweep) {
        if (left.getAndDecrement() == 1) {
            int remaining = 0;
            try {
                remaining = sweep.getAsInt();
            } finally {
                left.set(Math.max(FEW, remaining));
            }
        }
    }
}
