package io.orderedexecutor.engine.order;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in the orders of all keys, including keys that come later: exclusive, or shared. It has no step for each key,
 * but a part in each bin: it waits for the earlier steps there that conflict with it, and later steps that conflict
 * with it wait for the part; see {@link Barriers}. Barriers among themselves stand in an order of their own.
 *
 * <p>It enters all bins at once, and leaves them one by one.
 */
public abstract class Barrier extends Many {

    /** The part of a barrier in one bin. Guarded by the bin. */
    static final class Part {
        private final Barrier barrier;

        /** The stretch behind the barrier in this bin; null before the barrier has entered the bin. */
        private Barriers.@Nullable Stretch behind;

        Part(Barrier barrier) {
            this.barrier = barrier;
        }

        Barrier barrier() {
            return barrier;
        }

        Barriers.@Nullable Stretch behind() {
            return behind;
        }

        void setBehind(Barriers.Stretch stretch) {
            behind = stretch;
        }
    }

    /** The request to let a barrier leave a bin. */
    static final class Exit extends Bin.Request {
        private final Barrier barrier;

        Exit(Barrier barrier) {
            this.barrier = barrier;
        }

        @Override
        void perform(Bin bin) {
            bin.leave(barrier.part(bin.index));
        }
    }

    private final boolean isShared;

    /** Later barriers have higher numbers. Written under all bins, before the barrier enters them. */
    private long number;

    /** The part in each bin, by the index of the bin. Written before the barrier can be granted. */
    private final List<Part> parts = new ArrayList<>();

    /**
     * Makes a barrier. Its first step is for the order of barriers, and each other step for a key that it holds
     * exclusively.
     *
     * @param exclusive how many keys a shared barrier holds exclusively; 0 for an exclusive barrier
     */
    public Barrier(Object state, Orders orders, Object target, long queuedAt, boolean isShared, int exclusive) {
        super(state, orders, target, queuedAt, isShared, exclusive);
        this.isShared = isShared;
    }

    public boolean isOfShared() {
        return isShared;
    }

    @Override
    public boolean hasKey() {
        return steps() > 1;
    }

    @Override
    public boolean isPaused() {
        return orders().isAnyPaused();
    }

    /** Under all bins. */
    void setNumber(long number) {
        this.number = number;
    }

    public long number() {
        return number;
    }

    /** Enters a bin. The caller holds all bins. */
    void enter(Bin bin) {
        Part part = new Part(this);
        // until no step that conflicts with the barrier is before it in the bin
        waitForMore(1);
        parts.add(part);
        bin.enter(part);
    }

    Part part(int index) {
        return parts.get(index);
    }
}
