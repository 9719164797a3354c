package io.orderedexecutor.engine.executor;

import io.orderedexecutor.engine.pool.Platform;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submitters that wait for room, in the order in which they came. One of them tries when it is called and no earlier
 * one has a better claim: waits for room in a stripe or group that this one wants too, or waits for a permit of the
 * whole executor. One that tries in vain keeps its place.
 *
 * <p>Room in a key calls the first of those that wait for that key, and a permit the first of those that wait for one;
 * the others sleep on. One that was called and has no use for the room, or leaves without it, passes the call on.
 *
 * <p>The lock is held for a walk along those who wait, at most, never while one of them tries. Those who make room read
 * one field while there are no waiters, and look for the key if there are.
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
        /** Tells their order; 0 before it has entered. */
        long number;

        final Thread thread = Thread.currentThread();
        final Condition turn = lock.newCondition();

        /** The hashes of the keys that it wants. */
        final Set<Integer> wanted;

        /** Those in which there may be no room for it: all, until it has tried. */
        Set<Integer> full;

        /** Whether there may be room for it that was not there when it tried last. */
        boolean called;

        /** Whether it is just trying, and its outcome is not known. */
        boolean trying;

        boolean needsPermit;

        Waiter(Set<Integer> wanted) {
            this.wanted = wanted;
            this.full = wanted;
        }

        /** Whether it has found no room, and nothing has happened since. */
        boolean knowsThatItIsFull() {
            return !called && !trying;
        }
    }

    private final Platform platform;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}, and so are its elements. */
    private final List<Waiter> waiters = new ArrayList<>();

    /** Guarded by {@link #lock}: for each key, those in whose {@link Waiter#full} it is, in their order. */
    private final Map<Integer, Set<Waiter>> waitersForKey = new HashMap<>();

    /** Guarded by {@link #lock}: how many have ever come, and how many of those here are called. */
    private long entered;

    private int called;

    /** The number of {@link #waiters}. Written under {@link #lock}, read by those who have made room. */
    private volatile int size;

    WaitingRoom(Platform platform) {
        this.platform = platform;
    }

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
        long start = platform.nanoTime();
        boolean admitted = false;
        Waiter waiter = new Waiter(keyHashes);
        try {
            enter(waiter);
            while (awaitTurn(waiter, nanos - (platform.nanoTime() - start))) {
                Full full = attempt.get();
                if (full == null) {
                    admitted = true;
                    return true;
                }
                stay(waiter, full);
            }
            return false;
        } finally {
            leave(waiter, admitted);
        }
    }

    /** What is thrown here leaves nothing behind after {@link #leave}: there may be no memory. */
    private void enter(Waiter waiter) {
        lock.lock();
        try {
            boolean mayTry = true;
            Set<Integer> knownFull = new HashSet<>();
            Set<Integer> full = new HashSet<>();
            for (Waiter earlier : waiters) {
                if (!Collections.disjoint(full, earlier.wanted)) {
                    continue; // it waits for an earlier one, and this one need not wait for it
                }
                full.addAll(earlier.full);
                // who comes behind one that waits for a permit waits for a permit, too
                waiter.needsPermit |= earlier.needsPermit;
                if (earlier.knowsThatItIsFull()) {
                    mayTry &= !earlier.needsPermit;
                    earlier.full.stream().filter(waiter.wanted::contains).forEach(knownFull::add);
                }
            }
            if (!waiter.needsPermit && !knownFull.isEmpty()) {
                // what an earlier one knows, this one need not try
                mayTry = false;
                waiter.full = knownFull;
            }
            waiter.number = ++entered;
            waiters.add(waiter);
            size = waiters.size();
            list(waiter);
            if (mayTry) {
                call(waiter);
            }
        } finally {
            lock.unlock();
        }
    }

    private void call(Waiter waiter) {
        if (!waiter.called) {
            waiter.called = true;
            called++;
        }
    }

    private boolean awaitTurn(Waiter waiter, long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!waiter.called || !isFirst(waiter)) {
                if (left <= 0) {
                    return false;
                }
                left = platform.awaitNanos(lock, waiter.turn, left);
            }
            // before the attempt: room that is made from now on, in whatever it wants, calls again
            waiter.called = false;
            called--;
            waiter.trying = true;
            unlist(waiter);
            waiter.full = waiter.wanted;
            list(waiter);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void stay(Waiter waiter, Full full) {
        lock.lock();
        try {
            boolean needsPermit = full.isExecutor;
            Set<Integer> before = waiter.full;
            boolean neededPermit = waiter.needsPermit;
            unlist(waiter);
            // who came later and wants other keys need not wait for this one
            waiter.full = needsPermit ? waiter.wanted : Set.of(full.keyHash);
            list(waiter);
            waiter.trying = false;
            // permits that were given back before this was known have called nobody
            if (needsPermit && !neededPermit) {
                call(waiter);
            }
            waiter.needsPermit = needsPermit;
            // the room that it was called for is for others
            before.stream().filter(key -> !waiter.full.contains(key)).forEach(this::callFirst);
            if (neededPermit && !needsPermit) {
                // permits may have called some that now wait behind this one: they are for those who do not
                waiters.stream().filter(other -> other.needsPermit).forEach(this::call);
            }
            // if this one needs no permit after all, or only one key, others may have the best claims now
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    private void leave(Waiter waiter, boolean admitted) {
        lock.lock();
        try {
            waiters.remove(waiter);
            size = waiters.size();
            unlist(waiter);
            called -= waiter.called ? 1 : 0;
            if (waiter.called || !admitted) {
                // what it could have had is for others
                waiter.full.forEach(this::callFirst);
                if (waiter.needsPermit) {
                    callFirstForPermit(waiter.thread);
                }
            }
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    // under the lock

    private void list(Waiter waiter) {
        for (Integer key : waiter.full) {
            waitersForKey
                    .computeIfAbsent(key, unknown -> new TreeSet<>(Comparator.comparingLong(one -> one.number)))
                    .add(waiter);
        }
    }

    private void unlist(Waiter waiter) {
        for (Integer key : waiter.full) {
            Set<Waiter> others = waitersForKey.get(key);
            if (others != null) {
                others.remove(waiter);
                if (others.isEmpty()) {
                    waitersForKey.remove(key);
                }
            }
        }
    }

    /**
     * Calls the first that waits for a key, if it is not called. One that an earlier one keeps from another key is
     * called, too, but has no use for the room yet: so the next is called as well.
     */
    private void callFirst(Integer key) {
        Iterator<Waiter> listed = waitersForKey.getOrDefault(key, Set.of()).iterator();
        while (listed.hasNext()) {
            Waiter waiter = listed.next();
            if (!waiter.called) {
                call(waiter);
                if (!listed.hasNext() || !isKeptFromOtherThan(key, waiter)) {
                    return;
                }
            }
        }
    }

    /** Calls the first that waits for a permit and is not called; and those before it that only wait for a key. */
    private void callFirstForPermit(@Nullable Thread giver) {
        Set<Integer> full = new HashSet<>();
        for (Waiter waiter : waiters) {
            boolean mayTry = Collections.disjoint(full, waiter.wanted);
            if (waiter.needsPermit && !waiter.called && waiter.thread != giver) {
                call(waiter);
                if (mayTry) {
                    return;
                }
            }
            if (mayTry && !waiter.needsPermit) {
                full.addAll(waiter.full);
            }
        }
    }

    /** Whether an earlier one has a better claim to another one of its keys. */
    private boolean isKeptFromOtherThan(Integer key, Waiter waiter) {
        Set<Integer> full = new HashSet<>();
        for (Waiter earlier : waiters) {
            if (earlier == waiter) {
                full.remove(key);
                return !Collections.disjoint(full, waiter.wanted);
            }
            if (Collections.disjoint(full, earlier.wanted)) {
                full.addAll(earlier.full);
            }
        }
        return false;
    }

    // those who make room

    /** Lets all try: everything may be different. */
    void call() {
        if (size == 0) {
            return;
        }
        lock.lock();
        try {
            waiters.forEach(this::call);
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets one try for each of these keys, in which there is room for one more, and one that waits for a permit.
     *
     * @param givesPermit whether there is a permit, too
     */
    void callFor(Set<Integer> keyHashes, boolean givesPermit) {
        if (size == 0) {
            return;
        }
        lock.lock();
        try {
            keyHashes.forEach(this::callFirst);
            if (givesPermit) {
                callFirstForPermit(null);
            }
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets another one try that waits for a permit: one is back that was taken in vain. To call also those who wait for
     * a full stripe would keep them trying in turn, each in vain.
     */
    void callForPermit() {
        if (size == 0) {
            return;
        }
        lock.lock();
        try {
            callFirstForPermit(Thread.currentThread());
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes those that are called and before whom nobody has a better claim. Called under {@link #lock}. */
    private void signalFirst() {
        Set<Integer> full = new HashSet<>();
        int left = called;
        for (Waiter waiter : waiters) {
            if (left == 0) {
                return;
            }
            left -= waiter.called ? 1 : 0;
            if (Collections.disjoint(full, waiter.wanted)) {
                if (waiter.called) {
                    waiter.turn.signal();
                }
                if (waiter.needsPermit) {
                    return;
                }
                full.addAll(waiter.full);
            }
        }
    }

    /** Whether nobody has a better claim. Called under {@link #lock}. */
    private boolean isFirst(Waiter waiter) {
        Set<Integer> full = new HashSet<>();
        for (Waiter earlier : waiters) {
            boolean isFirst = Collections.disjoint(full, earlier.wanted);
            if (earlier == waiter) {
                return isFirst;
            }
            if (isFirst) {
                if (earlier.needsPermit) {
                    // whatever key it finds full then, nobody else gets a permit before
                    return false;
                }
                full.addAll(earlier.full);
            }
        }
        throw new AssertionError("one who does not wait asks for its turn");
    }
}
