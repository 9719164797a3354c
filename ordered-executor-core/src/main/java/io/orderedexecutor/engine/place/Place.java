package io.orderedexecutor.engine.place;

import io.orderedexecutor.engine.place.Order.Step;
import io.orderedexecutor.engine.pool.Keyed;
import io.orderedexecutor.engine.task.Reasons.Reason;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.engine.task.TaskPlace;
import io.orderedexecutor.stats.Explanation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A place in the order of one key, which it has exclusively; subclasses have a shared key, several keys, or all. It is
 * granted by those before it, and filled with work, in whichever order; then a thread runs it. One word says how far it
 * has come:
 *
 * <pre>
 *   work, {@link Again}  filled: runs when it is granted, and handed over
 *   {@link Paused}       work, which a thread would have started, but it was paused; nobody comes for it
 *   {@link Vacancy}      reserved: not filled, granted or not
 *   {@link Attempt}      a thread runs it, or its stage is not complete
 *   {@link Suspended}    it has failed, and waits to be run again, or for somebody to decide
 *   {@link Completes}    taken back: its future is about to be complete, and nothing behind it may start before that
 *   {@link Out}          over: it has left its orders, or is about to
 *
 *   Vacancy ──▶ Vacancy with its turn  granted before it was filled, by the one who has granted it
 *   Vacancy ──▶ work         by the one who uses the reservation, and hands it over if its turn had come
 *   work, Again ──▶ Attempt  by the thread that runs it; a second run of the same hand-over finds that it has begun
 *   work, Again ──▶ Paused   by a thread that would start it
 *   Paused ──▶ work, Again   by whoever resumes, and hands it over; or by that thread, if this was just before
 *   Attempt ──▶ Suspended    by the one who has ended the attempt, see there
 *   Suspended ──▶ Again      by a timer, or by who resumes it
 *   Attempt ──▶ LEFT         by the one who has ended the attempt
 *   work, Again, Paused, Vacancy, Suspended ──▶ TAKEN_BACK, or how a reservation has ended
 *                            cancelled, dropped, given back, skipped, or by a shutdown
 *   work, Again, Paused ──▶ Completes ──▶ TAKEN_BACK
 *                            dropped, or by a shutdown, if it has a future; the second step when that is complete
 *   Out ──▶ VACATED          under the bin: it is of no account in its order any more
 * </pre>
 *
 * <p>Each is a compare-and-set by any thread, but for the last. Whoever makes a place out has to see that it leaves its
 * orders, and nobody else does.
 */
public class Place extends Step implements Runnable, Keyed, TaskPlace {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Place.class, "state", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How a place has come to its end. */
    enum Out {
        /** Its attempt has ended. */
        LEFT,
        TAKEN_BACK,
        /** The reservation was closed. */
        RETURNED,
        /** The lease of the reservation was over. */
        EXPIRED,
        /** The reservation was given back by a shutdown. */
        DISCARDED,
        VACATED
    }

    /**
     * Taken back, by a thread that completes its future next. Until that is complete, it holds up those behind it.
     *
     * @param future the future, of which nothing but its end is asked
     */
    record Completes(TaskFuture<?> future) {}

    /**
     * Work, first or again, that a thread has found paused.
     *
     * @param work the state that it was in, and is in again when it goes on
     */
    record Paused(Object work) {}

    /** Work that has failed and is to be run again. */
    record Again(Runnable task, int failures, @Nullable Throwable failure) {}

    /** A place that is reserved and not filled. */
    record Vacancy(HeldPlace reservation, boolean hasTurn) {}

    /**
     * Work that has failed, in an attempt that has ended.
     *
     * @param failures how often it has failed in a row
     * @param isParked whether somebody has to decide; else it is run again
     * @param until when that is, as the platform has the time
     * @param timer what forgets the timer of that; null before there is one
     */
    record Suspended(
            Attempt attempt,
            int failures,
            Throwable failure,
            boolean isParked,
            long until,
            AtomicReference<@Nullable Runnable> timer) {

        /** It waits no longer, or is known not to: a timer would keep the task until its time has come. */
        void forgetTimer() {
            Runnable forgets = timer.get();
            if (forgets != null) {
                forgets.run();
            }
        }
    }

    private volatile Object state;

    @SuppressWarnings("NullAway.Init") // plain is enough: the place is published by whoever has the bin
    Place(Object state, Orders orders) {
        super(orders.none());
        STATE.set(this, state);
    }

    @Override
    Place place() {
        return this;
    }

    /** Whether it is not filled yet. */
    final boolean isReserved() {
        return state instanceof Vacancy;
    }

    /** It has left its orders, or is about to: gives back what it has besides. */
    void leaveRooms() {}

    /** Whether the thread that leaves it runs what is granted by that: then it leaves no request for this. */
    boolean mustLeaveItself() {
        return false;
    }

    /** It has left its orders: it leaves what it stands in besides, and returns what that grants. */
    @Nullable
    Grants leaveElsewhere() {
        return null;
    }

    /** When it was accepted, as the platform has the time; 0 if tasks are not timed. */
    long queuedAt() {
        return 0;
    }

    /** What it was submitted to; null if that is the key of its order, and nothing else. */
    @Nullable
    Object targetOrNull() {
        return null;
    }

    /** Whether somebody can name it by a key, to decide on it when it is parked. */
    boolean hasKey() {
        return !Orders.isKeyless(order.key);
    }

    /** In how many of its orders it counts as queued. */
    int countedSteps() {
        return 1;
    }

    final Orders orders() {
        return order.bin.orders;
    }

    // the state

    final Object state() {
        return state;
    }

    final boolean change(Object from, Object to) {
        return STATE.compareAndSet(this, from, to);
    }

    /** For the thread that has ended the attempt. */
    final void setLeft() {
        STATE.setRelease(this, Out.LEFT);
    }

    final boolean isTakenBack() {
        return isTakenBack(state);
    }

    private static boolean isTakenBack(Object state) {
        return state instanceof Completes completes ? completes.future.isDone() : state instanceof Out;
    }

    final boolean isVacated() {
        return state == Out.VACATED;
    }

    /** Under the bin, for a place that is out. */
    final void setVacated() {
        state = Out.VACATED;
    }

    /** It is granted: whether it is filled, too, and to be run. */
    boolean isReadyWhenGranted() {
        while (true) {
            Object seen = state;
            if (!(seen instanceof Vacancy vacancy)) {
                return !(seen instanceof Out) && !(seen instanceof Completes);
            }
            if (vacancy.hasTurn) {
                return false;
            }
            if (change(vacancy, new Vacancy(vacancy.reservation, true))) {
                vacancy.reservation.beginTurn();
                return false;
            }
        }
    }

    /** It was granted and is not ready: whether it is over, and the caller lets it leave. */
    boolean isOverWhenGranted() {
        return false;
    }

    /** The barriers before it have left, and its order has granted it before: whether it is granted now. */
    boolean isGrantedAfterBarriers() {
        return true;
    }

    /** A state; of a place that was set aside, the one before. */
    static Object unpaused(Object state) {
        return state instanceof Paused aside ? aside.work : state;
    }

    /** What it runs when it starts, once or again; null if it has nothing to run, or runs it. */
    static @Nullable Runnable workOf(Object state) {
        Object unpaused = unpaused(state);
        return unpaused instanceof Again again ? again.task : unpaused instanceof Runnable work ? work : null;
    }

    /** What a thread runs that comes for it; null of a place that was set aside, too. */
    static @Nullable Runnable startableOf(Object state) {
        return state instanceof Paused ? null : workOf(state);
    }

    /** Whether it counts as queued: it has not started, or waits to be run again. */
    final boolean isQueued() {
        Object seen = state;
        return seen instanceof Vacancy || seen instanceof Suspended || workOf(seen) != null;
    }

    /** How many tasks of it count as queued. */
    int queuedTasks() {
        return isQueued() ? 1 : 0;
    }

    /** Whether somebody has to decide what becomes of it. */
    final boolean isParked() {
        return state instanceof Suspended suspended && suspended.isParked;
    }

    /** Whether it was found paused by a thread that would have started it. */
    final boolean isSetAside() {
        return state instanceof Paused;
    }

    final boolean isActive() {
        return state instanceof Attempt;
    }

    /** Whether its key is busy with it: not any more once its task has ended, although it stands there still. */
    final boolean isBusy() {
        Object seen = state;
        return !(seen instanceof Out) && !(seen instanceof Attempt attempt && attempt.isEnded());
    }

    /** The thread that does something for it; null if none does at this moment. */
    @Nullable
    Thread thread() {
        return state instanceof Attempt attempt ? attempt.thread() : null;
    }

    // its orders

    /** How many steps it has. */
    int steps() {
        return 1;
    }

    Step step(int index) {
        return this;
    }

    final boolean hasEntered() {
        Step first = step(0);
        return first.order != first.order.bin.orders.none();
    }

    /** Whether a key of it is paused: then its task may not start although it is granted. */
    boolean isPaused() {
        return order.isPaused();
    }

    /** A key of it that is paused; null if none is, or it is not known which one. */
    @Nullable
    Object pausedKey() {
        return order.isPaused() ? order.key : null;
    }

    // running

    @Override
    public final void run() {
        Dispatcher.dispatcherOf(this).serve(this);
    }

    @Override
    public final @Nullable Object key() {
        return service().namedTargetOf(this);
    }

    // its future

    @Override
    public final void onReturn() {
        if (state instanceof Attempt attempt) {
            attempt.setEnded();
        }
    }

    @Override
    public final @Nullable Object executorThatFollows() {
        return service().orNullIfCallers();
    }

    @Override
    public final void onCompleted(TaskFuture<?> future) {
        service().onCompleted(this, future);
    }

    final Service service() {
        return Dispatcher.dispatcherOf(this).service();
    }

    @Override
    public final List<Thread> awaitedThreads() {
        return new Ahead(service()).threads(this);
    }

    @Override
    public final List<Thread> ownersAhead() {
        return new Ahead(service()).owners(this);
    }

    @Override
    public final boolean isBehind(TaskPlace other) {
        return new Ahead(service()).of(this).contains(other);
    }

    @Override
    public final String describe() {
        return new Explainer(service()).describe(this);
    }

    @Override
    public final @Nullable Duration queuedFor() {
        return new Explainer(service()).queuedFor(this);
    }

    @Override
    public final Explanation.Place where() {
        return new Explainer(service()).where(this);
    }

    @Override
    public final Reason heldUpBy() {
        return new Explainer(service()).reasonOf(this);
    }

    // kinds

    /** A place that knows more than its key: what it was submitted to, and when. */
    static class Timed extends Place {
        private final Object target;
        private final long queuedAt;

        Timed(Object state, Orders orders, Object target, long queuedAt) {
            super(state, orders);
            this.target = target;
            this.queuedAt = queuedAt;
        }

        @Override
        final Object targetOrNull() {
            return target;
        }

        @Override
        long queuedAt() {
            return queuedAt;
        }
    }

    /** A place of one exclusive key whose task a later one of an equal slot may replace, until it has started. */
    static final class Slotted extends Timed {
        private final Object slot;

        /** Of the task that is here now. Written by the one who has replaced it. */
        private volatile long queuedAt;

        Slotted(TaskFuture<?> task, Orders orders, Object target, Object slot, long queuedAt) {
            super(task, orders, target, queuedAt);
            this.slot = slot;
            this.queuedAt = queuedAt;
        }

        Object slot() {
            return slot;
        }

        /**
         * Replaces the task, for a submitter that has found this the last place of its order.
         *
         * @return the task that was replaced; null if it has started, or is over
         */
        @Nullable
        TaskFuture<?> replace(TaskFuture<?> task, long now) {
            TaskPlace own = task.place();
            Object seen = state();
            // a thread may set it aside meanwhile, or take it up again
            while (unpaused(seen) instanceof TaskFuture<?> replaced) {
                // before it can be found here
                task.setPlace(this);
                if (change(seen, seen instanceof Paused ? new Paused(task) : task)) {
                    queuedAt = now;
                    return replaced;
                }
                seen = state();
            }
            task.setPlace(own);
            return null;
        }

        @Override
        long queuedAt() {
            return queuedAt;
        }
    }

    /** A place of one shared key. */
    static class Shared extends Timed {
        private @Nullable Step previous;
        private boolean isHolder;

        Shared(Object state, Orders orders, Object target, long queuedAt) {
            super(state, orders, target, queuedAt);
        }

        @Override
        final boolean isShared() {
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
