package io.orderedexecutor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Lets threads wait until stripes have ended. Costs those who end one a volatile read while nobody waits. */
final class IdleWatch {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    /** Written under {@link #lock}, read by those who end a stripe, after they have removed it. */
    private volatile int watchers;

    @GuardedBy("lock")
    private long endings;

    void onEnd() {
        if (watchers > 0) {
            lock.lock();
            try {
                endings++;
                ended.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits until {@code idle}, which is asked without a lock after each ending.
     *
     * @return false if the time was over before
     */
    boolean await(BooleanSupplier idle, long nanos) throws InterruptedException {
        long left = nanos;
        watch(1);
        try {
            while (true) {
                long seen = endings();
                if (idle.getAsBoolean()) {
                    return true;
                }
                left = awaitEnding(seen, left);
                if (left <= 0) {
                    return false;
                }
            }
        } finally {
            watch(-1);
        }
    }

    private long endings() {
        lock.lock();
        try {
            return endings;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how much time is left when there is another ending; zero or less if the time is over. */
    private long awaitEnding(long seen, long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (endings == seen && left > 0) {
                left = ended.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
        return left;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private void watch(int more) {
        lock.lock();
        try {
            watchers += more;
        } finally {
            lock.unlock();
        }
    }
}
