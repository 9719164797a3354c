package io.orderedexecutor.kafka;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the declaration or the configuration of an ordered listener is wrong. The exception says what is wrong, and
 * what to change. It is thrown before the listener has received anything.
 */
public final class InvalidOrderedListenerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String fix;

    /**
     * Creates an exception.
     *
     * @param problem a sentence, without its full stop, that names the listener and the mistake
     * @param fix a sentence on what to change
     */
    public InvalidOrderedListenerException(String problem, String fix) {
        this(problem, fix, null);
    }

    /**
     * Creates an exception.
     *
     * @param problem a sentence, without its full stop, that names the listener and the mistake
     * @param fix a sentence on what to change
     * @param cause the cause, or null
     */
    public InvalidOrderedListenerException(String problem, String fix, @Nullable Throwable cause) {
        super(problem + ". " + fix, cause);
        this.problem = problem;
        this.fix = fix;
    }

    /**
     * Returns what is wrong.
     *
     * @return a sentence without its full stop
     */
    public String problem() {
        return problem;
    }

    /**
     * Returns what to change.
     *
     * @return a sentence
     */
    public String fix() {
        return fix;
    }
}
