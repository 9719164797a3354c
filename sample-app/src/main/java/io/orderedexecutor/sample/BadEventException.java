package io.orderedexecutor.sample;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A line of input that is no event. */
final class BadEventException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<LineError> errors;

    BadEventException(List<LineError> errors) {
        super(errors.toString());
        this.errors = List.copyOf(errors);
    }

    BadEventException(@Nullable Long line, @Nullable String field, String reason) {
        this(List.of(new LineError(line, field, reason)));
    }

    List<LineError> errors() {
        return errors;
    }
}
