package io.orderedexecutor.test;

import java.util.HashMap;
import java.util.Map;

/**
 * Creates names of threads or executors, which are equal in all runs that take the same course. Used only by the thread
 * that has the baton.
 */
final class Names {
    private final Map<String, Integer> counts = new HashMap<>();

    /** Returns the name, with a number if this run has given it away before. */
    String unique(String name) {
        int count = counts.merge(name, 1, Integer::sum);
        return count == 1 ? name : unique(name + "-" + count);
    }

    /** Returns the name with a number, even the first time. */
    String numbered(String name) {
        return name + "-" + counts.merge(name + "-", 1, Integer::sum);
    }
}
