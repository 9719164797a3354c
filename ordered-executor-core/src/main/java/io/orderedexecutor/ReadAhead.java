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
 * What {@link OrderedOutputExecutor#map} does: the results of what a stream gives. It is read ahead as long as the next
 * result is not there, by the window of an output at most. The results are not written to anybody; who consumes them
 * takes them out of the futures, in order.
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

    /** What the source has thrown; thrown again after the results of what it gave before. */
    private @Nullable Throwable sourceFailure;

    /**
     * Begins.
     *
     * @param pieces writes nothing
     * @param onFirstUse called by the consuming thread before anything is read; throws if that must not wait
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
        } catch (CompletionException failure) {
            pieces.stop();
            OutputBridge.throwIfPresent(failure.getCause());
            throw failure;
        }
    }

    void close() {
        pieces.stop();
    }
}
