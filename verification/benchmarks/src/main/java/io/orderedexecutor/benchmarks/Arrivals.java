package io.orderedexecutor.benchmarks;

import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets tasks arrive at random times, with an average distance, whether or not earlier ones have run: an executor that
 * is slow does not get fewer of them. A producer that comes too late submits at once what is due.
 */
final class Arrivals {
    private final double averageNanos;
    private final SplittableRandom random;

    Arrivals(double averageNanos, long seed) {
        this.averageNanos = averageNanos;
        this.random = new SplittableRandom(seed);
    }

    /** What happens when it is time. */
    interface Arrival {

        /** Returns false if there are to be no more. */
        boolean arrive();
    }

    void during(int millis, Arrival arrival) {
        long start = System.nanoTime();
        long end = millis * 1_000_000L;
        double due = 0;
        boolean goesOn = true;
        while (goesOn && due < end) {
            long early = (long) due - (System.nanoTime() - start);
            if (early > 0) {
                LockSupport.parkNanos(early);
            } else {
                goesOn = arrival.arrive();
                due -= averageNanos * Math.log(1 - random.nextDouble());
            }
        }
    }
}
