package io.orderedexecutor.engine.place;

import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.State;
import io.orderedexecutor.engine.task.TaskFuture;
import java.util.concurrent.atomic.AtomicReference;
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
final class States {
    private States() {}

    /**
     * Taken back, by a thread that completes its future next. Until that is complete, it holds up those behind it.
     *
     * @param future the future, of which nothing but its end is asked
     */
    record Completes(TaskFuture<?> future) implements State {
        @Override
        public boolean isQueued() {
            return false;
        }

        @Override
        public boolean isOver() {
            return future.isDone();
        }

        @Override
        public boolean isReadyWhenGranted(Place place) {
            return false;
        }
    }

    /**
     * Work, first or again, that a thread has found paused.
     *
     * @param work the state that it was in, and is in again when it goes on
     */
    record Paused(Object work) implements State {
        @Override
        public boolean isQueued() {
            return true;
        }

        @Override
        public boolean isSetAside() {
            return true;
        }
    }

    /** Work that has failed and is to be run again. */
    record Again(Runnable task, int failures, @Nullable Throwable failure) implements State {
        @Override
        public boolean isQueued() {
            return true;
        }
    }

    /** A place that is reserved and not filled. */
    record Vacancy(HeldPlace reservation, boolean hasTurn) implements State {
        @Override
        public boolean isQueued() {
            return true;
        }

        @Override
        public boolean isReserved() {
            return true;
        }

        @Override
        public boolean isReadyWhenGranted(Place place) {
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
            AtomicReference<@Nullable Runnable> timer)
            implements State {
        @Override
        public boolean isQueued() {
            return true;
        }

        /** It waits no longer, or is known not to: a timer would keep the task until its time has come. */
        void forgetTimer() {
            Runnable forgets = timer.get();
            if (forgets != null) {
                forgets.run();
            }
        }
    }

    /** A state; of a place that was set aside, the one before. */
    static Object unpaused(Object state) {
        return state instanceof Paused aside ? aside.work() : state;
    }

    /** What it runs when it starts, once or again; null if it has nothing to run, or runs it. */
    static @Nullable Runnable workOf(Object state) {
        Object unpaused = unpaused(state);
        return unpaused instanceof Again again ? again.task() : unpaused instanceof Runnable work ? work : null;
    }

    /** What a thread runs that comes for it; null of a place that was set aside, too. */
    static @Nullable Runnable startableOf(Object state) {
        return state instanceof Paused ? null : workOf(state);
    }
}
