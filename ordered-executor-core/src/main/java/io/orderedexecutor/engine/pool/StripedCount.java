package io.orderedexecutor.engine.pool;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A count that only grows. Threads count in different cells, so that they rarely take the same cache line from each
 * other; a thread that wants to know the sum looks at all of them. Unlike
 * {@link java.util.concurrent.atomic.LongAdder}, it says what its sum can be relied upon for.
 */
public final class StripedCount {

    /** A power of two. With two threads that count, one time in eight both use the same cell. */
    private static final int CELLS = 8;

    /** How many longs there are from one cell to the next: a cache line. */
    private static final int DISTANCE = 8;

    private final AtomicLongArray cells = new AtomicLongArray((CELLS + 1) * DISTANCE);

    public void increment() {
        cells.getAndIncrement(indexOf(System.identityHashCode(Thread.currentThread()) & (CELLS - 1)));
    }

    /** The first cells stay empty: the header of the array, which is read all the time, is next to them. */
    private static int indexOf(int cell) {
        return (cell + 1) * DISTANCE;
    }

    /** At least what it was when this call began, and at most what it is when it ends. */
    public long sum() {
        long sum = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            sum += cells.get(indexOf(cell));
        }
        return sum;
    }
}
