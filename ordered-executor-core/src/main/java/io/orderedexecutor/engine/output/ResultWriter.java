package io.orderedexecutor.engine.output;

import io.orderedexecutor.OutputFailure;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.task.TaskEvents;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the results of an output to its consumer, one at a time, and does what its {@link OutputFailure} says if there
 * is none. Called by the server of the output.
 *
 * @param host what the pieces report to
 * @param server what serves the output
 * @param output what is written
 * @param consumer gets the results
 * @param onFailure what to do when the work or the consumer fails
 * @param <T> the type of the results
 */
record ResultWriter<T extends @Nullable Object>(
        PieceHost host,
        OutputServer server,
        Stoppable output,
        Consumer<? super T> consumer,
        OutputFailure<T> onFailure) {

    /** An output that a failure may stop. */
    interface Stoppable {

        /** Accepts no more pieces, since one has failed. */
        void closeBecauseOf(Throwable failure);

        /** Cancels those that are not written. */
        void stop();
    }

    /** Writes a piece, and completes its future. */
    void write(Piece<T> piece) {
        Throwable failure = piece.thrown();
        if (failure == null) {
            failure = tryWrite(piece, piece.result());
        } else if (onFailure instanceof OutputFailure.Replace<T> replace) {
            failure = tryReplace(piece, replace, failure);
        }
        if (failure != null) {
            fail(piece, failure);
        }
    }

    /** Returns what the consumer has thrown. */
    @SuppressWarnings("NullAway") // null only if T says so
    private @Nullable Throwable tryWrite(Piece<T> piece, @Nullable T result) {
        TaskEvents events = host.reporter().events();
        long begunAt = events == null ? 0 : host.now();
        try {
            consumer.accept(result);
        } catch (Throwable failure) {
            return failure;
        }
        server.leaveWindow();
        Piece.Details details = piece.details();
        Object task = details == null || details.run == null ? null : details.run.task();
        if (events != null && details != null && task != null) {
            events.written(host.key(), task, begunAt - details.finishedAt, host.now() - begunAt);
        }
        piece.written(result);
        return null;
    }

    private @Nullable Throwable tryReplace(Piece<T> piece, OutputFailure.Replace<T> replace, Throwable ofWork) {
        T replacement;
        try {
            replacement = replace.replacement().apply(ofWork);
        } catch (Throwable failure) {
            return because(failure, ofWork);
        }
        Throwable failure = tryWrite(piece, replacement);
        return failure == null ? null : because(failure, ofWork);
    }

    private static Throwable because(Throwable failure, Throwable first) {
        if (failure != first) {
            failure.addSuppressed(first);
        }
        return failure;
    }

    private void fail(Piece<T> piece, Throwable failure) {
        boolean stops = onFailure instanceof OutputFailure.Stop<T>;
        report(failure);
        if (stops) {
            output.closeBecauseOf(failure);
        }
        server.leaveWindow();
        piece.completeExceptionally(failure);
        if (stops) {
            output.stop();
        }
    }

    /** Reports a failure in the turn of the piece, if the application wants to know. */
    private void report(Throwable failure) {
        if (onFailure instanceof OutputFailure.Skip<T> skip) {
            try {
                skip.report().accept(failure);
            } catch (Throwable ofReport) {
                UncaughtFailures.report(ofReport);
            }
        }
    }
}
