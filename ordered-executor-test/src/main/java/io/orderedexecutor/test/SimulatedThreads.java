package io.orderedexecutor.test;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The threads of a simulation, in the order of their start. Used only by the thread that has the baton. */
final class SimulatedThreads {
    private final List<SimulatedThread> started = new ArrayList<>();
    private final IdentityHashMap<Thread, SimulatedThread> byThread = new IdentityHashMap<>();

    /** Registers a thread that will be started later. */
    void made(SimulatedThread made) {
        byThread.put(made.thread(), made);
    }

    void started(SimulatedThread thread) {
        made(thread);
        started.add(thread);
    }

    void ended(SimulatedThread thread) {
        started.remove(thread);
        byThread.remove(thread.thread());
    }

    @Nullable
    SimulatedThread find(Thread thread) {
        return byThread.get(thread);
    }

    boolean areNone() {
        return started.isEmpty();
    }

    boolean isOne() {
        return started.size() == 1;
    }

    /**
     * Returns the threads that fulfil a condition. The condition may call code of the application, which may start
     * threads.
     */
    List<SimulatedThread> which(Predicate<SimulatedThread> condition) {
        return List.copyOf(started).stream().filter(condition).toList();
    }

    /** Returns the threads that wait in this way. */
    List<SimulatedThread> waitingUntil(SimulatedThread.Until until) {
        return which(thread -> thread.state == SimulatedThread.State.WAITING && thread.until == until);
    }

    /** Returns the threads that wait for a condition or a deadline, except workers without work. */
    List<SimulatedThread> waitingForSomething() {
        return waitingUntil(SimulatedThread.Until.AWAITED).stream()
                .filter(thread -> !thread.resting)
                .toList();
    }

    /**
     * Describes a thread other than the current one that is not a worker without work; returns null if there is none.
     */
    @Nullable
    String findActive(SimulatedThread me) {
        for (SimulatedThread thread : started) {
            if (thread != me && !thread.resting) {
                return "Thread '" + thread.name + "' is not idle: it "
                        + (thread.state == SimulatedThread.State.RUNNABLE
                                ? "can go on"
                                : "waits for " + thread.awaitedName);
            }
        }
        return null;
    }
}
