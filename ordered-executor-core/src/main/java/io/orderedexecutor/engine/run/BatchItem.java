package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.task.TaskFuture;

/** The future of one item of a {@link Batch}. Each item is completed, cancelled and counted on its own. */
public final class BatchItem extends TaskFuture.Item {
    private final Object stripe;
    private final Batching batching;
    private final int weight;

    /** When the item was submitted, on the clock of the platform; 0 if not needed. Written before it joins a batch. */
    private long queuedAt;

    /**
     * Makes the future of an item.
     *
     * @param weight the part of {@link Batching#maxBatch} that it needs
     */
    public BatchItem(Object stripe, Object item, Batching batching, int weight) {
        super(item);
        this.stripe = stripe;
        this.batching = batching;
        this.weight = weight;
    }

    public Object stripe() {
        return stripe;
    }

    public Batching batching() {
        return batching;
    }

    int weight() {
        return weight;
    }

    long queuedAt() {
        return queuedAt;
    }

    public void setQueuedAt(long now) {
        queuedAt = now;
    }

    @Override
    protected Runnable asSubmitted(Object item) {
        return batching.asSubmitted(stripe, item);
    }
}
