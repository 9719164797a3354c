package io.orderedexecutor.engine.ticket;

import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * That a sequencer is stopped, and why.
 *
 * @param failure what an output has thrown; null if the stop was asked for
 */
record Stop(@Nullable Throwable failure) {

    /** Refuses something; {@code what} says that it does not happen. */
    RejectedExecutionException refusal(String what) {
        return new RejectedExecutionException(what + ": " + reason(), failure);
    }

    String reason() {
        return failure == null ? "the sequence was stopped" : "the sequence was stopped by a failure";
    }
}
