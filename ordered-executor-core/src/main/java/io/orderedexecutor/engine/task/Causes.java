package io.orderedexecutor.engine.task;

import java.util.concurrent.CompletionException;

/** Looks into the wrappers of failures. Their {@code getCause} may be code of the application, so it may throw. */
public final class Causes {
    private Causes() {}

    /** The cause of a {@link CompletionException}; the failure itself if it is another one, or has no known cause. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause;
        try {
            cause = failure instanceof CompletionException ? failure.getCause() : null;
        } catch (Throwable thrown) {
            return failure;
        }
        return cause == null ? failure : cause;
    }
}
