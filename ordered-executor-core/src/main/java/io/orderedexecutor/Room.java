package io.orderedexecutor;

import java.util.concurrent.Semaphore;

/** Permits for queued tasks, first come, first served. Taking and giving back never blocks; only {@code tryAcquire} with a limit does. */
final class Room extends Semaphore {
    private static final long serialVersionUID = 1;

    /** More than any capacity: lets all who wait pass. */
    private static final int PLENTY = 1 << 30;

    Room(int permits) {
        super(permits, true);
    }

    /** Takes a permit even if there is none, for a task that is put back. */
    void take() {
        reducePermits(1);
    }

    /** Makes as much more or less room. */
    void change(int difference) {
        if (difference < 0) {
            reducePermits(-difference);
        } else {
            release(difference);
        }
    }

    /** Lets all who wait pass, so that they see why. */
    void open() {
        release(PLENTY);
    }
}
