package io.orderedexecutor.engine.executor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.engine.pool.Platform;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submitters that wait for room, in the order in which they came. A waiter that is called makes an attempt, unless an
 * earlier one has a better claim: it waits for a key that this one wants too, or for a permit of the whole executor. A
 * waiter whose attempt fails keeps its place.
 *
 * <p>Room in a key calls the first waiter for that key, and a permit calls the first waiter for a permit; the others
 * sleep on. A waiter that was called and cannot use the room, or leaves without it, passes the call on.
 *
 * <p>The lock is held for a walk along the waiters at most, never during an attempt. A thread that submits or makes
 * room reads one field if there are no waiters. If there are, it looks up its keys: with other keys, it has nothing to
 * do with those who wait, however many they are.
 */
final class WaitingRoom {

    private final Platform platform;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<Waiter> waiters = new ArrayList<>();

    /** Used under {@link #lock}, but for the question whether a key is waited for. */
    private final WaitersByKey byKey = new WaitersByKey();

    /** How many waiters have ever come. */
    @GuardedBy("lock")
    private long entered;

    /** How many of {@link #waiters} are called. */
    @GuardedBy("lock")
    private int called;

    /** The number of {@link #waiters}. Written under {@link #lock}, read without it by those who come or make room. */
    private volatile int size;

    /** How many of them need a permit. Written and read as {@link #size} is. */
    private volatile int permitWaiters;

    WaitingRoom(Platform platform) {
        this.platform = platform;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /**
     * Whether a waiter may wait for one of these keys, or for a permit. Takes no lock: a waiter is listed before it
     * makes an attempt, so a thread that has made room before it asks finds it here, or the attempt finds the room.
     */
    boolean isWaitedFor(Set<Integer> keyHashes, boolean orPermit) {
        if (orPermit && permitWaiters > 0) {
            return true;
        }
        for (Integer key : keyHashes) {
            if (byKey.isWaitedFor(key)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Waits until an attempt succeeds. The first one is made as soon as no other waiter has a better claim.
     *
     * @param keyHashes of the keys that the submission wants
     * @param attempt returns null if it has succeeded, or where there is no room; what it throws ends the wait
     * @return false if the time was over before
     */
    boolean await(Set<Integer> keyHashes, long nanos, Supplier<@Nullable NoRoom> attempt) throws InterruptedException {
        long start = platform.nanoTime();
        boolean admitted = false;
        Waiter waiter = new Waiter(keyHashes, platform.newCondition(lock));
        try {
            enter(waiter);
            while (awaitTurn(waiter, nanos - (platform.nanoTime() - start))) {
                NoRoom noRoom = attempt.get();
                if (noRoom == null) {
                    admitted = true;
                    return true;
                }
                stay(waiter, noRoom);
            }
            return false;
        } finally {
            leave(waiter, admitted);
        }
    }

    /** May fail in any line, as memory may run out: {@link #leave} removes what is left. */
    private void enter(Waiter waiter) {
        lock.lock();
        try {
            boolean mayTry = true;
            Set<Integer> knownFull = new HashSet<>();
            Set<Integer> full = new HashSet<>();
            for (Waiter earlier : waiters) {
                if (!Collections.disjoint(full, earlier.wanted)) {
                    continue; // it waits for an earlier one, so this one need not wait for it
                }
                full.addAll(earlier.full);
                // behind a waiter for a permit, this one waits for a permit, too
                setNeedsPermit(waiter, waiter.needsPermit || earlier.needsPermit);
                if (earlier.knowsThatItIsFull()) {
                    mayTry &= !earlier.needsPermit;
                    earlier.full.stream().filter(waiter.wanted::contains).forEach(knownFull::add);
                }
            }
            if (!waiter.needsPermit && !knownFull.isEmpty()) {
                // an earlier one has found these keys full: an attempt would fail
                mayTry = false;
                waiter.full = knownFull;
            }
            waiter.number = ++entered;
            waiters.add(waiter);
            size = waiters.size();
            byKey.add(waiter);
            if (mayTry) {
                call(waiter);
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock only
    private void setNeedsPermit(Waiter waiter, boolean needsPermit) {
        if (waiter.needsPermit != needsPermit) {
            waiter.needsPermit = needsPermit;
            permitWaiters += needsPermit ? 1 : -1;
        }
    }

    @GuardedBy("lock")
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
            // before the attempt: room that is made from now on, in any key that it wants, calls it again
            waiter.called = false;
            called--;
            waiter.trying = true;
            byKey.change(waiter, waiter.wanted);
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void stay(Waiter waiter, NoRoom noRoom) {
        platform.lock(lock);
        try {
            boolean needsPermit = noRoom.isInExecutor();
            Set<Integer> before = waiter.full;
            boolean neededPermit = waiter.needsPermit;
            // later waiters for other keys need not wait for this one
            byKey.change(waiter, needsPermit ? waiter.wanted : Set.of(noRoom.keyHash()));
            waiter.trying = false;
            setNeedsPermit(waiter, needsPermit);
            // a permit that was given back during the attempt has not called it
            if (needsPermit && !neededPermit) {
                call(waiter);
            }
            // others may use the room that it was called for
            for (Integer key : before) {
                if (!waiter.full.contains(key)) {
                    callFirst(key);
                }
            }
            if (neededPermit && !needsPermit) {
                // permits may have called waiters that now wait behind this one: others may use them
                for (Waiter other : waiters) {
                    if (other.needsPermit) {
                        call(other);
                    }
                }
            }
            // this one may need no permit any more, or only one key: others may have the best claims now
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    private void leave(Waiter waiter, boolean admitted) {
        platform.lock(lock);
        try {
            boolean neededPermit = waiter.needsPermit;
            setNeedsPermit(waiter, false);
            waiters.remove(waiter);
            size = waiters.size();
            byKey.remove(waiter);
            called -= waiter.called ? 1 : 0;
            if (waiter.called || !admitted) {
                // others may use the room that it leaves
                for (Integer key : waiter.full) {
                    callFirst(key);
                }
                if (neededPermit) {
                    callFirstForPermit(waiter.thread);
                }
            }
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    // under the lock

    /**
     * Calls the first waiter for a key that is not called yet. If an earlier waiter keeps it from another key, it
     * cannot use the room yet, so the next one is called as well.
     */
    @GuardedBy("lock")
    private void callFirst(Integer key) {
        Iterator<Waiter> listed = byKey.of(key).iterator();
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

    /**
     * Calls the waiters for a permit that are not called yet, up to the first before which none has a better claim: the
     * others cannot use the permit yet.
     */
    @GuardedBy("lock")
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

    /** Whether an earlier waiter has a better claim to another one of its keys. */
    @GuardedBy("lock")
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

    // threads that make room

    /** Calls all waiters: any of them may have room now. */
    void call() {
        if (size == 0) {
            return;
        }
        platform.lock(lock);
        try {
            for (Waiter waiter : waiters) {
                call(waiter);
            }
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Calls a waiter for each of these keys, in which there is room for one more, and a waiter for a permit.
     *
     * @param givesPermit whether there is a permit, too
     */
    void callFor(Set<Integer> keyHashes, boolean givesPermit) {
        if (!isWaitedFor(keyHashes, givesPermit)) {
            return;
        }
        platform.lock(lock);
        try {
            for (Integer key : keyHashes) {
                callFirst(key);
            }
            if (givesPermit) {
                callFirstForPermit(null);
            }
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Calls another waiter for a permit: one was given back unused. Waiters for a full stripe are not called, or they
     * would keep trying in turn, each in vain.
     */
    void callForPermit() {
        if (permitWaiters == 0) {
            return;
        }
        platform.lock(lock);
        try {
            callFirstForPermit(Thread.currentThread());
            signalFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the called waiters before which no other has a better claim. */
    @GuardedBy("lock")
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

    /** Whether no earlier waiter has a better claim. */
    @GuardedBy("lock")
    private boolean isFirst(Waiter waiter) {
        Set<Integer> full = new HashSet<>();
        for (Waiter earlier : waiters) {
            boolean isFirst = Collections.disjoint(full, earlier.wanted);
            if (earlier == waiter) {
                return isFirst;
            }
            if (isFirst) {
                if (earlier.needsPermit) {
                    // it gets the next permit, whatever key it finds full then
                    return false;
                }
                full.addAll(earlier.full);
            }
        }
        throw new AssertionError("asked for one that does not wait");
    }
}
