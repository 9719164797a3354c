package io.orderedexecutor.engine.striped;

/**
 * A submission that is placed in a way of its own. It passes the engine's admission in place of its stripe, since it is
 * decided where the task is placed what comes of it. Used by the submitting thread.
 */
abstract class Arrival {
    private final Object stripe;

    Arrival(Object stripe) {
        this.stripe = stripe;
    }

    final Object stripe() {
        return stripe;
    }
}
