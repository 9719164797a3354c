package io.orderedexecutor.engine.strand;

import org.jspecify.annotations.Nullable;

/**
 * The future of one item. It waits in a {@link Batch}, whose end is its own. The fields are guarded by the monitor of
 * the batch that it is in, and used by the submitter before.
 */
public final class BatchItem extends TaskFuture<@Nullable Void> {
    private final Batching batching;
    final int weight;

    /** When it was placed; 0 if nobody asks. */
    long queuedAt;

    /** Whether the batch was made for this item: then it is its first. */
    boolean isFounder;

    /** Whether it waits in the batch. */
    boolean isListed;

    /**
     * The batch that it is in, until it has ended. Written under the monitor of the batch; a thread that has taken the
     * work of this item sees it.
     */
    private volatile @Nullable Batch batch;

    @Nullable
    BatchItem before;

    @Nullable
    BatchItem behind;

    /**
     * Makes the future of an item.
     *
     * @param weight how much of a batch it takes
     */
    public BatchItem(Object item, Batching batching, int weight) {
        super(item, false);
        this.batching = batching;
        this.weight = weight;
    }

    public Batching batching() {
        return batching;
    }

    /** Notes when this item is placed, for its submitter; called again if there is no room, or it has waited for it. */
    public void placedAt(long now) {
        queuedAt = now;
    }

    void joins(Batch joined) {
        batch = joined;
    }

    @Nullable
    Batch batch() {
        return batch;
    }

    void forgetBatch() {
        batch = null;
    }

    @Override
    protected Runnable asSubmitted() {
        Strand strand = strand();
        Object work = work();
        return strand == null || work == null ? this : batching.asSubmitted(strand.key, work);
    }

    /** An item is run by its batch. */
    @Override
    public @Nullable AsyncAttempt perform(Object taken) {
        throw new IllegalStateException("an item is run by its batch");
    }
}
