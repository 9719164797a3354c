package io.orderedexecutor.engine.order;

import io.orderedexecutor.engine.order.Order.Step;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A place in the orders of several keys, each exclusive or shared, with a step in each of them. It enters all of them
 * at once, under all of their bins, so any two such places stand in the same order wherever they meet; it leaves them
 * one by one. It is granted when all of its steps are granted, and everything else that it was made to wait for has
 * happened.
 */
public abstract class Many extends Place.Timed {
    private static final VarHandle MISSING;

    static {
        try {
            MISSING = MethodHandles.lookup().findVarHandle(Many.class, "missing", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LinkedStep[] steps;
    private final int counted;

    /** How many calls of {@link #countDown} are missing until this place is granted. Changed atomically. */
    private volatile int missing;

    /**
     * A place that is granted when {@link #countDown} has been called once for each step, once by its submitter, and
     * once for each event added by {@link #waitForMore}.
     *
     * @param target what it was submitted to
     * @param exclusive the number of its exclusive steps, which are the first
     * @param shared the number of its shared steps
     * @param uncounted the number of its uncounted steps, which come last: shared steps, in whose keys the place needs
     *     no room
     */
    protected Many(
            Object state, Orders orders, Object target, long queuedAt, int exclusive, int shared, int uncounted) {
        this(state, orders, target, queuedAt, exclusive + shared + uncounted, exclusive + shared);
        for (int i = 0; i < steps.length; i++) {
            steps[i] = new LinkedStep(this, orders.none(), i, i >= exclusive);
        }
    }

    /** A place whose first step may be shared, and whose other steps are exclusive. */
    protected Many(Object state, Orders orders, Object target, long queuedAt, boolean isFirstShared, int exclusive) {
        this(state, orders, target, queuedAt, 1 + exclusive, 0);
        for (int i = 0; i < steps.length; i++) {
            steps[i] = new LinkedStep(this, orders.none(), i, i == 0 && isFirstShared);
        }
    }

    private Many(Object state, Orders orders, Object target, long queuedAt, int steps, int counted) {
        super(state, orders, target, queuedAt);
        this.steps = new LinkedStep[steps];
        this.missing = steps + 1;
        this.counted = counted;
    }

    @Override
    public boolean hasKey() {
        return !Orders.isKeyless(steps[0].order.key);
    }

    @Override
    public int countedSteps() {
        return counted;
    }

    @Override
    public final int steps() {
        return steps.length;
    }

    @Override
    public final Step step(int index) {
        return steps[index];
    }

    @Override
    public boolean isPaused() {
        for (Step step : steps) {
            if (step.order.isPaused()) {
                return true;
            }
        }
        return false;
    }

    @Override
    @Nullable
    public Object pausedKey() {
        for (Step step : steps) {
            if (step.order.isPaused()) {
                return step.order.key;
            }
        }
        return null;
    }

    @Override
    final boolean isGrantedAfterBarriers() {
        return countDown();
    }

    /** Counts {@link #missing} down; returns whether this grants the place. */
    public final boolean countDown() {
        return (int) MISSING.getAndAdd(this, -1) == 1;
    }

    /** Makes this place wait for {@code more} further events. Called before the place can be granted. */
    public final void waitForMore(int more) {
        MISSING.getAndAdd(this, more);
    }

    public final boolean isGranted() {
        return missing == 0;
    }

    /** One of the steps of a place. */
    private static final class LinkedStep extends Step {
        private final Many place;
        private final boolean isFirst;
        private final boolean isShared;
        private boolean isHolder;
        private @Nullable Step previous;

        LinkedStep(Many place, Order none, int index, boolean isShared) {
            super(none);
            this.place = place;
            this.isFirst = index == 0;
            this.isShared = isShared;
        }

        @Override
        public Place place() {
            return place;
        }

        @Override
        boolean isFirst() {
            return isFirst;
        }

        @Override
        public boolean isShared() {
            return isShared;
        }

        @Override
        boolean isLinked() {
            return true;
        }

        @Override
        void setPrevious(@Nullable Step previous) {
            this.previous = previous;
        }

        @Override
        @Nullable
        Step previous() {
            return previous;
        }

        @Override
        boolean isHolder() {
            return isHolder;
        }

        @Override
        void setHolder(boolean holder) {
            isHolder = holder;
        }

        @Override
        boolean granted() {
            return place.countDown();
        }
    }
}
