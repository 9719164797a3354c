package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.State;
import io.orderedexecutor.engine.task.TaskFuture;
import org.jspecify.annotations.Nullable;

/**
 * The states of a place. It is granted by those before it, and filled with work, in whichever order; then a thread runs
 * it:
 *
 * <pre>
 *   work, {@link Again}  filled: runs when it is granted, and handed over
 *   {@link Paused}       work, which a thread would have started, but it was paused; nobody comes for it
 *   {@link Vacancy}      reserved: not filled, granted or not
 *   {@link Attempt}      a thread runs it, or its stage is not complete
 *   {@link Suspended}    it has failed, and waits to be run again, or for somebody to decide
 *   {@link Completes}    taken back: its future is about to be complete, and nothing behind it may start before that
 *   {@link Place.Out}    over: it has left its orders, or is about to
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
 * </pre>
 *
 * <p>Each is a compare-and-set by any thread.
 */
public final class States {
    private States() {}

    /**
     * Taken back, by a thread that completes its future next. Until that is complete, it holds up the places behind it.
     */
    public static final class Completes extends State {
        private final TaskFuture<?> future;

        /** @param future the future, of which nothing but its end is asked */
        Completes(TaskFuture<?> future) {
            this.future = future;
        }

        @Override
        public boolean isQueued() {
            return false;
        }

        @Override
        public boolean isOver() {
            return future.isDone();
        }

        @Override
        protected boolean isReadyWhenGranted(Place place) {
            return false;
        }
    }

    /** Work, first or again, that a thread has found paused. */
    static final class Paused extends State {
        private final Object work;

        /** @param work the state that it was in, and is in again when it goes on */
        Paused(Object work) {
            this.work = work;
        }

        Object work() {
            return work;
        }

        @Override
        protected boolean isSetAside() {
            return true;
        }
    }

    /** Work that has failed and is to be run again. */
    static final class Again extends State {
        private final Runnable task;
        private final int failures;

        /** @param failures how often it has failed in a row */
        Again(Runnable task, int failures) {
            this.task = task;
            this.failures = failures;
        }

        Runnable task() {
            return task;
        }

        int failures() {
            return failures;
        }
    }

    /** A place that is reserved and not filled. */
    public static final class Vacancy extends State {
        private final HeldPlace reservation;
        private final boolean hasTurn;

        public Vacancy(HeldPlace reservation, boolean hasTurn) {
            this.reservation = reservation;
            this.hasTurn = hasTurn;
        }

        HeldPlace reservation() {
            return reservation;
        }

        boolean hasTurn() {
            return hasTurn;
        }

        @Override
        protected boolean isReserved() {
            return true;
        }

        @Override
        protected boolean isReadyWhenGranted(Place place) {
            if (hasTurn) {
                return false;
            }
            if (!place.change(this, new Vacancy(reservation, true))) {
                // it was filled or given back
                return place.isReadyWhenGranted();
            }
            reservation.beginTurn();
            return false;
        }
    }

    /** Work that has failed, in an attempt that has ended. */
    public static final class Suspended extends State {
        private final Attempt attempt;
        private final int failures;
        private final Throwable failure;
        private final boolean isParked;
        private final long until;

        /**
         * The action that forgets the timer of the next attempt; null before there is one. Written by the thread that
         * has set the timer.
         */
        private volatile @Nullable Runnable forgetsTimer;

        /**
         * Work that waits.
         *
         * @param failures how often it has failed in a row
         * @param isParked whether somebody has to decide what becomes of it; else it is run again
         * @param until when it is run again, on the clock of the platform
         */
        Suspended(Attempt attempt, int failures, Throwable failure, boolean isParked, long until) {
            this.attempt = attempt;
            this.failures = failures;
            this.failure = failure;
            this.isParked = isParked;
            this.until = until;
        }

        Attempt attempt() {
            return attempt;
        }

        int failures() {
            return failures;
        }

        public Throwable failure() {
            return failure;
        }

        long until() {
            return until;
        }

        @Override
        public boolean isParked() {
            return isParked;
        }

        void setTimer(Runnable forgets) {
            forgetsTimer = forgets;
        }

        /** Called when it no longer waits: a timer would keep the task in memory until its time has come. */
        void forgetTimer() {
            Runnable forgets = forgetsTimer;
            if (forgets != null) {
                forgets.run();
            }
        }
    }

    /** The state itself; of a place that was set aside, the state that it was in before. */
    static Object unpaused(Object state) {
        return state instanceof Paused aside ? aside.work() : state;
    }

    /** The task that it runs when it starts, for the first time or again; null if it has none, or runs it already. */
    static @Nullable Runnable workOf(Object state) {
        Object unpaused = unpaused(state);
        return unpaused instanceof Again again ? again.task() : unpaused instanceof Runnable work ? work : null;
    }

    /** The task that waits for its first attempt, or for another one; null if there is none, or it runs. */
    static @Nullable Runnable taskOf(Object state) {
        return state instanceof Suspended suspended ? suspended.attempt().task : workOf(state);
    }

    /** The future of the task of a place, which may run; null if it has none. */
    static @Nullable TaskFuture<?> futureOf(Place place) {
        Object state = place.state();
        Runnable task = state instanceof Attempt attempt ? attempt.task : taskOf(state);
        return task instanceof TaskFuture<?> future ? future : null;
    }

    /** Changes a place that may wait for its next attempt; false if another thread has. */
    static boolean change(Place place, Object state, Object next) {
        boolean mine = place.change(state, next);
        if (mine && state instanceof Suspended suspended) {
            suspended.forgetTimer();
        }
        return mine;
    }

    /** The task that a thread runs that comes for the place; null if it has none, or the place was set aside. */
    static @Nullable Runnable startableOf(Object state) {
        return state instanceof Paused ? null : workOf(state);
    }
}
