package io.orderedexecutor.engine.task;

/** Looks into wrappers of failures. Their {@code getCause} may be code of the application, so it may throw. */
public final class Causes {
    private Causes() {}

    /** The cause of a wrapper; the wrapper itself if it has none, or {@code getCause} throws. */
    public static Throwable unwrapped(Throwable wrapper) {
        Throwable cause;
        try {
            cause = wrapper.getCause();
        } catch (Throwable thrown) {
            return wrapper;
        }
        return cause == null ? wrapper : cause;
    }
}
