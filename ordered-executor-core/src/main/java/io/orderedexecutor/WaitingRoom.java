package io.orderedexecutor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submitters that wait for room, in the order in which they came. One of them tries when it is called and nobody before
 * it has a better claim: waits for room in a stripe or group that this one wants too, or waits for a permit of the
 * whole executor. One that tries in vain keeps its place. Whoever leaves, with room or without, calls those who have
 * the best claims now; so does everybody who makes room.
 *
 * <p>The lock is held for a walk along those who wait, never while one of them tries. Those who make room read one
 * field while nobody waits.
 */
final class WaitingRoom {

    /**
     * What there is no room in.
     *
     * @param isExecutor whether it is the whole executor
     * @param keyHash else, the hash of the key
     */
    record Full(boolean isExecutor, int keyHash) {
        static final Full EXECUTOR = new Full(true, 0);

        static Full ofKey(int keyHash) {
            return new Full(false, keyHash);
        }
    }

    private final class Waiter {
        final Thread thread = Thread.currentThread();
        final Condition turn = lock.newCondition();

        /** The hashes of the keys that it wants. */
        final Set<Integer> wanted;

        /** Those in which there may be no room for it: all, until it has tried. */
        Set<Integer> full;

        boolean called = true;
        boolean needsPermit;

        Waiter(Set<Integer> wanted) {
            this.wanted = wanted;
            this.full = wanted;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}, and so are its elements. */
    private final List<Waiter> waiters = new ArrayList<>();

    /** The number of {@link #waiters}. Written under {@link #lock}, read by those who have made room. */
    private volatile int size;

    boolean isEmpty() {
        return size == 0;
    }

    /**
     * Waits until an attempt succeeds. The first one is made as soon as nobody has a better claim.
     *
     * @param keyHashes of the keys that the submission wants
     * @param attempt returns null if it has succeeded, or where there is no room; what it throws ends the wait
     * @return false if the time was over before
     */
    boolean await(Set<Integer> keyHashes, long nanos, Supplier<@Nullable Full> attempt) throws InterruptedException {
        long start = System.nanoTime();
        Waiter waiter = enter(keyHashes);
        try {
            while (awaitTurn(waiter, nanos - (System.nanoTime() - start))) {
                Full full = attempt.get();
                if (full == null) {
                    return true;
                }
                stay(waiter, full);
            }
            return false;
        } finally {
            leave(waiter);
        }
    }

    private Waiter enter(Set<Integer> keyHashes) {
        lock.lock();
        try {
            Waiter waiter = new Waiter(keyHashes);
            // who comes behind one that waits for a permit waits for a permit, too
            waiter.needsPermit = waiters.stream().anyMatch(earlier -> earlier.needsPermit);
            waiters.add(waiter);
            size = waiters.size();
            return waiter;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitTurn(Waiter waiter, long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!waiter.called || !first().contains(waiter)) {
                if (left <= 0) {
                    return false;
                }
                left = waiter.turn.awaitNanos(left);
            }
            // before the attempt: room that is made from now on calls again
            waiter.called = false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void stay(Waiter waiter, Full full) {
        lock.lock();
        try {
            boolean needsPermit = full.isExecutor;
            // who came later and wants other keys need not wait for this one
            waiter.full = needsPermit ? waiter.wanted : Set.of(full.keyHash);
            // permits that were given back before this was known have called nobody
            waiter.called |= needsPermit && !waiter.needsPermit;
            waiter.needsPermit = needsPermit;
            // if this one needs no permit after all, or only one key, others may have the best claims now
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    private void leave(Waiter waiter) {
        lock.lock();
        try {
            waiters.remove(waiter);
            size = waiters.size();
        } finally {
            lock.unlock();
        }
        call();
    }

    /** Lets those with the best claims try: there is room that was not there before. */
    void call() {
        call(waiter -> true);
    }

    /**
     * Lets others try who wait for a permit: one is back that was taken in vain. To call also those who wait for a full
     * stripe would keep them trying in turn, each in vain.
     */
    void callForPermit() {
        Thread giver = Thread.currentThread();
        call(waiter -> waiter.needsPermit && waiter.thread != giver);
    }

    private void call(Predicate<Waiter> concerned) {
        if (size == 0) {
            return;
        }
        lock.lock();
        try {
            for (Waiter waiter : waiters) {
                waiter.called |= concerned.test(waiter);
            }
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Called under {@link #lock}. */
    private void signalFirst() {
        for (Waiter waiter : first()) {
            if (waiter.called) {
                waiter.turn.signal();
            }
        }
    }

    /** Those before whom nobody has a better claim. Called under {@link #lock}. */
    private List<Waiter> first() {
        List<Waiter> first = new ArrayList<>();
        Set<Integer> full = new HashSet<>();
        for (Waiter waiter : waiters) {
            if (Collections.disjoint(full, waiter.wanted)) {
                first.add(waiter);
                full.addAll(waiter.full);
            }
            if (waiter.needsPermit) {
                break;
            }
        }
        return first;
    }
}
