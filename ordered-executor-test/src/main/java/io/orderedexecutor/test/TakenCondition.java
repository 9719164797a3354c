package io.orderedexecutor.test;

import java.util.Date;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A condition for threads of simulations and for other threads. */
@SuppressWarnings("WaitNotInLoop") // callers loop
final class TakenCondition implements Condition {
    private final Condition real;

    /** The number of signals. Written under the lock; threads of a simulation read it when they have the baton. */
    private volatile long signals;

    TakenCondition(Lock lock) {
        this.real = lock.newCondition();
    }

    /**
     * Waits for a signal. Called by a thread of a simulation that holds the lock.
     *
     * @return the nanoseconds that are left
     */
    long await(Lock lock, SimulatedThread me, long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long seen = signals;
        long start = me.scheduler.time().now();
        // released, since another thread of the simulation would block on the lock while it has the baton
        lock.unlock();
        try {
            me.scheduler.await(me, "room, or an end", () -> signals != seen, nanos, true);
        } finally {
            lock.lock();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return nanos == Long.MAX_VALUE ? nanos : nanos - (me.scheduler.time().now() - start);
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    public void signal() {
        signals++;
        real.signal();
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    public void signalAll() {
        signals++;
        real.signalAll();
    }

    @Override
    public void await() throws InterruptedException {
        real.await();
    }

    @Override
    public void awaitUninterruptibly() {
        real.awaitUninterruptibly();
    }

    @Override
    public long awaitNanos(long nanos) throws InterruptedException {
        return real.awaitNanos(nanos);
    }

    @Override
    public boolean await(long time, TimeUnit unit) throws InterruptedException {
        return real.await(time, unit);
    }

    @Override
    public boolean awaitUntil(Date deadline) throws InterruptedException {
        return real.awaitUntil(deadline);
    }
}
