package io.orderedexecutor.engine.output;

import io.orderedexecutor.engine.pool.Platform;

/**
 * When the pieces of an executor were accepted. A look at the clock is a quarter of what a submission costs, so it is
 * taken only for those who want to know: a listener, or whoever has asked for an age before. The first piece of an
 * output that has none is always timed, so the first to ask learns at least how long that output has been busy.
 */
final class PieceAges {
    /** Of a piece that was not timed. */
    static final long UNKNOWN = 0;

    private final Platform platform;
    private final boolean isListening;

    /** Set once, by the first who asks. */
    private volatile boolean asked;

    PieceAges(Platform platform, boolean isListening) {
        this.platform = platform;
        this.isListening = isListening;
    }

    /** The time to note for a piece that is accepted now. */
    long now(boolean isFirst) {
        return isFirst || isListening || asked ? platform.nanoTime() : UNKNOWN;
    }

    /** How long ago a time was, and from now on pieces are timed. */
    long since(long time) {
        if (!asked) {
            asked = true;
        }
        return platform.nanoTime() - time;
    }
}
