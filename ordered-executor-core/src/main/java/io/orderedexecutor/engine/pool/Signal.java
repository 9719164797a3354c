package io.orderedexecutor.engine.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Lets threads wait for a condition, which they check again after each signal, and when they have lost their
 * {@linkplain Platform#patienceNanos patience}. While no thread waits, a signal costs a volatile read.
 */
public final class Signal {
    private final Platform platform;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition signalled;

    /** How many threads wait. Written under {@link #lock}; read without it by a thread that signals. */
    private volatile int waiting;

    @GuardedBy("lock")
    private long signals;

    public Signal(Platform platform) {
        this.platform = platform;
        this.signalled = platform.newCondition(lock);
    }

    /** Lets all waiting threads check again. To be called after the change that they wait for. */
    public void signal() {
        if (waiting > 0) {
            lock.lock();
            try {
                signals++;
                signalled.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits until {@code condition} holds.
     *
     * @param condition checked with no lock held: at the start, after each signal, every {@link Platform#patienceNanos}
     *     nanoseconds, and when the time has elapsed
     * @return false if the time elapsed first
     */
    public boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
        long left = nanos;
        // before the check: a change after it gives another signal
        long seen = enter(1);
        try {
            while (!condition.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                lock.lockInterruptibly();
                try {
                    long part = Math.min(left, platform.patienceNanos());
                    left -= part;
                    while (signals == seen && part > 0) {
                        part = platform.awaitNanos(lock, signalled, part);
                    }
                    left += part;
                    seen = signals;
                } finally {
                    lock.unlock();
                }
            }
            return true;
        } finally {
            enter(-1);
        }
    }

    /** Adds to the number of waiting threads; returns the number of signals so far. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private long enter(int more) {
        lock.lock();
        try {
            waiting += more;
            return signals;
        } finally {
            lock.unlock();
        }
    }
}
