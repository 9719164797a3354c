package io.orderedexecutor.engine.place;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.pool.Platform;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Submissions that wait for room of one kind. They get it first come, first served. */
final class Claims {
    private final Platform platform;

    /** Takes room for one more if there is some. Code of ours, which takes no lock. */
    private final BooleanSupplier room;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<Claim> claims = new ArrayDeque<>();

    /** How many they are. Written under the lock, and read without it by those who have made room. */
    private volatile int waiting;

    /** Whether nobody may wait any more. */
    private volatile boolean closed;

    /** A submission that waits. */
    static final class Claim {
        private final Thread thread = Thread.currentThread();
        private volatile boolean isAdmitted;

        /** It has room. Then it has to be {@linkplain #wake woken}, with no lock held. */
        void admit() {
            isAdmitted = true;
        }

        void wake(Platform platform) {
            platform.unpark(thread);
        }

        /** Returns whether the thread was interrupted. */
        boolean await(Platform platform, long deadline, BooleanSupplier isOver) {
            while (!isAdmitted && !isOver.getAsBoolean()) {
                if (Thread.interrupted()) {
                    return true;
                }
                long left = deadline - platform.nanoTime();
                if (left <= 0) {
                    return false;
                }
                platform.parkNanos(this, left);
            }
            return false;
        }

        /** What has come of a wait that is over: an interrupt does not give back what the claim has got. */
        boolean outcome(boolean interrupted) throws InterruptedException {
            if (interrupted && !isAdmitted) {
                throw new InterruptedException();
            }
            if (interrupted) {
                thread.interrupt();
            }
            return isAdmitted;
        }
    }

    Claims(Platform platform, BooleanSupplier room) {
        this.platform = platform;
        this.room = room;
    }

    /** Whether others come first. */
    boolean isAnyWaiting() {
        return waiting > 0;
    }

    /**
     * Takes room for one more, and waits for it.
     *
     * @param deadline as the platform has the time
     * @return false if the time was over, or nobody may wait any more
     */
    boolean take(long deadline) throws InterruptedException {
        Claim claim = new Claim();
        lock.lock();
        try {
            claims.add(claim);
            waiting = claims.size();
        } finally {
            lock.unlock();
        }
        // for room that was given back before this claim could be seen
        admit();
        boolean interrupted = claim.await(platform, deadline, () -> closed);
        lock.lock();
        try {
            claims.remove(claim);
            waiting = claims.size();
        } finally {
            lock.unlock();
        }
        // others may have waited for this one to go
        admit();
        return claim.outcome(interrupted);
    }

    /** Lets those go on for whom there is room. */
    void admit() {
        while (waiting > 0) {
            Claim first;
            lock.lock();
            try {
                first = claims.peek();
                if (first == null || !room.getAsBoolean()) {
                    return;
                }
                claims.remove();
                waiting = claims.size();
                first.admit();
            } finally {
                lock.unlock();
            }
            first.wake(platform);
        }
    }

    /** Lets nobody wait any more. */
    void close() {
        closed = true;
        List<Claim> all;
        lock.lock();
        try {
            all = new ArrayList<>(claims);
        } finally {
            lock.unlock();
        }
        all.forEach(claim -> claim.wake(platform));
    }
}
