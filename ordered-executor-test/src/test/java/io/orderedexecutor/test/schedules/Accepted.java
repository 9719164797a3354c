package io.orderedexecutor.test.schedules;

import io.orderedexecutor.Reservation;
import org.jspecify.annotations.Nullable;

/**
 * A task that was accepted, or a place that is reserved.
 *
 * <p>Others are before or behind it for sure if they were accepted before {@link #from} or after {@link #to}. Only jobs
 * that may replace or interrupt others, and items, are accepted at some time in between: they end those, or begin with
 * those ahead of them, before they tell.
 */
final class Accepted {
    enum State {
        QUEUED,
        STARTED,
        PUT_BACK,
        /** By another thread than the one that puts it back, which tells that later; not of an item of a batch. */
        DROPPED_WHILE_PUT_BACK,
        ENDED
    }

    final @Nullable Object key;
    final int from;
    final int to;
    private final @Nullable Reservation place;

    /** Null while a place is reserved for it. */
    @Nullable
    Job job;

    State state = State.QUEUED;

    Accepted(@Nullable Object key, @Nullable Job job, @Nullable Reservation place, int from, int to) {
        this.key = key;
        this.job = job;
        this.place = place;
        this.from = from;
        this.to = to;
    }

    boolean isOpenPlace() {
        return job == null && place != null && place.isOpen();
    }

    boolean isQueued() {
        return isOpenPlace() || (job != null && state == State.QUEUED && !job.isCancelled());
    }

    boolean hasEnded() {
        return state == State.ENDED || state == State.DROPPED_WHILE_PUT_BACK;
    }

    boolean isWorking() {
        return job != null && job.isWorking();
    }

    /** Whether those that conflict with it have to wait, though it does not work. */
    boolean comesFirst() {
        return isQueued() || (job != null && state == State.PUT_BACK && !job.isCancelled());
    }

    @Override
    public String toString() {
        return (job == null ? "a reserved place" : job) + " of " + key;
    }
}
