package io.orderedexecutor.engine.executor;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * For each key, the waiters in whose {@link Waiter#full} it is, in the order in which they came.
 *
 * <p>Not thread-safe: all calls are made under the lock of the {@link WaitingRoom}.
 */
final class WaitersByKey {
    private final Map<Integer, Set<Waiter>> waiters = new HashMap<>();

    /** The waiters for a key; empty if there are none. */
    Set<Waiter> of(Integer key) {
        return waiters.getOrDefault(key, Set.of());
    }

    void add(Waiter waiter) {
        for (Integer key : waiter.full) {
            waiters.computeIfAbsent(key, unknown -> new TreeSet<>(Comparator.comparingLong(one -> one.number)))
                    .add(waiter);
        }
    }

    void remove(Waiter waiter) {
        for (Integer key : waiter.full) {
            Set<Waiter> others = waiters.get(key);
            if (others != null) {
                others.remove(waiter);
                if (others.isEmpty()) {
                    waiters.remove(key);
                }
            }
        }
    }
}
