package io.orderedexecutor.engine.output;

import io.orderedexecutor.OutputFailure;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the results of an output to its consumer, one at a time, and does what its {@link OutputFailure} says if there
 * is none.
 *
 * @param consumer gets the results
 * @param onFailure what to do when a task or the consumer fails
 * @param <T> the type of the results
 */
record ResultWriter<T extends @Nullable Object>(Consumer<? super T> consumer, OutputFailure<T> onFailure) {

    /** Whether a failure stops the output. */
    boolean stopsOnFailure() {
        return onFailure instanceof OutputFailure.Stop<T>;
    }

    /** Writes a result, which may be null if {@code T} says so; returns what the consumer has thrown. */
    @SuppressWarnings("NullAway")
    @Nullable
    Throwable write(@Nullable T result) {
        try {
            consumer.accept(result);
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }

    boolean replacesFailures() {
        return onFailure instanceof OutputFailure.Replace<T>;
    }

    /** What to write in the place of a task that has failed; what it throws is thrown. */
    @Nullable
    T replacementFor(Throwable failure) {
        return ((OutputFailure.Replace<T>) onFailure).replacement().apply(failure);
    }

    /** Reports a failure in the turn of the task, if the application wants to know. */
    void report(Throwable failure) {
        if (onFailure instanceof OutputFailure.Skip<T> skip) {
            try {
                skip.report().accept(failure);
            } catch (Throwable ofReport) {
                UncaughtFailures.report(ofReport);
            }
        }
    }
}
