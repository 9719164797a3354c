package io.orderedexecutor.engine.place;

import io.orderedexecutor.engine.pool.Platform;
import java.util.concurrent.atomic.AtomicLongArray;

/** How many pieces of an output may be accepted and not written. */
final class Window {
    // submitters write the one, workers the other, and the output beside them is read by all: lines of their own
    private static final int TAKEN = 8;
    private static final int GIVEN_BACK = 16;
    private static final int CELLS = 24;

    /** How many pieces were ever accepted, and how many were written or left out. Changed atomically. */
    private final AtomicLongArray counts = new AtomicLongArray(CELLS);

    private final Claims claims;

    private volatile int size;

    Window(Platform platform, int size) {
        this.size = size;
        this.claims = new Claims(platform, () -> tryTakeBelow() != NONE);
    }

    /** There was no room. */
    static final long NONE = -1;

    int size() {
        return size;
    }

    void setSize(int newSize) {
        size = newSize;
        claims.admit();
    }

    long taken() {
        return counts.get(TAKEN);
    }

    long givenBack() {
        return counts.get(GIVEN_BACK);
    }

    /** Takes room for one more; returns how many had it before, or {@link #NONE} if there is none, or others wait. */
    long tryTake() {
        return claims.isAnyWaiting() ? NONE : tryTakeBelow();
    }

    private long tryTakeBelow() {
        while (true) {
            long now = counts.get(TAKEN);
            long open = now - counts.get(GIVEN_BACK);
            if (open >= size) {
                return NONE;
            }
            if (counts.compareAndSet(TAKEN, now, now + 1)) {
                return open;
            }
        }
    }

    /** Takes room for one more, and waits for it; see {@link Claims#take}. */
    boolean take(long deadline) throws InterruptedException {
        return claims.take(deadline);
    }

    /** A piece is over. */
    void giveBack() {
        counts.getAndIncrement(GIVEN_BACK);
        claims.admit();
    }

    /** A submission was not accepted after all. */
    void undoTake() {
        counts.getAndDecrement(TAKEN);
        claims.admit();
    }

    /** Lets nobody wait for room any more. */
    void close() {
        claims.close();
    }
}
