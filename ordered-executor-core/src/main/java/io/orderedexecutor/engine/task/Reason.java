package io.orderedexecutor.engine.task;

import io.orderedexecutor.stats.Explanation.Cause;
import org.jspecify.annotations.Nullable;

/**
 * Why something waits.
 *
 * @param cause what is told of it; null if the next one says it all
 * @param next what the cause itself waits for, if it does: a place, a thread, a {@link TaskFuture}, or another
 *     {@link HeldUp}; null if the way ends here
 */
public record Reason(@Nullable Cause cause, @Nullable Object next) {
    /** Nothing holds it up, or it has gone on meanwhile. */
    public static final Reason NONE = new Reason(null, null);
}
