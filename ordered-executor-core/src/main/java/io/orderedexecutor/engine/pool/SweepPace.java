package io.orderedexecutor.engine.pool;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Says when to sweep a queue. An element is over when nothing is left to do for it; it stays in the queue until a
 * thread polls it or a sweep removes it. Let n be the number of elements that the last sweep has left in the queue, or
 * a few if that is more. The next sweep is due when n further elements may be over. So sweeps look at an element only a
 * few times on average, and the queue keeps only about n elements that are over.
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
