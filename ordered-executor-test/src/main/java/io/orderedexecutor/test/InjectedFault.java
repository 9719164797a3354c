package io.orderedexecutor.test;

/**
 * The exception that a task throws because the test has asked for {@link Fault#EXCEPTION}. It does not fail the test by
 * itself.
 */
public final class InjectedFault extends RuntimeException {
    private static final long serialVersionUID = 1;

    InjectedFault(String where) {
        super("injected by the simulation " + where);
    }
}
