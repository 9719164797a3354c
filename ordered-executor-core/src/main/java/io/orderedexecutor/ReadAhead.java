package io.orderedexecutor;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link OrderedOutputExecutor#map}: the results for the elements of a stream. The stream is read
 * ahead until the next result is available, but at most by the window of an output. No output writes the results: the
 * consumer takes them from the futures, in order.
 *
 * <p>Used by one thread.
 *
 * @param <I> the type of the inputs
 * @param <T> the type of the results
 */
final class ReadAhead<I extends @Nullable Object, T extends @Nullable Object>
        extends Spliterators.AbstractSpliterator<T> {
    private final OrderedOutput<T> pieces;
    private final Runnable onFirstUse;
    private final int window;
    private final Spliterator<? extends I> inputs;
    private final Function<? super I, ? extends T> work;
    private final Queue<CompletableFuture<T>> ahead = new ArrayDeque<>();
    private boolean begun;
    private boolean sourceHasMore = true;

    /** The exception of the source; thrown after the results of all earlier inputs. */
    private @Nullable Throwable sourceFailure;

    /**
     * Creates the spliterator.
     *
     * @param pieces runs the work, and writes nothing
     * @param onFirstUse called by the consuming thread before anything is read; throws if that thread must not wait
     */
    ReadAhead(
            OrderedOutput<T> pieces,
            Runnable onFirstUse,
            Stream<? extends I> inputs,
            Function<? super I, ? extends T> work) {
        super(Long.MAX_VALUE, Spliterator.ORDERED);
        this.pieces = pieces;
        this.onFirstUse = onFirstUse;
        this.window = pieces.snapshot().window();
        this.inputs = inputs.sequential().spliterator();
        this.work = work;
    }

    @Override
    public boolean tryAdvance(Consumer<? super T> action) {
        if (!begun) {
            onFirstUse.run();
            begun = true;
        }
        while (sourceHasMore && ahead.size() < window && !isNextThere()) {
            read();
        }
        CompletableFuture<T> next = ahead.poll();
        if (next == null) {
            pieces.close();
            OutputBridge.throwIfPresent(sourceFailure);
            return false;
        }
        action.accept(result(next));
        return true;
    }

    private boolean isNextThere() {
        CompletableFuture<T> next = ahead.peek();
        return next != null && next.isDone();
    }

    private void read() {
        try {
            sourceHasMore = inputs.tryAdvance(this::submit);
        } catch (RuntimeException | Error failure) {
            sourceHasMore = false;
            sourceFailure = failure;
        }
    }

    private void submit(I input) {
        ahead.add(pieces.submit(() -> work.apply(input), OutputBridge.WAIT));
    }

    private T result(CompletableFuture<T> next) {
        try {
            return next.join();
        } catch (RuntimeException | Error failed) {
            // not if this thread would wait for itself
            if (next.isDone()) {
                pieces.stop();
                // without the wrapper of join. Not noted if the executor was stopped before the work has failed
                OutputBridge.throwIfPresent(
                        pieces.failure().orElse(failed instanceof CompletionException ? failed.getCause() : null));
            }
            throw failed;
        }
    }

    void close() {
        pieces.stop();
    }
}
