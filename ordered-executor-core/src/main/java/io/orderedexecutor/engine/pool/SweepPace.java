package io.orderedexecutor.engine.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Says when to sweep a queue whose elements stay in it when they are over, until a thread polls them. A sweep is due
 * when as many elements may be over as the last sweep has left, but not fewer than a few. So sweeps look at each
 * element only a few times, and a queue keeps no more elements that are over than have waited at once, or a few.
 *
 * <p>One thread at a time sweeps.
 */
public final class SweepPace {
    private static final int FEW = 64;

    /** How many more elements may be over before a sweep is due; zero or less during a sweep. */
    private final AtomicInteger left = new AtomicInteger(FEW);

    /**
     * Called when one more element may be over.
     *
     * @param sweep removes the elements that are over, and returns about how many are left
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
