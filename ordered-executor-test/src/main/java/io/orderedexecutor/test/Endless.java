package io.orderedexecutor.test;

/**
 * Thrown when a simulation does not end. It is not shrunk: a shorter schedule would show no more, and each run takes
 * long.
 */
final class Endless extends AssertionError {
    private static final long serialVersionUID = 1;

    Endless(int steps, int waits) {
        super("The simulation does not end: its threads have taken " + steps + " steps, and waited " + waits
                + " times. A task submits itself again, retries without end, or a timer does");
    }
}
