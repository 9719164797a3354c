package io.orderedexecutor.sample.events;

import java.util.List;

/** An event in the input that cannot be accepted, while those after it can be read. */
final class InvalidEventException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<LineError> errors;

    InvalidEventException(List<LineError> errors) {
        super(errors.toString());
        this.errors = List.copyOf(errors);
    }

    /** What is wrong with the event: at least one error. */
    List<LineError> errors() {
        return errors;
    }
}
