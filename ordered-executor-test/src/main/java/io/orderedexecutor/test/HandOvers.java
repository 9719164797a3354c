package io.orderedexecutor.test;

import java.util.IdentityHashMap;
import java.util.List;

/**
 * Notes the work that was handed over to given executors and that no thread of the simulation has run yet. Used only by
 * the thread that has the baton.
 */
final class HandOvers {

    /** The names of the ordered executors that have handed work over, by the work. */
    private final IdentityHashMap<Runnable, String> open = new IdentityHashMap<>();

    void handedOver(String executor, Runnable work) {
        open.put(work, executor);
    }

    /** Called when a thread of the simulation runs the work, or when the given executor has refused it. */
    void forget(Runnable work) {
        open.remove(work);
    }

    /** Returns, for a message, a sentence for each executor whose work no thread of the simulation has run. */
    List<String> hints() {
        return open.values().stream().distinct().sorted().map(HandOvers::hint).toList();
    }

    private static String hint(String executor) {
        return "no thread of the simulation has run work that executor '" + executor + "' has handed over: the executor"
                + " that it was built with has threads of its own, drops work, or keeps it behind work that waits. Give"
                + " '" + executor + "' threads(n) in this test, or simulation.executor()";
    }
}
