package io.orderedexecutor.kafka;

import org.jspecify.annotations.Nullable;

/**
 * Something that is wrong with an ordered listener: what it is, and what to change. Thrown before the listener has
 * received anything.
 */
public final class InvalidOrderedListenerException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String fix;

    /**
     * Creates an exception.
     *
     * @param problem what is wrong, with the listener, as a sentence without its full stop
     * @param fix what to change, as a sentence
     */
    public InvalidOrderedListenerException(String problem, String fix) {
        this(problem, fix, null);
    }

    /**
     * Creates an exception.
     *
     * @param problem what is wrong, with the listener, as a sentence without its full stop
     * @param fix what to change, as a sentence
     * @param cause what it came from, or null
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
