package io.orderedexecutor.test;

import java.util.List;

/** Thrown when threads wait for something that can never happen. */
final class Stuck extends AssertionError {
    private static final long serialVersionUID = 1;

    private Stuck(String message) {
        super(message);
    }

    static Stuck of(List<SimulatedThread> threads, HandOvers handOvers) {
        StringBuilder message = new StringBuilder("Nothing can happen any more, but threads wait:");
        for (SimulatedThread thread : threads) {
            if (thread.state == SimulatedThread.State.WAITING && !thread.resting) {
                message.append(" '")
                        .append(thread.name)
                        .append("' for ")
                        .append(thread.awaitedName)
                        .append(';');
            }
        }
        if (threads.stream().anyMatch(thread -> thread.awaitedName.equals("a future"))) {
            message.append(" if a thread outside of the simulation completes that future, use simulation.stage(...) or")
                    .append(" simulation.executor() instead;");
        }
        handOvers.hints().forEach(hint -> message.append(' ').append(hint).append(';'));
        message.setLength(message.length() - 1); // without the last semicolon
        Stuck stuck = new Stuck(message.toString());
        for (SimulatedThread thread : threads) {
            if (thread.state == SimulatedThread.State.WAITING && !thread.resting) {
                stuck.addSuppressed(stackOf(thread));
            }
        }
        return stuck;
    }

    static Throwable stackOf(SimulatedThread thread) {
        Throwable stack = new Throwable("Stack of thread '" + thread.name + "'");
        stack.setStackTrace(thread.thread().getStackTrace());
        return stack;
    }
}
