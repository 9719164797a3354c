package io.orderedexecutor.engine.strand;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Items that run together, as one task. It is the content of a {@link BatchLink} from its first item on; items join it
 * while it waits and its link is the last, and each can leave it. Its state, guarded by its monitor:
 *
 * <pre>
 *   OPEN ──▶ TAKEN      the server claims it: what waits here is now what it runs
 *   OPEN ──▶ EMPTY      the last item was taken out, and with it the link is vacated
 *   TAKEN ──▶ PUT_BACK  it has failed, and will run again with the items whose futures are not done: they wait here
 *                       again, and can leave; none joins
 *   TAKEN ──▶ EMPTY     the same, but no item is left
 *   PUT_BACK ──▶ TAKEN, EMPTY  as from OPEN
 * </pre>
 *
 * <p>A thread that takes an item out has its permit to give back and its end to count, and so has the server for those
 * that it takes: which of them it is, is decided under the monitor. An item that is done, and whose thread has taken
 * its work but not yet come to take it out, is left to that thread.
 *
 * <p>The monitor is held for a few field accesses, and to run over the items of a batch when it is claimed or put back.
 * No foreign code runs meanwhile. It is this object's own, which no other code can lock: the application never sees it.
 */
final class Batch extends TaskFuture<@Nullable Void> {

    private enum State {
        OPEN,
        TAKEN,
        PUT_BACK,
        EMPTY
    }

    private final Batching batching;

    /** The stripe, as the first item came with it. */
    private final Object stripe;

    /** What the items have in common; null if they need not have anything. */
    private final @Nullable Object batchKey;

    @GuardedBy("this")
    private State state = State.OPEN;

    @GuardedBy("this")
    private @Nullable BatchItem first;

    @GuardedBy("this")
    private @Nullable BatchItem last;

    /** How many items are listed. */
    @GuardedBy("this")
    private int count;

    /** What the items that wait weigh together. */
    @GuardedBy("this")
    private long weight;

    /** Whether there is no reason to wait for more: there is no room for it, or somebody waits for the end. */
    @GuardedBy("this")
    private boolean isComplete;

    /** What runs, from the claim to the end or until it is put back. Used by the holder of the strand. */
    private @Nullable TakenItems taken;

    /** Whether it was reported. Used by the holder of the strand. */
    private boolean isReported;

    /** Its wait for more items; null before the first. Written by the holder, and read by those who end it. */
    private volatile @Nullable Linger linger;

    Batch(Object stripe, BatchItem founder, @Nullable Object batchKey) {
        super(founder.batching(), true);
        this.batching = founder.batching();
        this.stripe = stripe;
        this.batchKey = batchKey;
        founder.isFounder = true;
        synchronized (this) {
            list(founder);
        }
    }

    // items that come and go

    @Nullable
    Object batchKey() {
        return batchKey;
    }

    /** Whether items of this batching with this batchKey may run together with these. Calls foreign code. */
    boolean hasKey(Batching other, @Nullable Object otherKey) {
        return batching == other && Objects.equals(batchKey, otherKey);
    }

    /**
     * Adds an item, for its submitter, who has found the link of this batch the last one. A link that is appended
     * behind it meanwhile belongs to a submission that was concurrent, and comes after this one.
     *
     * @param lastLink the link of this batch, or one behind it without a task
     * @return null if the item cannot join this batch
     */
    synchronized @Nullable Placed join(BatchItem item, Strand strand, Link link, Link lastLink, int capacity) {
        if (state != State.OPEN) {
            return null;
        }
        if (weight + item.weight > batching.maxBatch()) {
            isComplete = true;
            return null;
        }
        if (strand.isFull(lastLink, capacity)) {
            isComplete = true;
            return Placed.FULL;
        }
        // before it can be found here
        item.waitIn(strand, link);
        item.isFounder = false;
        list(item);
        isComplete |= weight == batching.maxBatch();
        strand.countFurther(1);
        return Placed.JOINED;
    }

    @GuardedBy("this")
    private void list(BatchItem item) {
        BatchItem end = last;
        item.before = end;
        item.behind = null;
        item.isListed = true;
        item.joins(this);
        if (end == null) {
            first = item;
        } else {
            end.behind = item;
        }
        last = item;
        count++;
        weight += item.weight;
    }

    @GuardedBy("this")
    private void unlist(BatchItem item) {
        BatchItem before = item.before;
        BatchItem behind = item.behind;
        if (before == null) {
            first = behind;
        } else {
            before.behind = behind;
        }
        if (behind == null) {
            last = before;
        } else {
            behind.before = before;
        }
        item.before = null;
        item.behind = null;
        item.isListed = false;
        count--;
        weight -= item.weight;
    }

    /**
     * Takes an item out before its turn; false if it is not there.
     *
     * @param link the link of this batch, which is vacated with the last item
     */
    synchronized boolean leave(BatchItem item, Link link) {
        if (!item.isListed) {
            return false;
        }
        unlist(item);
        if (first == null && state != State.TAKEN) {
            state = State.EMPTY;
            link.replaceContent(this, Link.VACATED);
        }
        return true;
    }

    /** The item that has waited longest; null if none waits. */
    synchronized @Nullable BatchItem oldest() {
        return state == State.TAKEN ? null : first;
    }

    /** When the item that has waited longest was placed; 0 if it is not known. */
    synchronized long queuedAt() {
        BatchItem oldest = first;
        return oldest == null ? 0 : oldest.queuedAt;
    }

    // the wait for more

    /** For the server: what to leave the strand to; null if this batch need not wait. */
    @Nullable
    Suspension linger(Strand strand) {
        if (!batching.lingers() || leftToLinger(strand.host().platform().nanoTime()) <= 0) {
            return null;
        }
        Linger known = linger;
        if (known == null) {
            known = new Linger(this, strand);
            linger = known;
        }
        return known.suspension();
    }

    /** For the server that has left the strand to this batch. */
    boolean goesOnLingering() {
        Linger begun = linger;
        return begun != null && begun.goesOn();
    }

    /** How many nanoseconds to wait for more; 0 or less for not at all. */
    synchronized long leftToLinger(long now) {
        BatchItem oldest = first;
        BatchItem latest = last;
        return state != State.OPEN || isComplete || oldest == null || latest == null
                ? 0
                : batching.leftAfter(now - oldest.queuedAt, now - latest.queuedAt);
    }

    /** Lets the batch start that no item can join any more. */
    void endLinger() {
        Linger begun = linger;
        if (begun != null) {
            begun.end();
        }
    }

    void endLingerIfComplete() {
        // read before the lock: most batches do not linger
        if (linger != null && isComplete()) {
            endLinger();
        }
    }

    /** Lets this batch start as soon as its turn has come; more may join until then. */
    void hurry() {
        synchronized (this) {
            isComplete = true;
        }
        endLinger();
    }

    private synchronized boolean isComplete() {
        return isComplete;
    }

    // the server

    /**
     * Takes what waits, for the server. What is done and being taken out by another thread is left to that one.
     *
     * @param link the link of this batch
     * @return null if it was claimed before
     */
    synchronized @Nullable TakenItems claim(Link link) {
        BatchItem item = first;
        if (item == null || state == State.TAKEN) {
            return null;
        }
        // what needs memory comes first
        TakenItems items = new TakenItems(count);
        waitIn(Objects.requireNonNull(item.queue()), link);
        state = State.TAKEN;
        while (item != null) {
            BatchItem next = item.behind;
            Object work = item.take();
            if (work != null) {
                unlist(item);
                items.add(item, work, item.queuedAt);
            }
            item = next;
        }
        Linger begun = linger;
        if (begun != null) {
            begun.forget();
        }
        putBack(items);
        taken = items;
        return items;
    }

    /** Counts this batch and tells the listener of it, when it is claimed for the first time. For the holder. */
    void reportOnce(Strand strand) {
        TakenItems items = taken;
        if (items != null && !isReported) {
            isReported = true;
            strand.host().reporter().tellBatch(strand.key, items.size());
        }
    }

    /** For the holder, of a batch that will run again: what it has taken. */
    @Nullable
    TakenItems takenBack() {
        TakenItems items = taken;
        taken = null;
        take();
        return items;
    }

    /**
     * Lets items wait again.
     *
     * @param link the link of this batch, which is vacated if no item is left
     * @return how many these are
     */
    synchronized int waitAgain(TakenItems items, Link link) {
        int waiting = 0;
        for (int i = 0; i < items.size(); i++) {
            if (items.future(i) instanceof BatchItem item) {
                item.putBack(items.work(i));
                list(item);
                waiting++;
            }
        }
        state = waiting == 0 ? State.EMPTY : State.PUT_BACK;
        if (waiting == 0) {
            link.replaceContent(this, Link.VACATED);
        }
        return waiting;
    }

    @Override
    @Nullable
    TakenItems items() {
        return taken;
    }

    @Override
    void forgetItems() {
        taken = null;
    }

    @Override
    boolean mustNotRunAgain() {
        TakenItems items = taken;
        return items != null && items.areAllDone();
    }

    // running

    @Override
    @SuppressWarnings({"NullAway", "unchecked"}) // this future has no other result than null
    public @Nullable AsyncAttempt perform(Object work) {
        List<?> items = ((TakenItems) work).works();
        if (batching.isAsync()) {
            StageAttempt<@Nullable Void> attempt = new StageAttempt<>(this);
            // what the stage completes with, nobody sees
            return attempt.listenTo(
                    StageFuture.stageOf(() -> (CompletionStage<@Nullable Void>) batching.handle(stripe, items)));
        }
        batching.handle(stripe, items);
        noteReturn();
        complete(null);
        return null;
    }

    @Override
    protected boolean finish(BooleanSupplier way) {
        return super.finish(() -> {
            boolean completed = way.getAsBoolean();
            TakenItems items = taken;
            if (items != null && isDone()) {
                items.endAs(this);
            }
            return completed;
        });
    }
}
