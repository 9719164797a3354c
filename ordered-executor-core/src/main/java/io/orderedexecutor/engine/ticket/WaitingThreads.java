package io.orderedexecutor.engine.ticket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.pool.Platform;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The threads that wait for a ticket of a server. They have nothing better to do than to run the outputs that make room
 * for them; and if they are all the threads there are, no other thread can. So a thread whose turn at serving is over
 * asks one of them to go on:
 *
 * <pre>
 *   running ──▶ listed    it is about to wait; it looks for something to serve once more before it parks
 *   listed ──▶ called     a thread that wants another one to go on takes it from the list
 *   listed ──▶ running    its future is done, its time is over, or it is interrupted
 *   called ──▶ running    it has woken up
 * </pre>
 *
 * <p>Whatever has ended its wait, a thread looks for something to serve when it runs again. So a thread that is called
 * goes on, even if it has got its ticket meanwhile. A thread that has left something to serve either finds another one
 * on the list, or that one sees what is left before it parks.
 *
 * <p>A thread does nothing else while it waits. {@link CompletableFuture#get()} in a thread of a {@link ForkJoinPool}
 * runs other tasks of that pool, which may wait behind this one. The pool may put another thread in its place.
 */
final class WaitingThreads {
    private final Platform platform;
    private final ReentrantLock lock = new ReentrantLock();

    /** The last one is called first: its caches are warm. */
    @GuardedBy("lock")
    private final Deque<Waiter> listed = new ArrayDeque<>();

    WaitingThreads(Platform platform) {
        this.platform = platform;
    }

    /**
     * Waits until a future is done, and serves meanwhile if asked to.
     *
     * @return false if it was not done, in so much time
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the action cannot fail
    boolean await(CompletableFuture<?> future, long nanos, TicketServer server) throws InterruptedException {
        Waiter waiter = new Waiter(nanos);
        future.whenComplete((value, failure) -> waiter.wake());
        while (!waiter.isOver()) {
            awaitOnce(waiter, server);
        }
        return future.isDone();
    }

    private void awaitOnce(Waiter waiter, TicketServer server) throws InterruptedException {
        list(waiter);
        InterruptedException interrupt = null;
        try {
            // read after it was listed: what is left to serve from now on finds this thread on the list
            if (!server.isReady()) {
                waiter.park();
            }
        } catch (InterruptedException interrupted) {
            interrupt = interrupted;
        } finally {
            unlist(waiter);
        }
        server.goOnIfAsked();
        if (interrupt != null) {
            throw interrupt;
        }
    }

    private void list(Waiter waiter) {
        lock.lock();
        try {
            waiter.called = false;
            listed.addLast(waiter);
        } finally {
            lock.unlock();
        }
    }

    private void unlist(Waiter waiter) {
        lock.lock();
        try {
            if (!waiter.called) {
                listed.removeLastOccurrence(waiter);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Calls a thread, after something was left to serve.
     *
     * @return false if there is none
     */
    boolean callOne() {
        Waiter waiter;
        lock.lock();
        try {
            waiter = listed.pollLast();
            if (waiter == null) {
                return false;
            }
            waiter.called = true;
        } finally {
            lock.unlock();
        }
        platform.unpark(waiter.thread);
        return true;
    }

    private final class Waiter implements ForkJoinPool.ManagedBlocker {
        private final Thread thread = Thread.currentThread();
        private final long nanos;
        private final long begun = platform.nanoTime();

        /** Whether the future is done. Written once, by the thread that completes it. */
        private volatile boolean done;

        /** Whether it was taken from the list. Written under the lock, read by this thread. */
        private volatile boolean called;

        Waiter(long nanos) {
            this.nanos = nanos;
        }

        void wake() {
            done = true;
            platform.unpark(thread);
        }

        /** Waits until it is called, or this wait is over. */
        void park() throws InterruptedException {
            try {
                ForkJoinPool.managedBlock(this);
            } catch (RejectedExecutionException | Error noOtherThread) {
                boolean over = false;
                while (!over) {
                    over = block();
                }
            }
        }

        @Override
        public boolean block() throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!isReleasable()) {
                platform.parkNanos(this, left());
            }
            return isReleasable();
        }

        @Override
        public boolean isReleasable() {
            return called || isOver();
        }

        boolean isOver() {
            return done || left() <= 0;
        }

        private long left() {
            return nanos - (platform.nanoTime() - begun);
        }
    }
}
