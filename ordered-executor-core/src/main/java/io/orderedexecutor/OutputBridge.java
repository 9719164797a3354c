package io.orderedexecutor;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What {@link OrderedOutputExecutor#forEach} does: an ordered output between a source and a consumer.
 *
 * @param <I> the type of the inputs
 * @param <T> the type of the results
 */
final class OutputBridge<I extends @Nullable Object, T extends @Nullable Object> {

    /** The thread that reads a source has nothing better to do than to wait for room. */
    static final Overflow WAIT = Overflow.block(Duration.ofSeconds(Long.MAX_VALUE));

    private final OrderedOutput<T> results;
    private final Consumer<? super T> output;

    /** Used by the reading thread. */
    private long submitted;

    /** Written by outputs, which run one at a time; read by the reading thread after all of them. */
    private long written;

    /**
     * Begins.
     *
     * @param open opens an output that stops when a piece fails
     */
    OutputBridge(Function<Consumer<T>, OrderedOutput<T>> open, Consumer<? super T> output) {
        this.output = output;
        this.results = open.apply(this::write);
    }

    private void write(T result) {
        output.accept(result);
        written++;
    }

    void run(Iterator<? extends I> inputs, Function<? super I, ? extends T> work) throws InterruptedException {
        Throwable ofReading;
        Throwable ofPiece = null;
        try (results) {
            try {
                ofReading = submitAll(inputs, work);
                // what was read is written, whatever has ended the reading
                results.flush().get();
            } catch (ExecutionException impossible) {
                throw new IllegalStateException(impossible);
            } finally {
                ofPiece = results.failure().orElse(null);
                results.stop();
            }
        }
        // it was there before, in the order of the inputs
        throwIfPresent(ofPiece);
        throwIfPresent(ofReading);
        if (written < submitted) {
            throw new CancellationException("only " + written + " of " + submitted
                    + " pieces were written; the others were cancelled by a shutdown of the executor");
        }
    }

    /**
     * Returns what has ended the reading before its end: the source has failed, or the executor has refused a piece.
     */
    private @Nullable Throwable submitAll(Iterator<? extends I> inputs, Function<? super I, ? extends T> work)
            throws InterruptedException {
        try {
            while (!results.isClosed() && inputs.hasNext()) {
                // a thread for which there always is room never waits
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                I input = inputs.next();
                var unused = results.submit(() -> work.apply(input), WAIT);
                submitted++;
            }
            return null;
        } catch (RejectedExecutionException refusal) {
            throwIfInterrupted(refusal);
            return refusal;
        } catch (RuntimeException | Error ofSource) {
            return ofSource;
        }
    }

    private static void throwIfInterrupted(RejectedExecutionException refusal) throws InterruptedException {
        if (refusal.getCause() instanceof InterruptedException interrupt) {
            // it is thrown now, and so no longer to be noted
            Thread.interrupted();
            throw interrupt;
        }
    }

    /** Throws what a function has thrown, which cannot be a checked exception unless it is smuggled. */
    static void throwIfPresent(@Nullable Throwable failure) {
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }
}
