package io.orderedexecutor.engine.strand;

import io.orderedexecutor.Groups;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.task.Reason;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.Explanation.Cause;
import io.orderedexecutor.stats.Explanation.Place;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds a strand up, as its {@linkplain Strand holder} tells. Each look is a few reads, but for a strand that
 * waits for a thread: then all that its executor runs is looked at, to tell who has the threads.
 */
public final class StrandReasons {
    private static final Comparator<RunningTask> OLDEST_FIRST = Comparator.comparing(
            RunningTask::age,
            Comparator.nullsLast(Comparator.<Duration>naturalOrder().reversed()));

    private StrandReasons() {}

    /** Explains what waits first in a strand; or what it does, if nothing waits. */
    public static Explanation explain(Strand strand, boolean stacks) {
        Waiting first = Waiting.firstOf(strand);
        return Reasons.of(
                strand, first == null ? null : first.task(), first == null ? null : first.age(strand), stacks);
    }

    /**
     * Explains a strand whose first task runs, or has waited, for too long.
     *
     * @param nanos from where on that is too long
     * @return null if it is not, or tasks are not timed
     */
    public static @Nullable Explanation explainStuck(Strand strand, long nanos) {
        Duration limit = Duration.ofNanos(nanos);
        RunningTask running = StrandControl.runningTask(strand);
        Waiting first = running == null ? Waiting.firstOf(strand) : null;
        Duration age = running != null ? running.age() : first == null ? null : first.age(strand);
        return age == null || age.compareTo(limit) < 0 ? null : explain(strand, false);
    }

    public static Place placeOf(Strand strand) {
        Object key = strand.key;
        return new Place(
                strand.host().name(),
                key instanceof Groups ? "groups" : "stripe",
                key == TaskEvents.NO_KEY ? null : key);
    }

    /** What keeps an executor from starting tasks: it is paused, or its threads are busy. */
    public static Reason ofBusy(Host host, Place place) {
        if (host.isPaused()) {
            return last(new Explanation.Paused(new Place(place.executor(), place.type(), null)));
        }
        int threads = host.workers().threads();
        List<RunningTask> running =
                host.runningTasks().stream().sorted(OLDEST_FIRST).toList();
        Thread longest = running.isEmpty() ? null : running.get(0).thread();
        return new Reason(
                new Explanation.NoThread(place, threads == Workers.UNKNOWN ? null : threads, running), longest);
    }

    static Reason of(Strand strand) {
        Object holder = strand.holder;
        if (holder instanceof Thread thread) {
            TaskRun run = strand.run;
            Object task = run == null ? null : run.task();
            return new Reason(
                    new Explanation.Running(placeOf(strand), task, ageOf(strand, run, task), thread, null), thread);
        }
        if (holder instanceof AsyncAttempt attempt) {
            TaskRun run = strand.run;
            Object task = run == null ? null : run.task();
            return new Reason(
                    new Explanation.Incomplete(placeOf(strand), task, ageOf(strand, run, task)), attempt.awaited);
        }
        if (holder instanceof Suspension suspension) {
            return ofSuspended(strand, suspension);
        }
        if (holder == Strand.WAITING) {
            return ofFollower(strand);
        }
        return holder == Strand.ENDED ? Reason.NONE : ofReady(strand);
    }

    private static @Nullable Duration ageOf(Strand strand, @Nullable TaskRun run, @Nullable Object task) {
        return run == null || task == null ? null : strand.host().reporter().age(run);
    }

    private static Reason ofSuspended(Strand strand, Suspension suspension) {
        Place place = placeOf(strand);
        Link head = strand.head();
        Runnable waiting = head.waiting();
        Object task = waiting == null || waiting instanceof ReservedPlace ? null : TaskReporter.submitted(waiting);
        Throwable failure = suspension.failure;
        switch (suspension.reason) {
            case PAUSED -> {
                return ofPaused(strand);
            }
            case BACKING_OFF -> {
                Duration remaining = Duration.ofNanos(
                        Math.max(0, suspension.until - strand.host().platform().nanoTime()));
                return last(new Explanation.RetryPause(place, task, failure, remaining));
            }
            case PARKED -> {
                return failure == null ? Reason.NONE : last(new Explanation.Parked(place, task, failure));
            }
            case LINGERING -> {
                long left = head instanceof ArrivalLink lingering ? lingering.leftToLinger(strand) : 0;
                return last(new Explanation.Lingering(place, Duration.ofNanos(Math.max(0, left))));
            }
            default -> {
                Thread owner = waiting instanceof ReservedPlace reserved ? reserved.owner() : null;
                return new Reason(new Explanation.Reserved(place, owner), owner);
            }
        }
    }

    private static Reason ofPaused(Strand strand) {
        Place place = placeOf(strand);
        return last(new Explanation.Paused(
                strand.host().isPaused() ? new Place(place.executor(), place.type(), null) : place));
    }

    private static Reason ofFollower(Strand strand) {
        Strand ahead = strand.host() instanceof Followers followers ? followers.directlyAhead(strand) : null;
        if (ahead == null || !ahead.isHeldBy(Strand.WAITING)) {
            return new Reason(null, ahead);
        }
        Waiting first = Waiting.firstOf(ahead);
        return new Reason(
                new Explanation.Queued(
                        placeOf(ahead), first == null ? null : first.task, first == null ? null : first.age(ahead)),
                ahead);
    }

    private static Reason ofReady(Strand strand) {
        return strand.isPaused() ? ofPaused(strand) : ofBusy(strand.host(), placeOf(strand));
    }

    private static Reason last(Cause cause) {
        return new Reason(cause, null);
    }

    /**
     * What waits first in a strand.
     *
     * @param task what was submitted; null if it is a reserved place
     * @param queuedAt 0 if tasks are not timed
     */
    record Waiting(@Nullable Object task, long queuedAt) {

        /** Null if nothing waits. */
        static @Nullable Waiting firstOf(Strand strand) {
            for (Link link = strand.head(); link != null; link = link.isPassed() ? strand.head() : link.next()) {
                long queuedAt = link.queuedAt();
                Runnable waiting = link.waiting();
                if (waiting != null) {
                    boolean isReserved = waiting instanceof ReservedPlace;
                    return new Waiting(isReserved ? null : TaskReporter.submitted(waiting), queuedAt);
                }
            }
            return null;
        }

        @Nullable
        Duration age(Strand strand) {
            return queuedAt == 0
                    ? null
                    : Duration.ofNanos(strand.host().platform().nanoTime() - queuedAt);
        }
    }
}
