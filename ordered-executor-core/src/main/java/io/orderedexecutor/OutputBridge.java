package io.orderedexecutor;

import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link OrderedOutputExecutor#forEach}: an ordered output between a source and a consumer.
 *
 * @param <I> the type of the inputs
 * @param <T> the type of the results
 */
final class OutputBridge<I extends @Nullable Object, T extends @Nullable Object> {

    /** Waits for room without a limit: the reading thread has nothing else to do. */
    static final Overflow WAIT = Overflow.block(Duration.ofSeconds(Long.MAX_VALUE));

    private final OrderedOutput<T> results;
    private final Consumer<? super T> output;

    /** Used by the reading thread. */
    private long submitted;

    /** Written by outputs, which run one at a time; read by the reading thread after all of them. */
    private long written;

    /**
     * Creates a bridge.
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
                // inputs that were read are written, for whatever reason the reading has ended
                results.awaitFlush();
            } finally {
                ofPiece = results.failure().orElse(null);
                results.stop();
            }
        }
        // the failure of a piece comes first, in the order of the inputs
        throwIfPresent(ofPiece);
        throwIfPresent(ofReading);
        if (written < submitted) {
            throw new CancellationException("only " + written + " of " + submitted
                    + " pieces were written; the others were cancelled by a shutdown of the executor");
        }
    }

    /**
     * Submits all inputs. Returns the failure that has ended the reading early: that of the source, or the refusal of a
     * piece.
     */
    private @Nullable Throwable submitAll(Iterator<? extends I> inputs, Function<? super I, ? extends T> work)
            throws InterruptedException {
        try {
            while (!results.isClosed() && inputs.hasNext()) {
                // a thread that always finds room never waits, and so would not notice an interrupt
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
            // the interrupt is thrown as an exception now, so the flag is cleared
            Thread.interrupted();
            throw interrupt;
        }
    }

    /** Throws the exception of a function. It cannot be a checked one, unless the compiler was circumvented. */
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
