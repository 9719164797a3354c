package io.orderedexecutor;

import io.orderedexecutor.engine.admit.KeyedEngine;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link Batcher}. Begins with {@link StripedExecutor#batchTo} or {@link StripedExecutor#batchToAsync}.
 * An invalid value is rejected at once; null is rejected with a {@link NullPointerException}.
 *
 * <p>A builder is not thread-safe, and can build any number of batchers.
 *
 * @param <K> the type of the stripes
 * @param <T> the type of the items
 */
public final class BatcherBuilder<K, T> {
    private static final int DEFAULT_MAX_BATCH = 100;
    private static final int LARGEST_BATCH = 1_000_000;

    /** The default limit, as a multiple of the linger. */
    private static final int DEFAULT_LIMIT = 10;

    private final KeyedEngine engine;
    private final @Nullable BiConsumer<? super K, ? super List<T>> handler;
    private final @Nullable BiFunction<? super K, ? super List<T>, ? extends CompletionStage<?>> asyncHandler;
    private int maxBatch = DEFAULT_MAX_BATCH;
    private Duration linger = Duration.ZERO;
    private @Nullable Duration lingerLimit;
    private @Nullable ToIntFunction<? super T> weigher;
    private @Nullable Function<? super T, ?> batchKey;

    BatcherBuilder(
            KeyedEngine engine,
            @Nullable BiConsumer<? super K, ? super List<T>> handler,
            @Nullable BiFunction<? super K, ? super List<T>, ? extends CompletionStage<?>> asyncHandler) {
        this.engine = engine;
        this.handler = handler;
        this.asyncHandler = asyncHandler;
    }

    /**
     * Sets the maximum number of items of a batch or, with a {@linkplain #weigher weigher}, their maximum total weight.
     *
     * @param maxBatch from 1 to 1,000,000; 100 by default
     * @return this builder
     * @throws IllegalArgumentException if {@code maxBatch} is out of range
     */
    public BatcherBuilder<K, T> maxBatch(int maxBatch) {
        if (maxBatch < 1 || maxBatch > LARGEST_BATCH) {
            throw new IllegalArgumentException("maxBatch is " + maxBatch + ", but must be from 1 to 1,000,000");
        }
        this.maxBatch = maxBatch;
        return this;
    }

    /**
     * Lets a batch wait for more items when its turn has come, until no item has come for {@code linger}, but at most
     * for the {@linkplain #lingerLimit limit}. The batch does not wait if it is full, if another task waits behind it,
     * if a submission waits for the room that its items occupy, if the executor is shut down, or if a caller waits in
     * {@code awaitIdle}. No thread waits.
     *
     * @param linger zero or more; zero by default
     * @return this builder
     * @throws IllegalArgumentException if {@code linger} is negative
     */
    public BatcherBuilder<K, T> linger(Duration linger) {
        if (Objects.requireNonNull(linger, "linger").isNegative()) {
            throw new IllegalArgumentException("linger is " + linger + ", but must not be negative");
        }
        this.linger = linger;
        return this;
    }

    /**
     * Sets the maximum time for which a batch waits for more items, counted from its first item, so that a steady flow
     * of items cannot hold it up for ever.
     *
     * @param lingerLimit not less than the linger; ten times the linger by default
     * @return this builder
     * @throws IllegalArgumentException if {@code lingerLimit} is not positive
     */
    public BatcherBuilder<K, T> lingerLimit(Duration lingerLimit) {
        if (Objects.requireNonNull(lingerLimit, "lingerLimit").isNegative() || lingerLimit.isZero()) {
            throw new IllegalArgumentException("lingerLimit is " + lingerLimit + ", but must be positive");
        }
        this.lingerLimit = lingerLimit;
        return this;
    }

    /**
     * Lets some items take more room in a batch than others: bytes, rows, the size of a list. An item must not weigh
     * more than {@link #maxBatch}.
     *
     * @param weigher returns the weight of an item, 1 or more; called by {@link Batcher#submit}. Without a weigher,
     *     each item weighs 1
     * @return this builder
     */
    public BatcherBuilder<K, T> weigher(ToIntFunction<? super T> weigher) {
        this.weigher = Objects.requireNonNull(weigher, "weigher");
        return this;
    }

    /**
     * Lets only items with equal batch keys run together: an item whose batch key differs from that of the item before
     * it begins a new batch. Order comes first: no item overtakes another one to join a batch of its key.
     *
     * @param batchKey returns the batch key of an item, or null; called by {@link Batcher#submit}. The batch keys are
     *     compared by {@code equals}. Without this function, all items can run together
     * @return this builder
     */
    public BatcherBuilder<K, T> batchKey(Function<? super T, ? extends @Nullable Object> batchKey) {
        this.batchKey = Objects.requireNonNull(batchKey, "batchKey");
        return this;
    }

    /**
     * Builds the batcher.
     *
     * @return a new batcher; items of different batchers are never in one batch
     * @throws IllegalArgumentException if the linger limit is less than the linger, or is set without a linger
     */
    public Batcher<K, T> build() {
        Duration limit = lingerLimit;
        if (limit != null && limit.compareTo(linger) < 0) {
            throw new IllegalArgumentException(
                    "lingerLimit is " + limit + ", but must not be less than linger, which is " + linger);
        }
        if (limit != null && linger.isZero()) {
            throw new IllegalArgumentException("lingerLimit is set, but linger is not; set linger, or leave it out");
        }
        long lingerNanos = TimeUnit.NANOSECONDS.convert(linger);
        long limitNanos = limit == null ? saturatedLimit(lingerNanos) : TimeUnit.NANOSECONDS.convert(limit);
        return new Batcher<>(engine, handler(lingerNanos, limitNanos), maxBatch, weigher, batchKey, null);
    }

    private static long saturatedLimit(long linger) {
        return linger > Long.MAX_VALUE / DEFAULT_LIMIT ? Long.MAX_VALUE : linger * DEFAULT_LIMIT;
    }

    private Batcher.Handler<K, T> handler(long lingerNanos, long limitNanos) {
        BiConsumer<? super K, ? super List<T>> plain = handler;
        return plain == null
                ? new AsyncHandler<>(Objects.requireNonNull(asyncHandler), maxBatch, lingerNanos, limitNanos)
                : new PlainHandler<>(plain, maxBatch, lingerNanos, limitNanos);
    }

    private static final class PlainHandler<K, T> extends Batcher.Handler<K, T> {
        private final BiConsumer<? super K, ? super List<T>> handler;

        PlainHandler(BiConsumer<? super K, ? super List<T>> handler, int maxBatch, long linger, long lingerLimit) {
            super(maxBatch, linger, lingerLimit, false);
            this.handler = handler;
        }

        @Override
        @SuppressWarnings("unchecked")
        protected @Nullable CompletionStage<?> handle(Object stripe, List<?> items) {
            handler.accept((K) stripe, (List<T>) items);
            return null;
        }
    }

    private static final class AsyncHandler<K, T> extends Batcher.Handler<K, T> {
        private final BiFunction<? super K, ? super List<T>, ? extends CompletionStage<?>> handler;

        AsyncHandler(
                BiFunction<? super K, ? super List<T>, ? extends CompletionStage<?>> handler,
                int maxBatch,
                long linger,
                long lingerLimit) {
            super(maxBatch, linger, lingerLimit, true);
            this.handler = handler;
        }

        @Override
        @SuppressWarnings("unchecked")
        protected @Nullable CompletionStage<?> handle(Object stripe, List<?> items) {
            return handler.apply((K) stripe, (List<T>) items);
        }
    }
}
