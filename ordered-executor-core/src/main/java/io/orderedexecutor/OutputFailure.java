package io.orderedexecutor;

import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of an {@link OrderedOutput} when a piece of its work fails for good, or its output does. It is decided
 * in the turn of that piece: what was submitted before it is written, and what was submitted after it is not. The
 * future of a piece that has failed fails, too. Immutable.
 *
 * @param <T> the type of the results
 */
public abstract sealed class OutputFailure<T extends @Nullable Object> {

    private OutputFailure() {}

    /**
     * The default: leave the piece out, and go on with the next. Only its future, and a {@link TaskListener}, tell of
     * the failure.
     *
     * @param <T> the type of the results
     * @return leaves it out
     */
    public static <T extends @Nullable Object> OutputFailure<T> skip() {
        return new Skip<>(failure -> {});
    }

    /**
     * Leave the piece out, tell of it, and go on with the next.
     *
     * @param report gets the failure in the turn of the piece, as the output would have got the result; what it throws
     *     itself goes to the uncaught exception handler of the thread
     * @param <T> the type of the results
     * @return leaves it out
     */
    public static <T extends @Nullable Object> OutputFailure<T> skip(Consumer<? super Throwable> report) {
        return new Skip<>(Objects.requireNonNull(report, "report"));
    }

    /**
     * Stop: cancel the pieces that follow, whether or not they are finished, and accept no more.
     *
     * @param <T> the type of the results
     * @return stops
     */
    public static <T extends @Nullable Object> OutputFailure<T> stop() {
        return new Stop<>();
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
    public static <T extends @Nullable Object> OutputFailure<T> replace(
            Function<? super Throwable, ? extends T> replacement) {
        return new Replace<>(Objects.requireNonNull(replacement, "replacement"));
    }

    static final class Skip<T extends @Nullable Object> extends OutputFailure<T> {
        private final Consumer<? super Throwable> report;

        private Skip(Consumer<? super Throwable> report) {
            this.report = report;
        }

        void report(Throwable failure) {
            try {
                report.accept(failure);
            } catch (Throwable ofReport) {
                UncaughtFailures.report(ofReport);
            }
        }
    }

    static final class Stop<T extends @Nullable Object> extends OutputFailure<T> {}

    static final class Replace<T extends @Nullable Object> extends OutputFailure<T> {
        private final Function<? super Throwable, ? extends T> replacement;

        private Replace(Function<? super Throwable, ? extends T> replacement) {
            this.replacement = replacement;
        }

        T replacementFor(Throwable failure) {
            return replacement.apply(failure);
        }
    }
}
