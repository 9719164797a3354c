package io.orderedexecutor.benchmarks;

import java.util.concurrent.locks.LockSupport;

/** Holds a thread without working, as one that waits for a database does. */
final class RoundTrip {
    static final long NANOS = 1_000_000;

    private RoundTrip() {}

    /** Returns after a millisecond. */
    static void make() {
        long end = System.nanoTime() + NANOS;
        for (long left = NANOS; left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
