package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.State;
import io.orderedexecutor.engine.task.TaskFuture;
import org.jspecify.annotations.Nullable;

/**
 * The states of a place. The places before it grant it, and its submitter fills it with work, in either order; then a
 * thread runs it:
 *
 * <pre>
 *   work, {@link Again}  filled: once it is granted, it is handed over and runs
 *   {@link Paused}       filled, but paused: the thread that ends the pause hands it over again
 *   {@link Vacancy}      reserved and not filled; granted or not
 *   {@link Attempt}      a thread runs the work, its stage is not complete, or its result waits to be written
 *   {@link Suspended}    the work failed, and waits for its retry, or for the application to decide
 *   {@link Completes}    taken back; nothing behind the place may start until its future is complete
 *   {@link Place.Out}    over: it has left its orders, or is about to
 *
 *   Vacancy ──▶ Vacancy with its turn  granted before it was filled: by the granting thread
 *   Vacancy ──▶ work         by the user of the reservation, who hands the place over if its turn has come; or by the
 *                            thread that ends the lease of a ticket, with its report
 *   work ──▶ work            replaced by a later task of the same slot; Paused ──▶ Paused likewise
 *   work, Again ──▶ Attempt  by the thread that runs it; if the place was handed over twice, the second thread fails
 *   work, Again ──▶ Paused   by a thread that was about to start it
 *   Paused ──▶ work, Again   by the thread that ends the pause, or by the one that set the place aside, if it sees that
 *                            end
 *   Attempt ──▶ Suspended    by the thread that ended the attempt, see there
 *   Attempt ──▶ Again        by the thread that ended the attempt, to retry at once
 *   Suspended, Again ──▶ that Attempt  by the same thread, if it sees that shutdownNow was called, that the future is
 *                            complete, or that the task is superseded: it ends the task
 *   Suspended ──▶ Again      by the timer, at once if no timer can be set, or by the thread that resumes it
 *   Suspended ──▶ Attempt    one that has ended: by the thread that skips the task, shuts down, or has parked the task
 *                            after the shutdown; this thread ends the task
 *   Attempt ──▶ LEFT         by the thread that ended the attempt
 *   Attempt ──▶ Completes ──▶ LEFT, TAKEN_BACK
 *                            of a batch: the second change by the thread that ends the last item, or is the last to
 *                            keep the batch from leaving, to TAKEN_BACK, or by the thread that ended the attempt, to
 *                            LEFT, if it sees that all items have ended
 *   work, Again, Paused, Vacancy, Suspended ──▶ TAKEN_BACK, or how a reservation has ended
 *                            cancelled or completed early, dropped, refused by the workers or a closed output, given
 *                            back, expired, or by a shutdown; for a batch, when its last item was taken out
 *   work, Again, Paused, Suspended ──▶ Completes ──▶ TAKEN_BACK
 *                            dropped, superseded, or by a shutdown, if it has a future; the second change when that is
 *                            complete
 * </pre>
 *
 * <p>Each is a compare-and-set by any thread, except the change from an attempt to LEFT, for which no other thread
 * competes. A state in which a place is over may change once more at any time, see VACATED in {@link Place}; so the
 * compare-and-set from Completes to TAKEN_BACK may fail, and the place leaves all the same.
 */
public final class States {
    private States() {}

    /**
     * Over, except that a future is not complete yet: that of the task, which a thread has taken back, or those of
     * items that threads have taken out of a batch. Until then, the place holds up those behind it. A place with the
     * future of a task counts as over as soon as that is complete, although the thread that has taken it back usually
     * changes the state after the dependent actions. A batch counts as over only when a thread that sees all futures
     * complete has changed its state.
     */
    public static final class Completes extends State {
        private final @Nullable TaskFuture<?> future;
        private final @Nullable Thread by;

        /**
         * @param future null for a batch
         * @param by the thread that completes the future; null for a batch
         */
        Completes(@Nullable TaskFuture<?> future, @Nullable Thread by) {
            this.future = future;
            this.by = by;
        }

        /** The thread that completes the future, for explanations; it may also run dependent actions. */
        @Nullable
        Thread by() {
            return by;
        }

        @Override
        public boolean isQueued() {
            return false;
        }

        @Override
        public boolean isOver() {
            return future != null && future.isDone();
        }

        @Override
        protected boolean isReadyWhenGranted(Place place) {
            return false;
        }
    }

    /** Work that a thread was about to start, for the first time or again, and found paused. */
    static final class Paused extends State {
        private final Object work;

        /** @param work the state before the pause, and again after it */
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

    /** Work that has failed and is about to run again. */
    static final class Again extends State {
        private final Runnable task;
        private final int failures;

        /** @param failures how often the work has failed since it was submitted or resumed */
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

    /** A place that is reserved and not filled yet. */
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
                // another thread filled it or gave it back, or ended it
                return place.isReadyWhenGranted();
            }
            reservation.beginTurn();
            return false;
        }
    }

    /** Work whose attempt has ended with a failure. */
    public static final class Suspended extends State {
        private final Attempt attempt;
        private final int failures;
        private final Throwable failure;
        private final boolean isParked;
        private final long until;

        /**
         * Cancels the timer of the next attempt; null before it is set. Written by the thread that has set the timer.
         */
        private volatile @Nullable Runnable forgetsTimer;

        /**
         * Suspends a place.
         *
         * @param failures how often the work has failed since it was submitted or resumed
         * @param isParked whether the application decides what becomes of the work; if not, it runs again
         * @param until when the work runs again, or when it was parked; on the clock of the platform
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

        /** What was submitted; for a batch, its items that will run again. */
        public @Nullable Object shownTask() {
            return attempt.place instanceof Batch batch ? batch.shownTasks() : attempt.shownTask();
        }

        public int failures() {
            return failures;
        }

        Throwable failure() {
            return failure;
        }

        /** The failure as it is shown. */
        public Throwable shownFailure() {
            return attempt.shown(failure);
        }

        public long until() {
            return until;
        }

        @Override
        public boolean isParked() {
            return isParked;
        }

        void setTimer(Runnable forgets) {
            forgetsTimer = forgets;
        }

        /** Called when the work no longer waits: the timer would keep the task in memory until it fires. */
        void forgetTimer() {
            Runnable forgets = forgetsTimer;
            if (forgets != null) {
                forgets.run();
            }
        }
    }

    /** The state itself; for a place that was set aside, the state before that. */
    static Object unpaused(Object state) {
        return state instanceof Paused aside ? aside.work() : state;
    }

    /** The task that would run next, for the first time or at once again; null if there is none, or it runs already. */
    static @Nullable Runnable workOf(Object state) {
        Object unpaused = unpaused(state);
        return unpaused instanceof Again again ? again.task() : unpaused instanceof Runnable work ? work : null;
    }

    /** The task that waits for its first or another attempt; null if there is none, or it runs. */
    static @Nullable Runnable taskOf(Object state) {
        return state instanceof Suspended suspended ? suspended.attempt().task : workOf(state);
    }

    /** The future of the task of a place, whether it waits or runs; null if it has none. */
    static @Nullable TaskFuture<?> futureOf(Place place) {
        return futureIn(place.state());
    }

    /** As above, for a state that the caller has read. */
    static @Nullable TaskFuture<?> futureIn(Object state) {
        Runnable task = state instanceof Attempt attempt ? attempt.task : taskOf(state);
        return task instanceof TaskFuture<?> future ? future : null;
    }

    /** Changes a state, and forgets its timer if it has one; false if another thread changed the state first. */
    static boolean change(Place place, Object state, Object next) {
        boolean mine = place.change(state, next);
        if (mine && state instanceof Suspended suspended) {
            suspended.forgetTimer();
        }
        return mine;
    }

    /**
     * Whether a place makes its keys busy. It does not once its task has ended, or its future was completed before the
     * task ran, although the place still stands in its orders then.
     */
    public static boolean isBusy(Place place) {
        while (true) {
            Object state = place.state();
            if (isBusy(place, state)) {
                return true;
            }
            // if another thread has started the task meanwhile, the place may be busy in its new state
            if (place.state() == state) {
                return false;
            }
        }
    }

    private static boolean isBusy(Place place, Object state) {
        if (state instanceof Attempt attempt) {
            return attempt.isBusy();
        }
        Runnable task = taskOf(state);
        if (task == null) {
            return state instanceof Vacancy;
        }
        return place instanceof Batch batch
                ? batch.hasItemToRun()
                : !(task instanceof TaskFuture<?> future && future.isDone());
    }

    /** The task to run when a thread picks up the place; null if there is none or the place is set aside. */
    static @Nullable Runnable startableOf(Object state) {
        return state instanceof Paused ? null : workOf(state);
    }
}
