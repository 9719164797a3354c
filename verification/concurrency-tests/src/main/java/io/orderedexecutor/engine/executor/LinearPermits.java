package io.orderedexecutor.engine.executor;

import org.jetbrains.lincheck.datastructures.Operation;

/** The permits of an executor are a semaphore. */
public class LinearPermits {
    private static final int CAPACITY = 2;

    private final Permits permits = new Permits(CapacityOnly.settings(CAPACITY), CapacityOnly.NO_KEYS);

    /** One permit is taken, to be given back. */
    public LinearPermits() {
        permits.tryAcquire();
    }

    @Operation
    public boolean tryAcquire() {
        return permits.tryAcquire();
    }

    @Operation(runOnce = true)
    public void giveBack() {
        permits.giveBackUnused();
    }

    /** What it should be. */
    public static class Specification {
        private int free = CAPACITY - 1;

        public boolean tryAcquire() {
            if (free == 0) {
                return false;
            }
            free--;
            return true;
        }

        public void giveBack() {
            free++;
        }
    }
}
