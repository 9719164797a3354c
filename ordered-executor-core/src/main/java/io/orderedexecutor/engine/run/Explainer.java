package io.orderedexecutor.engine.run;

import io.orderedexecutor.Groups;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.run.States.Completes;
import io.orderedexecutor.engine.run.States.Suspended;
import io.orderedexecutor.engine.run.States.Vacancy;
import io.orderedexecutor.engine.task.Reasons;
import io.orderedexecutor.engine.task.Reasons.HeldUp;
import io.orderedexecutor.engine.task.Reasons.Reason;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells what places wait for, one cause at a time for {@link Reasons}, and what runs. Used by one thread. */
public final class Explainer {
    private static final Comparator<RunningTask> OLDEST_FIRST = Comparator.comparing(
            RunningTask::age,
            Comparator.nullsLast(Comparator.<Duration>naturalOrder().reversed()));

    private final Service service;

    /** An executor that has no room until it starts a queued task. */
    public record Full(Service service, Explanation.Place where) implements HeldUp {
        @Override
        public Reason heldUpBy() {
            return new Explainer(service).ofFull(where);
        }
    }

    public Explainer(Service service) {
        this.service = service;
    }

    Explanation.Place where(Place place) {
        if (place instanceof Piece piece) {
            return piece.output().where();
        }
        Object target = service.targetOf(place);
        return new Explanation.Place(
                service.name(), target instanceof Groups ? "keys" : "key", target == TaskEvents.NO_KEY ? null : target);
    }

    /** Names a place in messages. */
    String describe(Place place) {
        if (place instanceof Piece piece) {
            return piece.output().describe();
        }
        Object target = service.targetOf(place);
        String what = target == TaskEvents.NO_KEY
                ? "a task without a key"
                : target instanceof Groups groups ? describe(groups) : "key " + Reports.toString(target);
        return what + " of " + service.description();
    }

    private static String describe(Groups groups) {
        List<Object> shared = groups.sharedGroups();
        int named = groups.exclusiveGroups().size() + shared.size();
        if (named == 1 && !groups.areAll() && !groups.areAllShared()) {
            return shared.isEmpty() ? "key " + groups : "shared key " + Reports.toString(shared.get(0));
        }
        return named == 0 ? groups.toString() : "keys " + groups;
    }

    /** For how long a place has been queued; null if tasks are not timed. */
    @Nullable
    Duration queuedFor(Place place) {
        return queuedSince(place.queuedAt());
    }

    /** As above, for an item of a batch. */
    @Nullable
    Duration queuedFor(BatchItem item) {
        return service.events() == null ? null : queuedSince(item.queuedAt());
    }

    private @Nullable Duration queuedSince(long queuedAt) {
        return queuedAt == 0
                ? null
                : Duration.ofNanos(Math.max(0, service.platform().nanoTime() - queuedAt));
    }

    /** The submitted task that waits; null if none waits, or the place is reserved. */
    static @Nullable Object waitingTask(Place place) {
        Object state = place.state();
        if (state instanceof Suspended suspended) {
            return suspended.shownTask();
        }
        if (place instanceof Batch batch) {
            BatchItem oldest = batch.oldest();
            return oldest == null ? null : Reports.submitted(oldest);
        }
        Runnable work = States.workOf(state);
        return work == null ? null : Reports.submitted(work);
    }

    Reason reasonOf(Place place) {
        Object state = place.state();
        if (state instanceof Attempt attempt) {
            return ofAttempt(place, attempt);
        }
        if (state instanceof Suspended suspended) {
            return new Reason(ofSuspended(place, suspended), null);
        }
        if (state instanceof Completes completes) {
            Thread by = place instanceof Batch batch ? batch.endingThread() : completes.by();
            return by == null
                    ? Reason.NONE
                    : new Reason(new Explanation.Running(where(place), null, null, by, null), by);
        }
        if (state instanceof Place.Out) {
            return Reason.NONE;
        }
        if (place instanceof Piece piece) {
            return ofWaiting(piece);
        }
        if (state instanceof Vacancy vacancy && vacancy.hasTurn()) {
            Thread owner = vacancy.reservation().owner();
            return new Reason(new Explanation.Reserved(where(place), owner), owner);
        }
        Ahead ahead = new Ahead(service);
        // if no place is before it, another thread is about to grant it
        Place one = ahead.isGranted(place) ? null : ahead.one(place);
        if (one != null) {
            return ofWaiting(one);
        }
        if (place instanceof Batch batch && batch.isLingering()) {
            Duration left = Duration.ofNanos(Math.max(0, batch.leftToLinger()));
            return new Reason(new Explanation.Lingering(where(place), left), null);
        }
        Explanation.Place paused = pausedPlace(place);
        return paused == null ? ofBusy(where(place)) : new Reason(new Explanation.Paused(paused), null);
    }

    private Reason ofWaiting(@Nullable Place ahead) {
        if (ahead == null
                || ahead.state() instanceof Attempt
                || ahead.state() instanceof Completes
                || new Ahead(service).isGranted(ahead)) {
            return new Reason(null, ahead);
        }
        Object task = waitingTask(ahead);
        return new Reason(new Explanation.Queued(where(ahead), task, task == null ? null : queuedFor(ahead)), ahead);
    }

    /** A piece that waits for a thread, or for a slot before that. */
    private Reason ofWaiting(Piece piece) {
        if (!piece.isHeldBack() || service.dispatcher().isPaused()) {
            return ofBusy(where(piece));
        }
        Place inSlot = null;
        for (Place place : piece.output().places()) {
            if (place instanceof Piece other && !other.isHeldBack()) {
                inSlot = other;
                break;
            }
        }
        return new Reason(new Explanation.ConcurrencyReached(where(piece)), inSlot);
    }

    private Reason ofAttempt(Place place, Attempt attempt) {
        if (place instanceof Piece piece && attempt.isWorked()) {
            Piece head = piece.output().head();
            return head == piece ? Reason.NONE : new Reason(null, head);
        }
        Object task = service.events() == null ? null : attempt.shownTask();
        Duration age = task == null ? null : ageOf(attempt, service.platform().nanoTime());
        Thread thread = attempt.thread();
        return thread == null
                ? new Reason(new Explanation.Incomplete(where(place), task, age), attempt.awaited())
                : new Reason(new Explanation.Running(where(place), task, age, thread, null), thread);
    }

    /** How long an attempt has run; null if it is not timed, is just beginning, or has run nothing. */
    private static @Nullable Duration ageOf(Attempt attempt, long now) {
        long startedAt = attempt.startedAt();
        return startedAt == 0 ? null : Duration.ofNanos(Math.max(0, now - startedAt));
    }

    private Explanation.Cause ofSuspended(Place place, Suspended suspended) {
        Object task = suspended.shownTask();
        if (suspended.isParked()) {
            return new Explanation.Parked(where(place), task, suspended.shownFailure());
        }
        Duration remaining = Duration.ofNanos(
                Math.max(0, suspended.until() - service.platform().nanoTime()));
        return new Explanation.RetryDelay(where(place), task, suspended.shownFailure(), remaining);
    }

    /** The key or executor whose pause keeps a place from starting; null if none does. */
    private Explanation.@Nullable Place pausedPlace(Place place) {
        Explanation.Place where = where(place);
        if (service.dispatcher().isPaused()) {
            return new Explanation.Place(where.executor(), where.type(), null);
        }
        Object key = place.pausedKey();
        if (key != null && where.key() instanceof Groups) {
            return new Explanation.Place(where.executor(), "key", key);
        }
        return key != null || place.isPaused() ? where : null;
    }

    /** Why no queued task starts: for want of a thread if one waits for that, else what one of them waits for. */
    private Reason ofFull(Explanation.Place where) {
        if (service.dispatcher().isPaused()) {
            return ofBusy(where);
        }
        // the pieces of an output wait for the same
        Map<Object, Place> queued = new LinkedHashMap<>();
        service.survey().forEachOldest(place -> {
            if (place.isQueued()) {
                queued.putIfAbsent(place instanceof Piece piece ? piece.output() : place, place);
            }
        });
        Reason any = Reason.NONE;
        for (Place place : queued.values()) {
            Reason reason = reasonOf(place);
            if (reason.cause() instanceof Explanation.NoThread) {
                return ofBusy(where);
            }
            any = any == Reason.NONE ? reason : any;
        }
        return any;
    }

    /** What keeps the executor from starting tasks: it is paused, or its threads are busy. */
    private Reason ofBusy(Explanation.Place where) {
        if (service.dispatcher().isPaused()) {
            return new Reason(
                    new Explanation.Paused(new Explanation.Place(where.executor(), where.type(), null)), null);
        }
        int threads = service.workers().threads();
        List<RunningTask> running = runningTasks().stream().sorted(OLDEST_FIRST).toList();
        Thread longest = running.isEmpty() ? null : running.get(0).thread();
        return new Reason(
                new Explanation.NoThread(where, threads == Workers.UNKNOWN ? null : threads, running), longest);
    }

    // what runs

    public List<RunningTask> runningTasks() {
        List<RunningTask> running = new ArrayList<>();
        // one time for all, so that the order of their ages does not depend on when this looks at each
        long now = service.platform().nanoTime();
        for (Place place : service.survey().active()) {
            if (place.state() instanceof Attempt attempt) {
                running.add(running(place, attempt, now));
            }
        }
        return List.copyOf(running);
    }

    private RunningTask running(Place place, Attempt attempt, long now) {
        Object task = service.events() == null || attempt.isEnded() ? null : attempt.shownTask();
        Duration age = task == null ? null : ageOf(attempt, now);
        return new RunningTask(service.namedTargetOf(place), attempt.thread(), age == null ? null : task, age);
    }

    /**
     * Explains the places at the front that have run or waited for at least this long; none without timing. Leaves out
     * pieces that run behind the front of their output.
     */
    public List<Explanation> stuck(Duration atLeast, boolean stacks) {
        List<Explanation> stuck = new ArrayList<>();
        if (service.events() == null) {
            return stuck;
        }
        long now = service.platform().nanoTime();
        Ahead ahead = new Ahead(service);
        for (Place place : service.survey().holders()) {
            Object state = place.state();
            Duration age = state instanceof Attempt attempt ? ageOf(attempt, now) : queuedFor(place);
            boolean isOver = state instanceof Place.Out || state instanceof Completes;
            boolean isFirst = state instanceof Attempt || (!isOver && ahead.isGranted(place));
            if (isFirst && age != null && age.compareTo(atLeast) >= 0) {
                Explanation explanation = explain(place, stacks);
                // the task may have ended just now
                if (!(explanation.causes().get(0) instanceof Explanation.Idle)) {
                    stuck.add(explanation);
                }
            }
        }
        return List.copyOf(stuck);
    }

    /** Explains what a place waits for, or that its task runs. Names the task that waits there, if one does. */
    public Explanation explain(Place place, boolean stacks) {
        Object task = waitingTask(place);
        return Reasons.of(Served.of(place), task, task == null ? null : queuedFor(place), stacks);
    }
}
