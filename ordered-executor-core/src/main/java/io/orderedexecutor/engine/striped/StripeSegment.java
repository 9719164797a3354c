package io.orderedexecutor.engine.striped;

import io.orderedexecutor.engine.strand.ArrivalLink;
import io.orderedexecutor.engine.strand.Link;
import io.orderedexecutor.engine.strand.Placed;
import io.orderedexecutor.engine.strand.Serving;
import io.orderedexecutor.engine.strand.TaskEvents;
import org.jspecify.annotations.Nullable;

/**
 * A part of a {@link StripeTable}: finds the stripe of a key in its {@link StripeBins}, or opens it. Keys are compared
 * here, which is the application's code, and so without a lock.
 */
public final class StripeSegment extends StripeBins {

    /**
     * Places a task behind the last one of its stripe, or opens the stripe with it and hands it over.
     *
     * @param capacity how many tasks of the stripe may wait at most
     * @return the stripe if it is full, so that the task was not placed; null if it was
     */
    public @Nullable Stripe place(StripedEngine engine, Object key, int hash, Runnable task, int capacity) {
        return place(engine, key, hash, engine.newLink(task), capacity);
    }

    /** The same with a link, which may have a say in where it is placed. */
    @Nullable
    Stripe place(StripedEngine engine, Object key, int hash, Link link, int capacity) {
        for (; ; ) {
            @Nullable Object[] searched = bins();
            Object head = head(searched, hash);
            if (isMoved(head)) {
                awaitRebuild();
                continue;
            }
            for (Stripe stripe = (Stripe) head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && engine.isSameStripe(key, stripe.key)) {
                    Placed placed = link instanceof ArrivalLink arrival
                            ? arrival.placeIn(stripe, capacity)
                            : stripe.place(link, capacity);
                    if (placed != Placed.ENDED) {
                        return placed == Placed.FULL ? stripe : null;
                    }
                }
            }
            if (isClosed()) {
                throw engine.rejectedByShutdown();
            }
            Stripe opened = new Stripe(engine, key, hash, link);
            try {
                if (add(opened, searched, head)) {
                    Serving.handOver(opened, link);
                    return null;
                }
            } catch (Throwable failure) {
                // writes and no calls, as there may be no stack for any
                opened.unattended = true;
                engine.hasUnattended = true;
                throw failure;
            }
        }
    }

    /** The open stripe of a key, or null. */
    public @Nullable Stripe find(StripedEngine engine, Object key, int hash) {
        for (; ; ) {
            @Nullable Object[] searched = bins();
            Object head = head(searched, hash);
            if (isMoved(head)) {
                awaitRebuild();
                continue;
            }
            for (Stripe stripe = (Stripe) head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && engine.isSameStripe(key, stripe.key) && !stripe.hasEnded()) {
                    return stripe;
                }
            }
            if (head(searched, hash) == head) {
                return null;
            }
        }
    }

    /** Opens a stripe for one task that has none, and hands it over. */
    public void placeAlone(StripedEngine engine, int hash, Runnable task) {
        Link link = engine.newLink(task);
        Stripe opened = new Stripe(engine, TaskEvents.NO_KEY, hash, link);
        for (; ; ) {
            @Nullable Object[] searched = bins();
            Object head = head(searched, hash);
            if (isMoved(head)) {
                awaitRebuild();
                continue;
            }
            if (isClosed()) {
                throw engine.rejectedByShutdown();
            }
            try {
                if (add(opened, searched, head)) {
                    Serving.handOver(opened, link);
                    return;
                }
            } catch (Throwable failure) {
                opened.unattended = true;
                engine.hasUnattended = true;
                throw failure;
            }
        }
    }

    /** Pauses a stripe, which is opened for that if need be. */
    public void pause(StripedEngine engine, Object key, int hash) {
        for (; ; ) {
            @Nullable Object[] searched = bins();
            Object head = head(searched, hash);
            if (isMoved(head)) {
                awaitRebuild();
                continue;
            }
            for (Stripe stripe = (Stripe) head; stripe != null; stripe = stripe.nextInBinAcquire()) {
                if (stripe.hash == hash && engine.isSameStripe(key, stripe.key) && stripe.pause()) {
                    return;
                }
            }
            if (isClosed()) {
                return;
            }
            Stripe opened = new Stripe(engine, key, hash);
            if (add(opened, searched, head)) {
                return;
            }
        }
    }
}
