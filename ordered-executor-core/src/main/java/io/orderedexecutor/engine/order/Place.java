package io.orderedexecutor.engine.order;

import io.orderedexecutor.engine.order.Order.Step;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A place in the order of one key, which it has exclusively; subclasses have a shared key, several keys, or all. One
 * word is its state: work, which waits to run; a {@link State}, which answers the questions of orders; or {@link Out},
 * which says how the place has ended:
 *
 * <pre>
 *   work, State ──▶ work, State, Out   by compare-and-set, by any thread; a release write to LEFT if no other
 *                                      thread changes the state
 *   Out, State ──▶ VACATED             under the bin, if a place of one exclusive key is over while it waits: its
 *                                      order no longer counts it
 * </pre>
 *
 * <p>The thread that changes the state to an Out other than VACATED has to let the place leave its orders; so has a
 * thread whose change fails because the state is VACATED already. If the place is just entering, the thread that lets
 * it enter may do so instead.
 */
public abstract class Place extends Step implements Runnable {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Place.class, "state", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How a place has come to its end. */
    public enum Out {
        /** Its attempt has ended; or it was granted, and had nothing to run. */
        LEFT,
        TAKEN_BACK,
        /** The reservation was closed. */
        RETURNED,
        /** The lease of the reservation expired. */
        EXPIRED,
        /** The reservation was given back by a shutdown. */
        DISCARDED,
        VACATED
    }

    /**
     * A state of a place that is neither work nor out. Each answer holds for the moment only.
     *
     * <p>This type is a class, since each task is checked with {@code instanceof}: with an interface, the check costs
     * some 100 ns a task.
     */
    public abstract static class State {
        /** Whether the place counts as queued: its task has not started, or waits to be run again. */
        public boolean isQueued() {
            return true;
        }

        /** Whether the place is over: it holds up no other place. */
        public boolean isOver() {
            return false;
        }

        /** Whether the place is reserved, and not filled with work. */
        protected boolean isReserved() {
            return false;
        }

        /** Whether the place is set aside: a thread was about to start its task, and found the place paused. */
        protected boolean isSetAside() {
            return false;
        }

        /** Whether the task of the place is parked: it waits until it is resumed or skipped. */
        public boolean isParked() {
            return false;
        }

        /** Whether the task has started and does not wait to run again, and the place has not left its orders. */
        public boolean isActive() {
            return false;
        }

        /** The thread that does something for the place; null if none does. */
        public @Nullable Thread thread() {
            return null;
        }

        /** Called when the place is granted. Returns whether the place is filled, too, and has to run. */
        protected boolean isReadyWhenGranted(Place place) {
            return true;
        }
    }

    private volatile Object state;

    @SuppressWarnings("NullAway.Init") // plain is enough: other threads get the place by a release write at least
    public Place(Object state, Orders orders) {
        super(orders.none());
        STATE.set(this, state);
    }

    @Override
    public Place place() {
        return this;
    }

    /** Whether this place is reserved, and not filled with work. */
    final boolean isReserved() {
        return state instanceof State seen && seen.isReserved();
    }

    /** Called before the place leaves its orders, perhaps twice: gives back other room than that for queued tasks. */
    protected void leaveRooms() {}

    /**
     * Whether the thread that lets this place leave also has to run the places that this grants. Such a thread waits
     * for the bin, and posts no request.
     */
    protected boolean mustLeaveItself() {
        return false;
    }

    /**
     * Called when the place has left its orders, or has posted the requests to leave them. {@link Orders#leaves} does
     * not call this, so only a {@link Many} may override it. Removes the place from any other list of tasks. Returns
     * the places that this grants; null if there are none.
     */
    @Nullable
    protected Grants leaveElsewhere() {
        return null;
    }

    /** When it was accepted, on the clock of the platform; 0 if tasks are not timed. */
    public long queuedAt() {
        return 0;
    }

    /** The target of its submission; null if that is just the key of its order. */
    @Nullable
    public Object targetOrNull() {
        return null;
    }

    /** Whether this place has a key, by which its task can be resumed or skipped when it is parked. */
    public boolean hasKey() {
        return !Orders.isKeyless(order.key);
    }

    /** In how many of its keys this place needs room. The steps of these keys come first. */
    public int countedSteps() {
        return 1;
    }

    /** Whether this place needs room in the key of an order. */
    public final boolean isCountedIn(Order counting) {
        for (int i = 0; i < countedSteps(); i++) {
            if (step(i).order == counting) {
                return true;
            }
        }
        return false;
    }

    public final Orders orders() {
        return order.bin.orders;
    }

    // the state

    public final Object state() {
        return state;
    }

    public final boolean change(Object from, Object to) {
        return STATE.compareAndSet(this, from, to);
    }

    /** For the thread that has ended the attempt. */
    public final void setLeft() {
        STATE.setRelease(this, Out.LEFT);
    }

    public final boolean isTakenBack() {
        Object seen = state;
        return seen instanceof Out || (seen instanceof State other && other.isOver());
    }

    final boolean isVacated() {
        return state == Out.VACATED;
    }

    /** Called under the bin, for a place that is out or over. */
    final void setVacated() {
        state = Out.VACATED;
    }

    /** Called when this place is granted. Returns whether it is filled, too, and has to run. */
    public boolean isReadyWhenGranted() {
        Object seen = state;
        return seen instanceof State other ? other.isReadyWhenGranted(this) : !(seen instanceof Out);
    }

    /** Whether this place is over as soon as it is granted: the thread that handles the grant ends it. */
    public boolean isOverWhenGranted() {
        return false;
    }

    /**
     * Ends a place that is over as soon as it is granted; false if another thread has ended it. If true, the caller has
     * to let the place leave.
     */
    public boolean endsWhenGranted() {
        return false;
    }

    /**
     * Called when the barriers that the place has waited for in a bin have left. If the place has one key, its order
     * has granted it already. Returns whether the place is granted now.
     */
    boolean isGrantedAfterBarriers() {
        return true;
    }

    /** Whether it counts as queued: it has not started, or waits to be run again. */
    public final boolean isQueued() {
        Object seen = state;
        return seen instanceof State other ? other.isQueued() : !(seen instanceof Out);
    }

    /** How many tasks of this place count as queued. */
    protected int queuedTasks() {
        return isQueued() ? 1 : 0;
    }

    /** Whether the task of this place is parked: it waits until it is resumed or skipped. */
    public final boolean isParked() {
        return state instanceof State seen && seen.isParked();
    }

    /** Whether this place is set aside: a thread was about to start its task, and found the place paused. */
    final boolean isSetAside() {
        return state instanceof State seen && seen.isSetAside();
    }

    public final boolean isActive() {
        return state instanceof State seen && seen.isActive();
    }

    /** The thread that does something for this place; null if none does at this moment. */
    @Nullable
    public Thread thread() {
        return state instanceof State seen ? seen.thread() : null;
    }

    // its orders

    /** How many steps this place has. */
    public int steps() {
        return 1;
    }

    public Step step(int index) {
        return this;
    }

    public final boolean hasEntered() {
        Step first = step(0);
        return first.order != first.order.bin.orders.none();
    }

    /** Whether a key of this place is paused: then its task may not start, although the place is granted. */
    public boolean isPaused() {
        return order.isPaused();
    }

    /** A paused key of this place; null if none is paused, or it is not known which one. */
    @Nullable
    public Object pausedKey() {
        return order.isPaused() ? order.key : null;
    }

    // kinds

    /** A place that also knows the target and the time of its submission. */
    public abstract static class Timed extends Place {
        private final Object target;
        private final long queuedAt;

        public Timed(Object state, Orders orders, Object target, long queuedAt) {
            super(state, orders);
            this.target = target;
            this.queuedAt = queuedAt;
        }

        @Override
        public final Object targetOrNull() {
            return target;
        }

        @Override
        public long queuedAt() {
            return queuedAt;
        }
    }

    /** A place of one shared key. */
    public abstract static class Shared extends Timed {
        private @Nullable Step previous;
        private boolean isHolder;

        public Shared(Object state, Orders orders, Object target, long queuedAt) {
            super(state, orders, target, queuedAt);
        }

        @Override
        public final boolean isShared() {
            return true;
        }

        @Override
        final boolean isLinked() {
            return true;
        }

        @Override
        final void setPrevious(@Nullable Step previous) {
            this.previous = previous;
        }

        @Override
        @Nullable
        final Step previous() {
            return previous;
        }

        @Override
        final boolean isHolder() {
            return isHolder;
        }

        @Override
        final void setHolder(boolean holder) {
            isHolder = holder;
        }
    }
}
