package io.orderedexecutor.engine.striped;

import io.orderedexecutor.engine.strand.BatchItem;
import io.orderedexecutor.engine.strand.BatchLink;
import org.jspecify.annotations.Nullable;

/** The submission of an item, which joins the batch that its stripe ends with, or begins a new one. */
final class ItemArrival extends Arrival {
    private final BatchItem item;
    private final @Nullable Object batchKey;

    /**
     * Makes an arrival.
     *
     * @param batchKey what the item must have in common with those of its batch; null for nothing
     */
    ItemArrival(Object stripe, BatchItem item, @Nullable Object batchKey) {
        super(stripe);
        this.item = item;
        this.batchKey = batchKey;
    }

    BatchItem item() {
        return item;
    }

    @Nullable
    Object batchKey() {
        return batchKey;
    }

    BatchLink newLink() {
        return new BatchLink(stripe(), item, batchKey);
    }
}
