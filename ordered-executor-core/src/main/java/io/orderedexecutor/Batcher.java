package io.orderedexecutor;

import io.orderedexecutor.engine.admit.KeyedEngine;
import io.orderedexecutor.engine.run.BatchItem;
import io.orderedexecutor.engine.run.Batching;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects the items of a stripe while it is busy, and passes all of them to a handler at once when their turn comes.
 * Suits work that costs nearly the same for many items as for one.
 *
 * <pre>{@code
 * Batcher<String, Entry> ledger = executor.<String, Entry>batchTo(database::insert)
 *         .maxBatch(100)
 *         .build();
 * ledger.submit("alice", entry1); // starts at once, by itself
 * ledger.submit("alice", entry2); // these two
 * ledger.submit("alice", entry3); // are the next batch
 * }</pre>
 *
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li><b>Order.</b> The batches of a stripe contain its items in the order of their submission; each item is in one
 *       batch. Any other task that was submitted to the stripe between two items runs between their batches. Items of
 *       two batchers are never in one batch.
 *   <li><b>Nothing is missed.</b> An item that is submitted while a batch runs goes into a later batch.
 *   <li><b>One end.</b> The futures of the items of a batch complete as the batch does, with the same failure. A retry
 *       runs the same batch. If the stripe parks, the batch waits as a whole, and giving it up fails all of its items.
 *   <li><b>Cancellation.</b> Cancelling a waiting item removes it at once, whatever the size of the batch. If its batch
 *       is running, only the future is cancelled: the batch goes on for the other items, and no thread is interrupted.
 *       A retry of the batch leaves the item out.
 *   <li><b>Limits and statistics</b> count items. A batch counts as one active or parked task.
 * </ul>
 *
 * <p>A {@code shutdown}, {@code close} or {@code awaitIdle} of the executor starts batches that
 * {@linkplain BatcherBuilder#linger linger}. {@code shutdownNow} returns an {@link Item} for each item that has not
 * started, or waits to run again.
 *
 * <p>A batcher has no thread and no state of its own; an idle stripe costs nothing. All methods may be called from any
 * thread, the handler included. Memory consistency effects: actions in a thread before it submits an item
 * <i>happen-before</i> its batch starts; otherwise those of the executor apply.
 *
 * @param <K> the type of the stripes
 * @param <T> the type of the items
 */
public final class Batcher<K, T> {

    /** Runs the batches, and knows how to run a single item that was given back. */
    abstract static class Handler<K, T> extends Batching {
        Handler(int maxBatch, long linger, long lingerLimit, boolean isAsync) {
            super(maxBatch, linger, lingerLimit, isAsync);
        }

        @Override
        @SuppressWarnings("unchecked")
        protected final Runnable asSubmitted(Object stripe, Object item) {
            return new Item<>((K) stripe, (T) item, this);
        }

        final void runAlone(K stripe, T item) {
            handle(stripe, List.of(item));
        }
    }

    private final KeyedEngine engine;
    private final Handler<K, T> handler;
    private final int maxBatch;
    private final @Nullable ToIntFunction<? super T> weigher;
    private final @Nullable Function<? super T, ?> batchKey;

    /** The overflow policy; null for that of the executor. */
    private final @Nullable Overflow overflow;

    Batcher(
            KeyedEngine engine,
            Handler<K, T> handler,
            int maxBatch,
            @Nullable ToIntFunction<? super T> weigher,
            @Nullable Function<? super T, ?> batchKey,
            @Nullable Overflow overflow) {
        this.engine = engine;
        this.handler = handler;
        this.maxBatch = maxBatch;
        this.weigher = weigher;
        this.batchKey = batchKey;
        this.overflow = overflow;
    }

    /**
     * Adds an item to the batch that waits at the end of {@code stripe}, or begins a new one there.
     *
     * @param stripe the stripe of the item; the handler gets the stripe object of the first item of the batch
     * @param item the item
     * @return a future that completes as the batch does, before the next task of the stripe starts. Dependent actions
     *     may run beside that task
     * @throws RejectedExecutionException if the executor is shut down, if the executor or the stripe has no room, or if
     *     the thread is interrupted while it waits for room
     * @throws RuntimeException the exception of the underlying executor if it rejects the item, of the thread factory
     *     if the executor has no thread and none can be started, or of the functions for the weight and the batch key
     * @throws IllegalArgumentException if the item weighs less than 1 or more than a batch may
     * @throws NullPointerException if an argument is null
     */
    public CompletableFuture<@Nullable Void> submit(K stripe, T item) {
        Objects.requireNonNull(stripe, "stripe");
        BatchItem future = new BatchItem(stripe, Objects.requireNonNull(item, "item"), handler, weightOf(item));
        engine.submit(future, batchKey == null ? null : batchKey.apply(item), overflow);
        return future;
    }

    /**
     * Returns a batcher with another overflow policy, for a caller that must not wait while other callers may. Its
     * items go into the same batches as the items of this batcher. The batcher is cheap and can be kept.
     *
     * @param overflow the overflow policy, in place of that of the executor
     * @return a batcher to the same stripes
     * @throws NullPointerException if {@code overflow} is null
     */
    public Batcher<K, T> with(Overflow overflow) {
        return new Batcher<>(
                engine, handler, maxBatch, weigher, batchKey, Objects.requireNonNull(overflow, "overflow"));
    }

    private int weightOf(T item) {
        int weight = weigher == null ? 1 : weigher.applyAsInt(item);
        if (weight < 1 || weight > maxBatch) {
            throw new IllegalArgumentException(
                    "the item weighs " + weight + ", but must weigh from 1 to maxBatch, which" + " is " + maxBatch);
        }
        return weight;
    }

    /**
     * An item that has not started, or waits to run again, as {@link OrderedExecutor#shutdownNow} returns it.
     *
     * @param <K> the type of the stripe
     * @param <T> the type of the item
     */
    public static final class Item<K, T> implements Runnable {
        private final K stripe;
        private final T item;
        private final Handler<K, T> handler;

        private Item(K stripe, T item, Handler<K, T> handler) {
            this.stripe = stripe;
            this.item = item;
            this.handler = handler;
        }

        /**
         * Returns the stripe to which the item was submitted.
         *
         * @return its stripe
         */
        public K stripe() {
            return stripe;
        }

        /**
         * Returns the item that was submitted.
         *
         * @return the item
         */
        public T item() {
            return item;
        }

        /**
         * Passes this item alone to the handler, on the calling thread. An asynchronous handler only starts the work.
         */
        @Override
        public void run() {
            handler.runAlone(stripe, item);
        }

        @Override
        public String toString() {
            return String.valueOf(item);
        }
    }
}
