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
 * Collects the items of a stripe while it is busy, and has a handler run all of them at once when their turn comes. For
 * work that costs nearly the same for many as for one.
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
 * <h2>What it promises</h2>
 *
 * <ul>
 *   <li><b>Order.</b> The batches of a stripe, one behind the other, are its items in the order of their submission;
 *       each item is in one batch. Any other task that was submitted to the stripe between two items runs between their
 *       batches. Items of two batchers are never in one batch.
 *   <li><b>Nothing is missed.</b> An item that comes while a batch runs is in a later one.
 *   <li><b>One end.</b> The futures of the items of a batch complete as the batch does, with the same failure. A retry
 *       runs the same batch, a stripe that is parked is parked with it, and to give it up fails all of its items.
 *   <li><b>Cancellation.</b> To cancel an item that waits removes it at once, whatever the size of the batch. If its
 *       batch is running, only the future is cancelled: the batch goes on for the others, and no thread is interrupted.
 *       If it is retried, then without that item.
 *   <li><b>Limits and statistics</b> count items. A batch counts as one active task.
 * </ul>
 *
 * <p>A {@code shutdown}, {@code close} or {@code awaitIdle} of the executor starts batches that
 * {@linkplain BatcherBuilder#linger linger}. {@code shutdownNow} returns an {@link Item} for each item that has not
 * started.
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

    /** Null for that of the executor. */
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
     * @param stripe what the item belongs to; the handler gets it as the first item of the batch came with it
     * @param item the item
     * @return a future that completes as the batch does, before the next task of the stripe starts. Dependent actions
     *     may run beside that task
     * @throws RejectedExecutionException if the executor is shut down, or has no room
     * @throws RuntimeException what the executor underneath threw, if it rejects the item
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
     * Returns a batcher that differs in what happens if there is no room. It suits a caller that must not wait while
     * other callers may. Its items are in the same batches as those that are submitted here. It is cheap and can be
     * kept.
     *
     * @param overflow what happens, in place of the overflow of the executor
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
     * An item that was submitted and has not started, as {@link OrderedExecutor#shutdownNow} returns it.
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
         * Returns what the item was submitted to.
         *
         * @return its stripe
         */
        public K stripe() {
            return stripe;
        }

        /**
         * Returns what was submitted.
         *
         * @return the item
         */
        public T item() {
            return item;
        }

        /** Has the handler run this item alone, on the calling thread; an asynchronous handler starts it. */
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
