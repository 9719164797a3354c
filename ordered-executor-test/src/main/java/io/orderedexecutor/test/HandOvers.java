package io.orderedexecutor.test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the tasks that were handed over to given executors and that no thread of the simulation has run yet. Used only
 * by the thread that has the baton.
 */
final class HandOvers {
    private final Map<String, Integer> open = new TreeMap<>();

    void handedOver(String executor) {
        open.merge(executor, 1, Integer::sum);
    }

    void ranHere(String executor) {
        open.merge(executor, -1, Integer::sum);
    }

    /**
     * Returns the names of the executors with tasks that were handed over and that no thread of the simulation has run.
     */
    List<String> executors() {
        return open.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(Map.Entry::getKey)
                .toList();
    }
}
