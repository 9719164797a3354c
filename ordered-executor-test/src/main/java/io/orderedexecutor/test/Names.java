package io.orderedexecutor.test;

import java.util.HashMap;
import java.util.Map;

/** Names of threads, the same in each run that takes the same course. Used by the thread that has the baton only. */
final class Names {
    private final Map<String, Integer> counts = new HashMap<>();

    /** Returns the name, with a number if another thread of this run got it before. */
    String unique(String name) {
        int count = counts.merge(name, 1, Integer::sum);
        return count == 1 ? name : name + "-" + count;
    }

    /** Returns the name with a number, also for the first thread. */
    String numbered(String name) {
        return name + "-" + counts.merge(name + "-", 1, Integer::sum);
    }
}
