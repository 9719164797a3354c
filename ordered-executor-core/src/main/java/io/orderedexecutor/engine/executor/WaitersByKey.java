package io.orderedexecutor.engine.executor;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * For each key, the waiters in whose {@link Waiter#full} it is, in the order in which they came.
 *
 * <p>All calls are made under the lock of the {@link WaitingRoom}, except {@link #isWaitedFor}.
 */
final class WaitersByKey {
    /** Its values are used under the lock only; there is one for each key that is waited for. */
    private final Map<Integer, Set<Waiter>> waiters = new ConcurrentHashMap<>();

    /** Whether there is a waiter for a key. Called by any thread, with or without the lock. */
    boolean isWaitedFor(Integer key) {
        return waiters.containsKey(key);
    }

    /** The waiters for a key; empty if there are none. */
    Set<Waiter> of(Integer key) {
        return waiters.getOrDefault(key, Set.of());
    }

    void add(Waiter waiter) {
        waiter.full.forEach(key -> add(key, waiter));
    }

    void remove(Waiter waiter) {
        waiter.full.forEach(key -> remove(key, waiter));
    }

    /** Changes the keys that a waiter waits for; at no moment does it not wait for one that it keeps. */
    void change(Waiter waiter, Set<Integer> full) {
        Set<Integer> before = waiter.full;
        full.forEach(key -> add(key, waiter));
        waiter.full = full;
        for (Integer key : before) {
            if (!full.contains(key)) {
                remove(key, waiter);
            }
        }
    }

    private void add(Integer key, Waiter waiter) {
        waiters.computeIfAbsent(key, unknown -> new TreeSet<>(Comparator.comparingLong(one -> one.number)))
                .add(waiter);
    }

    private void remove(Integer key, Waiter waiter) {
        Set<Waiter> others = waiters.get(key);
        if (others != null) {
            others.remove(waiter);
            if (others.isEmpty()) {
                waiters.remove(key);
            }
        }
    }
}
