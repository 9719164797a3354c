package io.orderedexecutor.engine.executor;

import java.io.Serial;

/** Thrown where a task would be placed, if it is not to be accepted and yet not rejected. Never leaves the engine. */
public final class Skipped extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    public Skipped() {
        super(null, null, false, false);
    }
}
