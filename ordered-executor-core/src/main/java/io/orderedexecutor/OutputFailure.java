package io.orderedexecutor;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Determines what an {@link OrderedOutput} does when the work of a piece fails for good, or when its output fails,
 * which is never retried. The decision is made in the turn of that piece: earlier pieces are written, and later pieces
 * are not written yet. The future of a piece that has failed fails, too, unless the piece is {@linkplain #replace
 * replaced}. Immutable.
 *
 * @param <T> the type of the results
 */
public sealed interface OutputFailure<T extends @Nullable Object> {

    /**
     * Leaves the piece out, and goes on with the next piece: the default. Only its future,
     * {@link OrderedOutput#failure()} and a {@link TaskListener} show the failure.
     *
     * @param <T> the type of the results
     * @return a policy that leaves the piece out
     */
    static <T extends @Nullable Object> OutputFailure<T> fail() {
        return new Omit<>(failure -> {});
    }

    /**
     * Leaves the piece out, reports the failure, and goes on with the next piece.
     *
     * @param report gets the exception of the work (of a stage, without its
     *     {@link java.util.concurrent.CompletionException}) or of the output, but not which of the two it is; called in
     *     the turn of the piece, in place of the output or after it. Its own exceptions go to the uncaught exception
     *     handler of the thread
     * @param <T> the type of the results
     * @return a policy that reports the failure and leaves the piece out
     * @throws NullPointerException if {@code report} is null
     */
    static <T extends @Nullable Object> OutputFailure<T> omit(Consumer<? super Throwable> report) {
        return new Omit<>(report);
    }

    /**
     * Stops the output, as {@link OrderedOutput#stop()} does: cancels the pieces that follow, whether or not they are
     * finished, and accepts no more. Unlike {@link OrderedOutput#close()}, it does not let them finish. The future of
     * the piece has the failure, and a later submission gets a {@link java.util.concurrent.RejectedExecutionException}
     * with the failure as its cause.
     *
     * @param <T> the type of the results
     * @return a policy that closes the output
     */
    static <T extends @Nullable Object> OutputFailure<T> close() {
        return new Close<>();
    }

    /**
     * Writes a replacement in place of the piece. Its future then completes with the replacement. If the output has
     * failed, and not the work, the piece is left out: part of it may have been written.
     *
     * @param replacement returns the replacement for a failure of the work; called in the turn of the piece. If it
     *     throws, the piece is left out, and its future fails with that exception
     * @param <T> the type of the results
     * @return a policy that writes the replacement
     * @throws NullPointerException if {@code replacement} is null
     */
    static <T extends @Nullable Object> OutputFailure<T> replace(Function<? super Throwable, ? extends T> replacement) {
        return new Replace<>(replacement);
    }

    /**
     * See {@link OutputFailure#omit}.
     *
     * @param report gets the failure
     * @param <T> the type of the results
     */
    record Omit<T extends @Nullable Object>(Consumer<? super Throwable> report) implements OutputFailure<T> {
        /**
         * Checks the report.
         *
         * @param report gets the failure; not null
         * @throws NullPointerException if {@code report} is null
         */
        public Omit {
            Objects.requireNonNull(report, "report");
        }
    }

    /**
     * See {@link OutputFailure#close()}.
     *
     * @param <T> the type of the results
     */
    record Close<T extends @Nullable Object>() implements OutputFailure<T> {}

    /**
     * See {@link OutputFailure#replace}.
     *
     * @param replacement returns the replacement for a failure of the work
     * @param <T> the type of the results
     */
    record Replace<T extends @Nullable Object>(Function<? super Throwable, ? extends T> replacement)
            implements OutputFailure<T> {
        /**
         * Checks the replacement.
         *
         * @param replacement returns the replacement for a failure of the work; not null
         * @throws NullPointerException if {@code replacement} is null
         */
        public Replace {
            Objects.requireNonNull(replacement, "replacement");
        }
    }
}
