package io.orderedexecutor.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a listener has seen, by row, in order. Thread-safe. */
final class Journal {
    private final Map<Integer, List<Integer>> versions = new TreeMap<>();

    synchronized void add(Changed event) {
        versions.computeIfAbsent(event.row(), row -> new ArrayList<>()).add(event.version());
    }

    synchronized List<Integer> of(int row) {
        return List.copyOf(versions.getOrDefault(row, List.of()));
    }

    synchronized int size() {
        return versions.values().stream().mapToInt(List::size).sum();
    }
}
