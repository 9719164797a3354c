package io.orderedexecutor.kafka;

/** A failure of an application whose message cannot be told. */
final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
        throw new IllegalArgumentException("no message");
    }
}
