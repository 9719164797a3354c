package io.orderedexecutor.engine.place;

import java.util.ArrayList;
import java.util.List;

/**
 * A place in the orders of all keys, those that nobody has used yet included: exclusive, or shared. It has no step for
 * each key, but a part in each bin, which counts the steps that were there before it and conflict with it; those that
 * come later wait for the part. Barriers among themselves stand in an order of their own.
 *
 * <p>It enters all bins at once, and leaves them one by one.
 */
final class Barrier extends Many {

    /** What a barrier is in one bin. Guarded by that. */
    static final class Part {
        private final Barrier barrier;
        private int ahead;

        Part(Barrier barrier, int ahead) {
            this.barrier = barrier;
            this.ahead = ahead;
        }

        Barrier barrier() {
            return barrier;
        }

        boolean conflictsWith(boolean isShared) {
            return !(isShared && barrier.isShared);
        }

        int ahead() {
            return ahead;
        }

        /** One of those before it has left: whether the barrier is granted by that. */
        boolean oneLess() {
            return --ahead == 0 && barrier.isGrantedAfterOneLess();
        }
    }

    private final boolean isShared;

    /** One in each bin. Written before the barrier can be granted. */
    private final List<Part> parts = new ArrayList<>();

    /**
     * A barrier whose first step is in the order of barriers.
     *
     * @param exclusive how many keys it has exclusively if it shares the others, and has steps for
     */
    Barrier(Object state, Orders orders, Object target, long queuedAt, boolean isShared, int exclusive) {
        super(state, orders, target, queuedAt, isShared, exclusive);
        this.isShared = isShared;
    }

    boolean isOfShared() {
        return isShared;
    }

    @Override
    boolean hasKey() {
        return steps() > 1;
    }

    @Override
    boolean isHeldBack() {
        return orders().isAnyPaused();
    }

    /** Enters a bin, which the caller has, as all others. */
    void enter(Bin bin) {
        Part part = new Part(this, bin.countAhead(isShared));
        if (part.ahead() > 0) {
            waitForMore(1);
        }
        parts.add(part);
        bin.enter(part);
    }

    Part part(int index) {
        return parts.get(index);
    }
}
