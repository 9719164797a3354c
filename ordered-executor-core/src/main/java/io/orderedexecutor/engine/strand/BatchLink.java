package io.orderedexecutor.engine.strand;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A link whose task is a {@link Batch}, as long as items wait in it or it runs. What waits here is its items: each of
 * them can be taken out by itself. The count of the queue knows one task for a link; what is more than that is told to
 * it when an item joins, leaves, is claimed or put back.
 */
public final class BatchLink extends ArrivalLink {

    /**
     * Makes a link with a new batch.
     *
     * @param stripe as the founder came with it
     * @param batchKey what items must have in common that run together; null for nothing
     */
    public BatchLink(Object stripe, BatchItem founder, @Nullable Object batchKey) {
        super(new Batch(stripe, founder, batchKey));
    }

    // submitters

    /**
     * Adds an item to the batch that is the last submission of a strand.
     *
     * @return null if there is none that it can join
     */
    public static @Nullable Placed join(Strand strand, BatchItem item, @Nullable Object batchKey, int capacity) {
        return join(strand, strand.last(), item, batchKey, capacity);
    }

    private static @Nullable Placed join(
            Strand strand, Link last, BatchItem item, @Nullable Object batchKey, int capacity) {
        if (!(last.lastSubmission() instanceof BatchLink link)
                || !(link.content() instanceof Batch batch)
                || !batch.hasKey(item.batching(), batchKey)) {
            return null;
        }
        Placed placed = batch.join(item, strand, link, last, capacity);
        batch.endLingerIfComplete();
        return placed;
    }

    @Override
    Placed enqueueIn(Strand strand, int capacity) {
        Batch batch = (Batch) Objects.requireNonNull(content());
        BatchItem founder = Objects.requireNonNull(batch.oldest());
        Placed placed = null;
        while (placed == null) {
            Link last = strand.last();
            placed = join(strand, last, founder, batch.batchKey(), capacity);
            if (placed == null) {
                placed = strand.isFull(last, capacity) ? Placed.FULL : strand.appendTo(last, this);
            }
        }
        return placed;
    }

    /** Lets the batch that is the last submission of a strand start as soon as its turn has come. */
    public static void hurryLast(Strand strand) {
        if (strand.last().lastSubmission() instanceof BatchLink link && link.content() instanceof Batch batch) {
            batch.hurry();
        }
    }

    @Override
    void onFollowed() {
        if (content() instanceof Batch batch) {
            batch.endLinger();
        }
    }

    // the server

    @Override
    @Nullable
    Suspension linger(Strand strand) {
        return mayLinger(strand) && content() instanceof Batch batch ? batch.linger(strand) : null;
    }

    @Override
    boolean goesOnLingering(Strand strand) {
        return mayLinger(strand) && content() instanceof Batch batch && batch.goesOnLingering();
    }

    @Override
    long leftToLinger(Strand strand) {
        return content() instanceof Batch batch
                ? batch.leftToLinger(strand.host().platform().nanoTime())
                : 0;
    }

    /** What is behind this link would wait in vain: no item can join any more. */
    private boolean mayLinger(Strand strand) {
        return next() == null && !strand.host().isHurried();
    }

    @Override
    @Nullable
    Runnable claim() {
        if (!(content() instanceof Batch batch)) {
            return super.claim();
        }
        TakenItems items = batch.claim(this);
        Strand strand = batch.strand();
        if (items == null || strand == null) {
            // claimed before, by a thread that had no stack to go on
            return super.claim();
        }
        int more = items.size() + items.done() - (items.size() > 0 ? 1 : 0);
        strand.countFurther(-more);
        for (int i = 0; i < more; i++) {
            strand.onTaken();
        }
        strand.host().reporter().endDone(strand.key, items);
        if (items.size() == 0) {
            // all of them are done, and no item can join any more
            replaceContent(batch, null);
            return VACATED;
        }
        batch.reportOnce(strand);
        return super.claim();
    }

    @Override
    void putBack(Runnable claimed) {
        Batch batch = (Batch) claimed;
        Strand strand = batch.strand();
        TakenItems items = batch.takenBack();
        if (items == null || strand == null) {
            super.putBack(claimed);
            return;
        }
        strand.host().reporter().leaveDone(strand.key, items);
        // before items can leave it: the last one takes the batch out of this link. No other thread claims it yet
        strand.countFurther(-1);
        super.putBack(batch);
        int waiting = batch.waitAgain(items, this);
        strand.countFurther(waiting);
        if (waiting == 0) {
            // the caller takes back the permit of one
            strand.onTaken();
        }
        for (int i = 1; i < waiting; i++) {
            strand.onPutBack();
        }
        // who has completed one of them before it was back has not found it here
        for (int i = 0; i < items.size(); i++) {
            if (items.future(i) instanceof BatchItem item && item.isDone()) {
                item.leaveStrand();
            }
        }
    }

    // those who take something out

    @Override
    boolean vacate(Runnable waiting) {
        // the batch may be claimed already, and the item left to the thread that has taken its work
        Batch batch = waiting instanceof BatchItem item ? item.batch() : null;
        return batch == null ? super.vacate(waiting) : batch.leave((BatchItem) waiting, this);
    }

    @Override
    void onEnd(Runnable ended) {
        if (ended instanceof BatchItem item) {
            item.forgetBatch();
        }
    }

    @Override
    @Nullable
    Runnable waiting() {
        return content() instanceof Batch batch ? batch.oldest() : super.waiting();
    }

    @Override
    @Nullable
    Runnable waitingAsPlaced() {
        BatchItem oldest = content() instanceof Batch batch ? batch.oldest() : null;
        return oldest != null && oldest.isFounder ? oldest : null;
    }

    @Override
    public long queuedAt() {
        return content() instanceof Batch batch ? batch.queuedAt() : 0;
    }
}
