package io.orderedexecutor.engine.run;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Says how items form batches, and runs these. Compared by identity: a batch has only items of one batching. */
public abstract class Batching {
    private final int maxBatch;
    private final long linger;
    private final long lingerLimit;
    private final boolean isAsync;

    /**
     * Makes a batching.
     *
     * @param maxBatch the maximum total weight of the items of a batch
     * @param linger for how many nanoseconds after its latest item a batch waits for more; 0 for not at all
     * @param lingerLimit for how many nanoseconds after the oldest of its waiting items a batch waits at most
     * @param isAsync whether {@link #handle} returns a stage
     */
    protected Batching(int maxBatch, long linger, long lingerLimit, boolean isAsync) {
        this.maxBatch = maxBatch;
        this.linger = linger;
        this.lingerLimit = lingerLimit;
        this.isAsync = isAsync;
    }

    /**
     * Runs a batch.
     *
     * @return the stage that holds the stripe until it is complete; ignored unless this is asynchronous
     */
    protected abstract @Nullable CompletionStage<?> handle(Object stripe, List<?> items);

    /** The object that shutdownNow returns for an item that waits for its first or another attempt. */
    protected abstract Runnable asSubmitted(Object stripe, Object item);

    final int maxBatch() {
        return maxBatch;
    }

    public final boolean lingers() {
        return linger > 0;
    }

    /** For how many nanoseconds a batch still waits for more items; 0 or less if the time has elapsed. */
    final long leftAfter(long sinceFirst, long sinceLatest) {
        return Math.min(lingerLimit - sinceFirst, linger - sinceLatest);
    }

    final boolean isAsync() {
        return isAsync;
    }
}
