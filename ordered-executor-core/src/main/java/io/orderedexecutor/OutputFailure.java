package io.orderedexecutor;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link OrderedOutput} does when a piece of its work fails for good, or its output does, which is never
 * retried. This is decided in the turn of that piece: what was submitted before it is written, and what was submitted
 * after it is not. The future of a piece that has failed fails, too. Immutable.
 *
 * @param <T> the type of the results
 */
public sealed interface OutputFailure<T extends @Nullable Object> {

    /**
     * The default: leave the piece out, and go on with the next. Only its future, {@link OrderedOutput#failure()} and a
     * {@link TaskListener} tell of the failure.
     *
     * @param <T> the type of the results
     * @return only lets the future fail
     */
    static <T extends @Nullable Object> OutputFailure<T> fail() {
        return new Omit<>(failure -> {});
    }

    /**
     * Leave the piece out, tell of it, and go on with the next.
     *
     * @param report gets the failure in the turn of the piece, as the output would have got the result; what it throws
     *     itself goes to the uncaught exception handler of the thread
     * @param <T> the type of the results
     * @return leaves it out
     */
    static <T extends @Nullable Object> OutputFailure<T> omit(Consumer<? super Throwable> report) {
        return new Omit<>(Objects.requireNonNull(report, "report"));
    }

    /**
     * Close the output: cancel the pieces that follow, whether or not they are finished, and accept no more. The future
     * of the piece has the failure, and a later submission gets a
     * {@link java.util.concurrent.RejectedExecutionException} with the failure as its cause.
     *
     * @param <T> the type of the results
     * @return closes the output
     */
    static <T extends @Nullable Object> OutputFailure<T> close() {
        return new Close<>();
    }

    /**
     * Write something else in the place of the piece. Its future then has that result. If the output has failed, and
     * not the work, the piece is left out: part of it may have been written.
     *
     * @param replacement makes what to write of the failure of the work; called in the turn of the piece. If it throws,
     *     the piece is left out, and its future fails with that
     * @param <T> the type of the results
     * @return writes the replacement
     */
    static <T extends @Nullable Object> OutputFailure<T> replace(Function<? super Throwable, ? extends T> replacement) {
        return new Replace<>(Objects.requireNonNull(replacement, "replacement"));
    }

    /**
     * See {@link OutputFailure#omit}.
     *
     * @param report gets the failure
     * @param <T> the type of the results
     */
    record Omit<T extends @Nullable Object>(Consumer<? super Throwable> report) implements OutputFailure<T> {}

    /**
     * See {@link OutputFailure#close()}.
     *
     * @param <T> the type of the results
     */
    record Close<T extends @Nullable Object>() implements OutputFailure<T> {}

    /**
     * See {@link OutputFailure#replace}.
     *
     * @param replacement makes what to write of the failure of the work
     * @param <T> the type of the results
     */
    record Replace<T extends @Nullable Object>(Function<? super Throwable, ? extends T> replacement)
            implements OutputFailure<T> {}
}
