package io.orderedexecutor.engine.run;

import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.Out;
import io.orderedexecutor.engine.order.Survey;
import io.orderedexecutor.engine.permit.Rooms;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.run.Batch.Claimed;
import io.orderedexecutor.engine.run.States.Again;
import io.orderedexecutor.engine.run.States.Completes;
import io.orderedexecutor.engine.run.States.Suspended;
import io.orderedexecutor.engine.task.Causes;
import io.orderedexecutor.engine.task.NestedCompletions;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs the places of an executor. How an attempt to run a place ends decides whether the place leaves its orders, runs
 * again at once or later, or waits for a decision of the application.
 */
public final class Service {

    /** What the thread that attempted to run a place does next with this place. */
    enum Next {
        /** Removes the place from its orders: it is over. */
        LEAVE,
        /** Runs the place again at once: the work failed, or a piece is ready to be written. */
        AGAIN,
        /** Nothing: the place waits, another thread continues with it, or it has left. */
        NOTHING
    }

    private final String name;
    private final String description;
    private final Workers workers;
    private final Platform platform;
    private final Reports reports;

    /** A copy of {@code reports.events()}: that field shares a cache line with counters that threads keep writing. */
    private final @Nullable TaskEvents events;

    private final Retries retries;
    private final Rooms rooms;
    private final Dispatcher dispatcher;
    private final Orders orders;
    private final Survey survey;

    /** The target of a place (a key, or groups) as the application named it; see {@link TaskEvents#NO_KEY}. */
    private final Function<Place, Object> targets;

    private final Comparisons comparisons = new Comparisons();

    private final Set<HeldPlace> reserved = ConcurrentHashMap.newKeySet();
    private final Set<Batch> lingering = ConcurrentHashMap.newKeySet();

    /**
     * The orders that threads wait for, once for each thread; {@link Orders#none()} stands for all. Unmodifiable;
     * replaced under the monitor.
     */
    private volatile List<Order> awaited = List.of();

    private final TakingBack takingBack;
    private final Lifecycle lifecycle;

    public Service(
            Settings settings,
            String description,
            Workers workers,
            Function<Place, Object> targets,
            Runnable onTerminated) {
        this.name = settings.name();
        this.description = description;
        this.workers = workers;
        this.platform = workers.platform();
        this.reports = new Reports(settings.listeners());
        this.events = reports.events();
        this.retries = new Retries(settings.failurePolicy());
        this.targets = targets;
        this.dispatcher = new Dispatcher(this, description, workers, settings.identityStripes());
        this.orders = dispatcher.orders();
        this.survey = new Survey(orders);
        this.rooms = new Rooms(description, orders, settings.capacity(), settings.keyCapacity());
        this.takingBack = new TakingBack(this);
        this.lifecycle = new Lifecycle(name, reports, orders, survey, rooms, onTerminated);
    }

    public String name() {
        return name;
    }

    /** The kind of executor and its name, for messages. */
    public String description() {
        return description;
    }

    public Workers workers() {
        return workers;
    }

    public Platform platform() {
        return platform;
    }

    @Nullable
    TaskEvents events() {
        return events;
    }

    public Reports reports() {
        return reports;
    }

    public TakingBack takingBack() {
        return takingBack;
    }

    public Lifecycle lifecycle() {
        return lifecycle;
    }

    public FailurePolicy failurePolicy() {
        return retries.policy();
    }

    public Rooms rooms() {
        return rooms;
    }

    public Comparisons comparisons() {
        return comparisons;
    }

    public Dispatcher dispatcher() {
        return dispatcher;
    }

    public Orders orders() {
        return orders;
    }

    public Survey survey() {
        return survey;
    }

    public Set<HeldPlace> reserved() {
        return reserved;
    }

    Object targetOf(Place place) {
        return targets.apply(place);
    }

    /** The target of a place; null if it has no name. */
    @Nullable
    Object namedTargetOf(Place place) {
        Object target = targetOf(place);
        return target == TaskEvents.NO_KEY ? null : target;
    }

    /** A target with a prefix, for a message; empty if the target has no name. */
    String describe(String prefix, Object target) {
        return target == TaskEvents.NO_KEY ? "" : prefix + Reports.toString(target);
    }

    // an attempt

    /**
     * Runs a place if it is ready and this thread may run it.
     *
     * @param own the only state in which this thread may run the place; null for any state
     */
    Next attempt(Place place, @Nullable Object own) {
        Object state = place.state();
        if (state instanceof Attempt worked && place instanceof Piece piece) {
            return write(piece, worked);
        }
        if (own != null && state != own) {
            dispatcher.startIfWaiting(place);
            return Next.NOTHING;
        }
        Runnable task = States.startableOf(state);
        if (task == null || lifecycle.isStopping() || dispatcher.setAsideIfPaused(place)) {
            return Next.NOTHING;
        }
        if (place instanceof Batch batch && (batch.isLingering() || batch.beginsToLinger())) {
            return Next.NOTHING;
        }
        int failures = state instanceof Again again ? again.failures() : 0;
        Attempt attempt = new Attempt(place, task, failures);
        if (!place.change(state, attempt)) {
            // another thread has started, set aside, replaced or taken back the task: this thread may run the new one
            return attempt(place, own);
        }
        if (place instanceof Batch batch) {
            return runBatch(attempt, batch);
        }
        rooms.giveBack(place);
        if (!(task instanceof TaskFuture<?> future)) {
            return run(attempt, task);
        }
        Object work = future.take();
        if (work == null || future.isDone()) {
            // another thread has completed the future: when it looks at the place, it sees this attempt, and leaves it
            // to this thread to end the task. Or the application let a thread see the future by a data race, without
            // its place, and that thread has run the work
            attempt.setEnded();
            future.setPlace(null);
            takingBack.endUnrun(place, future, work);
            place.setLeft();
            return Next.LEAVE;
        }
        return run(attempt, work);
    }

    private Next runBatch(Attempt attempt, Batch batch) {
        boolean isFirst = batch.isFirstRun();
        Claimed claimed = batch.claim();
        int items = claimed.items().size();
        batch.whole().take();
        rooms.giveBack(batch, items);
        takingBack.takeOutRest(batch);
        if (items == 0) {
            attempt.setEnded();
            batch.whole().setPlace(null);
            return setLeftIfEnded(attempt, batch) ? Next.LEAVE : Next.NOTHING;
        }
        if (isFirst) {
            reports.count(Count.BATCHES);
            reports.add(Count.BATCHED_ITEMS, items);
            if (events != null) {
                events.batched(targetOf(batch), items);
            }
        }
        return run(attempt, claimed);
    }

    private Next run(Attempt attempt, Object work) {
        start(attempt, work);
        TaskFuture<?> future = attempt.future();
        Throwable failure = null;
        CompletionStage<?> stage = null;
        try {
            beforeBody();
            if (future == null) {
                attempt.task.run();
            } else {
                stage = future.attempt(work);
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (stage != null) {
            return await(attempt, Objects.requireNonNull(future), stage);
        }
        if (failure == null && attempt.place instanceof Piece piece) {
            attempt.setWorked(now());
            clearInterrupt(attempt);
            return fill(piece, attempt, (TaskFuture.Piece<?>) Objects.requireNonNull(future), null);
        }
        if (failure == null) {
            attempt.setEnded();
            clearInterrupt(attempt);
            return end(attempt, null, false);
        }
        attempt.setFailed();
        clearInterrupt(attempt);
        return goOnAfter(attempt, failure, false);
    }

    private void start(Attempt attempt, Object work) {
        if (events == null) {
            attempt.start(work, 0);
            return;
        }
        long now = platform.nanoTime();
        attempt.start(work, now);
        Object target = targetOf(attempt.place);
        if (work instanceof Claimed claimed) {
            for (int i = 0; i < claimed.items().size(); i++) {
                events.started(
                        target,
                        claimed.works().get(i),
                        Math.max(0, now - claimed.items().get(i).queuedAt()));
            }
        } else {
            events.started(target, work, Math.max(0, now - attempt.place.queuedAt()));
        }
        // clears an interrupt left by a listener; if that was the interrupt of a shutdown, sets it again
        Thread.interrupted();
        if (lifecycle.isStopping()) {
            Thread.currentThread().interrupt();
        }
    }

    private void beforeBody() {
        if (events != null) {
            platform.beforeTask();
        }
    }

    /** Called by the thread of an attempt when its work or write is over: an interrupt must not reach the next task. */
    private void clearInterrupt(Attempt attempt) {
        if (workers.areCallers()) {
            return;
        }
        if (lifecycle.isStopping()) {
            attempt.awaitInterrupt();
        }
        Thread.interrupted();
    }

    // asynchronous tasks

    private Next await(Attempt attempt, TaskFuture<?> future, CompletionStage<?> stage) {
        boolean keepsWork = events != null || !retries.isNever();
        attempt.hold(stage instanceof TaskFuture<?> awaited ? awaited : null, keepsWork);
        clearInterrupt(attempt);
        try {
            stage.whenComplete(
                    (result, failure) -> NestedCompletions.run(() -> onStage(attempt, future, result, failure)));
        } catch (Throwable failure) {
            // ignored if the stage called back before it threw
            onStage(attempt, future, null, failure);
        }
        Next next = attempt.endRegistration();
        if (next != null) {
            return next;
        }
        if (future.isDone() && attempt.tryEndHeld()) {
            // thread A completed the future before this thread B held the attempt, so A did not end it
            return end(attempt, null, false);
        }
        if (lifecycle.isStopping()) {
            // the shutdown may have looked before the attempt was held, and so did not cancel the future
            future.cancelContained();
        }
        return Next.NOTHING;
    }

    private void onStage(Attempt attempt, TaskFuture<?> future, @Nullable Object result, @Nullable Throwable failure) {
        if (attempt.tryEndStage(failure != null)) {
            orders.orBreak(() -> onStageOfEnded(attempt, future, result, failure));
        }
    }

    private void onStageOfEnded(
            Attempt attempt, TaskFuture<?> future, @Nullable Object result, @Nullable Throwable failure) {
        boolean isHere = attempt.isBeingRegisteredHere();
        Next next;
        if (failure != null && future.isSuperseded()) {
            next = end(attempt, future, future::cancelTakenBack, null, !isHere);
        } else if (failure != null && !retries.isNever()) {
            next = goOnAfter(attempt, failure, !isHere);
        } else if (future instanceof TaskFuture.Piece<?> piece) {
            piece.setResult(result);
            next = endOrFill(attempt, failure, !isHere);
        } else {
            next = end(attempt, future, () -> future.finish(result, failure), null, !isHere);
        }
        if (isHere) {
            attempt.setNextHere(next);
        } else if (next == Next.LEAVE) {
            dispatcher.leave(attempt.place);
        } else if (next == Next.AGAIN) {
            dispatcher.start(attempt.place);
        }
    }

    /** Called when a future is complete before its task has run to the end, usually by the thread that completed it. */
    void onCompleted(Place place, TaskFuture<?> future) {
        if (future instanceof BatchItem item && place instanceof Batch batch) {
            takingBack.takeOut(batch, item);
            return;
        }
        while (true) {
            Object state = place.state();
            if (state instanceof Attempt attempt) {
                if (attempt.task == future && attempt.tryEndHeld()) {
                    orders.orBreak(() -> {
                        if (future instanceof TaskFuture.Piece<?> piece) {
                            piece.forgetResult();
                        }
                        end(attempt, null, true);
                    });
                }
                // otherwise another thread ends the task: it runs the attempt, has ended it, or has replaced the task
                return;
            }
            if (States.taskOf(state) != future || takingBack.takeBackDone(place, state, future)) {
                return;
            }
        }
    }

    // the end of an attempt

    /**
     * Ends a task, or lets its result be written. Called by the thread that ended its last attempt.
     *
     * @param leaves whether this also removes the place from its orders, if it is no piece; in any case, the caller
     *     does so on {@link Next#LEAVE}
     */
    private Next endOrFill(Attempt attempt, @Nullable Throwable failure, boolean leaves) {
        if (attempt.place instanceof Piece piece && attempt.future() instanceof TaskFuture.Piece<?> future) {
            if (failure != null) {
                future.setThrown(future.mayHold() ? Causes.unwrapped(failure) : failure);
            }
            attempt.setWorked(now());
            return fill(piece, attempt, future, failure);
        }
        return end(attempt, failure, leaves);
    }

    /** The time; 0 if tasks are not timed. */
    private long now() {
        return events == null ? 0 : platform.nanoTime();
    }

    private Next fill(Piece piece, Attempt attempt, TaskFuture.Piece<?> future, @Nullable Throwable failure) {
        piece.giveBackSlot();
        // thread A marks the work as done, then looks here; thread B completes the future or stops the executor, then
        // looks at the attempt: at least one of them ends it
        if ((lifecycle.isStopping() || future.isDone()) && attempt.tryEndHeld()) {
            if (failure == null) {
                future.cancelTakenBack();
            }
            endPiece(attempt, future, failure);
            return Next.LEAVE;
        }
        return piece.isReadyWhenFilled() ? Next.AGAIN : Next.NOTHING;
    }

    private Next write(Piece piece, Attempt attempt) {
        // a piece that was handed over to run its work may get here again before it is granted
        if (!(attempt.future() instanceof TaskFuture.Piece<?> future) || !piece.isReady() || !attempt.tryWrite()) {
            return Next.NOTHING;
        }
        if (lifecycle.isStopping()) {
            // the shutdown may have passed this piece: nobody would interrupt its write
            future.cancelTakenBack();
        }
        if (!future.isDone()) {
            piece.output().write(piece, attempt);
        }
        attempt.setEnded();
        clearInterrupt(attempt);
        endPiece(attempt, future, null);
        return Next.LEAVE;
    }

    private void endPiece(Attempt attempt, TaskFuture.Piece<?> future, @Nullable Throwable failure) {
        future.forgetResult();
        end(attempt, failure, false);
    }

    /**
     * Ends a task that has run. Called by the thread that ended its attempt.
     *
     * @param leaves see {@link #endOrFill}
     */
    private Next end(Attempt attempt, @Nullable Throwable failure, boolean leaves) {
        TaskFuture<?> future = attempt.future();
        if (future != null && failure != null) {
            return end(attempt, future, () -> future.fail(failure), failure, leaves);
        }
        attempt.noAttemptFollows();
        return endCompleted(attempt, failure, leaves);
    }

    private Next end(
            Attempt attempt, TaskFuture<?> future, Runnable completion, @Nullable Throwable failure, boolean leaves) {
        attempt.noAttemptFollows();
        if (leaves) {
            takingBack.complete(future, completion, () -> endCompleted(attempt, failure, true));
            return Next.NOTHING;
        }
        completion.run();
        return endCompleted(attempt, failure, false);
    }

    /**
     * Ends a task whose future, if any, is complete.
     *
     * @param leaves see {@link #endOrFill}
     */
    private Next endCompleted(Attempt attempt, @Nullable Throwable failure, boolean leaves) {
        boolean hasLeft = true;
        if (attempt.place instanceof Batch batch) {
            endItems(attempt, batch);
            hasLeft = setLeftIfEnded(attempt, batch);
        } else {
            endOne(attempt, failure);
            attempt.place.setLeft();
        }
        if (leaves && hasLeft) {
            dispatcher.leave(attempt.place);
        }
        return leaves || !hasLeft ? Next.NOTHING : Next.LEAVE;
    }

    /** Counts and reports the end of a task. */
    private void endOne(Attempt attempt, @Nullable Throwable failure) {
        Count end = failure == null ? Count.COMPLETED : Count.FAILED;
        TaskFuture<?> future = attempt.future();
        if (future != null) {
            future.setPlace(null);
            end = future.end();
        }
        reports.count(end);
        tellEnd(attempt, future, attempt.work(), end, failure);
        if (failure != null && !(future != null && future.hasCaller())) {
            UncaughtFailures.report(failure);
        }
    }

    /** Ends the items of a batch that were claimed. */
    private void endItems(Attempt attempt, Batch batch) {
        TaskFuture.Whole whole = batch.whole();
        whole.setPlace(null);
        Claimed claimed = batch.claimed();
        Throwable failed = whole.end() == Count.FAILED ? whole.failure() : null;
        for (int i = 0; i < claimed.items().size(); i++) {
            BatchItem item = claimed.items().get(i);
            if (whole.isCancelled()) {
                item.cancelTakenBack();
            } else if (failed != null) {
                item.fail(failed);
            } else {
                item.finish(null, null);
            }
            endItem(attempt, item, claimed.works().get(i), failed);
        }
        batch.forgetClaimed();
    }

    /** Counts and reports the end of a claimed item, whose future is complete. */
    private void endItem(Attempt attempt, BatchItem item, Object work, @Nullable Throwable failure) {
        item.setPlace(null);
        reports.count(item.end());
        tellEnd(attempt, item, work, item.end(), failure);
    }

    /**
     * Called when the items that were claimed have ended: marks the batch as left. Returns false if threads have taken
     * out items and not ended them yet, or keep the batch from leaving: then the last of them removes the batch.
     */
    private static boolean setLeftIfEnded(Attempt attempt, Batch batch) {
        batch.setSpent();
        if (batch.isEnded()) {
            batch.setLeft();
            return true;
        }
        // this thread A changes the state, then looks whether these items have ended; thread B ends the last of them,
        // then looks at the state: at least one of them removes the batch
        Completes itemsTakenOut = new Completes(null, null);
        batch.change(attempt, itemsTakenOut);
        return batch.isEnded() && batch.change(itemsTakenOut, Out.LEFT);
    }

    private void tellEnd(
            Attempt attempt,
            @Nullable TaskFuture<?> future,
            @Nullable Object work,
            Count end,
            @Nullable Throwable failure) {
        if (events == null || work == null) {
            return;
        }
        Object target = targetOf(attempt.place);
        long startedAt = attempt.startedAt();
        long nanosRun = startedAt == 0 ? 0 : platform.nanoTime() - startedAt;
        switch (end) {
            case COMPLETED -> events.finished(target, work, nanosRun);
            case CANCELLED -> events.cancelled(target, work);
            default -> {
                Throwable cause = future == null ? failure : future.failure();
                events.failed(target, work, nanosRun, Objects.requireNonNull(cause));
            }
        }
    }

    /**
     * Decides what follows a failure. Called by the thread that ended the attempt.
     *
     * @param leaves see {@link #endOrFill}
     */
    private Next goOnAfter(Attempt attempt, Throwable failure, boolean leaves) {
        int failures = attempt.failures + 1;
        Object work = attempt.work();
        TaskFuture<?> future = attempt.future();
        if (isToEnd(future) || work == null || (work instanceof Claimed items && items.areAllDone())) {
            return endFailed(attempt, failure, leaves);
        }
        Place place = attempt.place;
        Retries.Verdict verdict = retries.verdict(failures, failure);
        if (verdict == Retries.Verdict.ENDS || (verdict == Retries.Verdict.PARKS && !place.hasKey())) {
            return endFailed(attempt, failure, leaves);
        }
        Duration delay = verdict == Retries.Verdict.RETRIES ? retries.delay(failures, platform.random()) : null;
        if (work instanceof Claimed failed) {
            work = endDone(attempt, failed);
        }
        // tell the listeners, which may take long, before the task takes room again: from then until the state changes
        // below, a submission may find no room and no task to drop. This thread still counts as inside the task here,
        // so a listener that would wait for the task is told so
        tellPutBack(place, work, failures, delay, attempt.shown(failure));
        if (place instanceof Batch batch && work instanceof Claimed again) {
            // before other threads can take out an item, and give back its room
            again.items().forEach(item -> rooms.takeAgain(batch));
            batch.putBack(again);
            // the batch knows which of its items wait; those that are taken out must not stay in memory
            attempt.forgetWork();
            batch.whole().putBack(batch.batching());
        } else {
            if (future != null) {
                future.putBack(work);
            }
            rooms.takeAgain(place);
        }
        boolean atOnce = delay != null && delay.isZero();
        long nanos = delay == null ? 0 : TimeUnit.NANOSECONDS.convert(delay);
        Object nextState = atOnce
                ? new Again(attempt.task, failures)
                : new Suspended(attempt, failures, failure, delay == null, platform.nanoTime() + nanos);
        // cannot fail: only the thread that ended the attempt changes this state
        place.change(attempt, nextState);
        if (work instanceof Claimed items && takingBack.leaveIfSpent((Batch) place, items)) {
            return Next.NOTHING;
        }
        // a thread that stops the executor, completes the future or supersedes the task has perhaps looked before the
        // task was put back, and left its end to this thread
        if (isToEnd(future)) {
            if (States.change(place, nextState, attempt)) {
                undoPutBack(place, future);
                return endFailed(attempt, failure, leaves);
            }
            // another thread has just resumed the place, so that its task waits again, or has skipped or taken it back
            takingBack.takeBack(place, new ArrayList<>());
            return Next.NOTHING;
        }
        if (atOnce) {
            return Next.AGAIN;
        }
        Suspended suspended = (Suspended) nextState;
        if (!suspended.isParked()) {
            schedule(place, suspended, nanos);
        } else if (lifecycle.isShutdown()) {
            // the shutdown may have looked before the place was suspended, and perhaps has not closed all orders yet. A
            // task that entered them after the look of giveUp would run, although those before it end here
            orders.close();
            giveUp(place, suspended);
        }
        return Next.NOTHING;
    }

    /** Whether a failed task has to end. */
    private boolean isToEnd(@Nullable TaskFuture<?> future) {
        return lifecycle.isStopping() || (future != null && (future.isDone() || future.isSuperseded()));
    }

    private Next endFailed(Attempt attempt, Throwable failure, boolean leaves) {
        TaskFuture<?> future = attempt.future();
        return future != null && future.isSuperseded()
                ? end(attempt, future, future::cancelTakenBack, null, leaves)
                : endOrFill(attempt, failure, leaves);
    }

    private void tellPutBack(Place place, Object work, int failures, @Nullable Duration delay, Throwable failure) {
        if (events == null) {
            return;
        }
        if (work instanceof Claimed claimed) {
            for (int i = 0; i < claimed.items().size(); i++) {
                if (!claimed.items().get(i).isDone()) {
                    tellPutBack(place, claimed.works().get(i), failures, delay, failure);
                }
            }
        } else if (delay == null) {
            events.parked(targetOf(place), work, failure);
        } else {
            events.retried(targetOf(place), work, failures, delay, failure);
        }
    }

    private void schedule(Place place, Suspended suspended, long nanos) {
        try {
            suspended.setTimer(platform.scheduleAsync(nanos, () -> runAgain(place, suspended, suspended.failures())));
            if (place.state() != suspended) {
                // another thread changed the state before the timer was set, so forget the timer here
                suspended.forgetTimer();
            }
        } catch (Throwable noTimer) {
            // retry without the delay, rather than never
            UncaughtFailures.report(noTimer);
            runAgain(place, suspended, suspended.failures());
        }
    }

    private boolean runAgain(Place place, Suspended suspended, int failures) {
        boolean mine = States.change(place, suspended, new Again(suspended.attempt().task, failures));
        if (mine) {
            dispatcher.start(place);
        }
        return mine;
    }

    // parked places

    /** Runs the task of a parked place again; false if the place is not parked. */
    public boolean resumeParked(Place place) {
        return place.state() instanceof Suspended suspended && suspended.isParked() && runAgain(place, suspended, 0);
    }

    /** Ends the task of a parked place with its failure; false if the place is not parked. */
    public boolean skipParked(Place place) {
        if (place.state() instanceof Suspended suspended && suspended.isParked()) {
            Attempt ending = suspended.attempt().ending();
            if (States.change(place, suspended, ending)) {
                orders.orBreak(() -> {
                    undoPutBack(place, ending.future());
                    end(ending, suspended.failure(), true);
                });
                return true;
            }
        }
        return false;
    }

    /**
     * Frees the room of a task that was put back in the queue, and claims the task's work, so that the caller can end
     * the task.
     */
    private void undoPutBack(Place place, @Nullable TaskFuture<?> future) {
        if (place instanceof Batch batch) {
            rooms.giveBack(place, batch.claim().items().size());
            takingBack.takeOutRest(batch);
        } else {
            rooms.giveBack(place);
        }
        if (future != null) {
            future.take();
        }
    }

    /** Ends a parked place on a shutdown, since nobody will resume it; cancels the tasks that wait for it. */
    private void giveUp(Place place, Suspended suspended) {
        Set<Place> behind = survey.placesBehind(place);
        Attempt ending = suspended.attempt().ending();
        if (States.change(place, suspended, ending)) {
            orders.orBreak(() -> giveUp(ending, suspended.failure(), behind));
        }
    }

    private void giveUp(Attempt ending, Throwable failure, Set<Place> behind) {
        Place place = ending.place;
        if (place instanceof Batch batch) {
            batch.keepFromLeaving();
        }
        Lifecycle.Call call = lifecycle.beginCall(true);
        boolean leaves = true;
        try {
            undoPutBack(place, ending.future());
            leaves = end(ending, failure, false) == Next.LEAVE;
            // take these back before the place leaves, since its leaving grants them
            for (Place waiting : behind) {
                takingBack.takeBack(waiting, new ArrayList<>());
            }
        } finally {
            call.end();
            if (place instanceof Batch batch) {
                takingBack.leaveIfEnded(batch);
            } else if (leaves) {
                dispatcher.leave(place);
            }
        }
    }

    // batches

    /** Ends the items of a failed batch whose futures are complete; returns the others. */
    private Claimed endDone(Attempt attempt, Claimed failed) {
        Claimed others = new Claimed(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < failed.items().size(); i++) {
            BatchItem item = failed.items().get(i);
            Object work = failed.works().get(i);
            if (item.isDone()) {
                endItem(attempt, item, work, null);
            } else {
                others.items().add(item);
                others.works().add(work);
            }
        }
        return others;
    }

    /** The batches that are granted but wait for more items. */
    Set<Batch> lingering() {
        return lingering;
    }

    /**
     * Whether no batch of an order may linger, since a thread waits until its key or the executor is idle, or the
     * executor is shut down.
     */
    boolean isHurried(Order order) {
        List<Order> now = awaited;
        return lifecycle.isShutdown() || (!now.isEmpty() && (now.contains(order) || now.contains(orders.none())));
    }

    /** Starts the batches that linger. */
    public void hurry() {
        lingering.forEach(Batch::hurry);
    }

    /** Keeps the last batch of an order from lingering; the other batches do not linger anyway. */
    public void hurry(Order order) {
        if (survey.lastPlace(order) instanceof Batch batch) {
            batch.hurry();
        }
    }

    /**
     * Interrupts the running task of a place, or cancels its retry, in favour of a later task of the same slot.
     *
     * @return whether it did
     */
    public boolean supersede(Place place) {
        Object work = null;
        boolean superseded = false;
        boolean isOver = false;
        while (!isOver) {
            Object state = place.state();
            TaskFuture<?> future = States.futureIn(state);
            isOver = true;
            if (future == null || future.isDone()) {
                continue;
            }
            if (state instanceof Attempt attempt) {
                if (!superseded && attempt.isBusy()) {
                    work = attempt.work();
                    superseded = future.supersede();
                    // thread A puts back the failed task, then asks whether it is superseded; this thread B supersedes
                    // it, then looks at the place again: at least one of them ends the task
                    isOver = !superseded;
                }
            } else if (superseded || isToRunAgain(state)) {
                Object waiting = future.work();
                isOver = takingBack.takeBackFailed(place, state, future);
                work = superseded ? work : waiting;
                superseded |= isOver && future.isCancelled();
            }
        }
        if (superseded) {
            reports.count(Count.INTERRUPTED);
            if (events != null && work != null) {
                events.interrupted(targetOf(place), work);
            }
        }
        return superseded;
    }

    private static boolean isToRunAgain(Object state) {
        return state instanceof Suspended suspended ? !suspended.isParked() : States.unpaused(state) instanceof Again;
    }

    /**
     * Waits until no place stands in any order; false if one still does when the limit elapses, or, inside a task of
     * this executor, at once. Meanwhile no batch lingers.
     */
    public boolean drain(Duration limit) throws InterruptedException {
        await(orders.none(), null);
        try {
            return lifecycle.awaitIdle(
                    () -> {
                        hurry();
                        return orders.isEmpty();
                    },
                    limit);
        } finally {
            await(null, orders.none());
        }
    }

    /**
     * Waits as {@link #drain(Duration)}, until one key has no tasks. Meanwhile no batch of that key lingers.
     *
     * @param find finds the order of the key, which is a new one when the key was idle meanwhile; null if there is none
     */
    public boolean drain(Supplier<@Nullable Order> find, BooleanSupplier isIdle, Duration limit)
            throws InterruptedException {
        AtomicReference<@Nullable Order> last = new AtomicReference<>();
        try {
            return lifecycle.awaitIdle(
                    () -> {
                        if (isIdle.getAsBoolean()) {
                            return true;
                        }
                        // look for the order now: a key that was idle before the look above may have a new one
                        Order order = find.get();
                        await(order, last.getAndSet(order));
                        if (order != null) {
                            hurry(order);
                        }
                        return false;
                    },
                    limit);
        } finally {
            await(null, last.get());
        }
    }

    private synchronized void await(@Nullable Order next, @Nullable Order last) {
        if (next != last) {
            List<Order> changed = new ArrayList<>(awaited);
            changed.remove(last);
            if (next != null) {
                changed.add(next);
            }
            awaited = List.copyOf(changed);
        }
    }

    // the end of the executor

    public void shutdown() {
        lifecycle.tellIfBroken();
        lifecycle.shutDown();
        if (!lifecycle.isStopping()) {
            close();
        }
    }

    private void close() {
        orders.close();
        // wake the waiting submitters first: a pool may block this thread when it hands over the paused places
        rooms.close();
        dispatcher.resumeAll();
        hurry();
        for (Place place : survey.holders()) {
            if (place.state() instanceof Suspended suspended && suspended.isParked()) {
                giveUp(place, suspended);
            }
        }
        lifecycle.setClosed();
    }

    /**
     * Takes back all tasks that wait for their first or another attempt, and interrupts or cancels those that run.
     *
     * @return the tasks taken back
     */
    public List<Runnable> shutdownNow() {
        lifecycle.tellIfBroken();
        lifecycle.stop();
        orders.close();
        rooms.close();
        List<Runnable> takenBack = new ArrayList<>();
        List<Place> all = survey.lines(Integer.MAX_VALUE).inOrder(comparisons.all());
        Lifecycle.Call call = lifecycle.beginCall(true);
        try {
            for (Place place : all) {
                takingBack.takeBack(place, takenBack);
            }
            for (Place place : all) {
                if (place.state() instanceof Attempt attempt) {
                    stop(attempt);
                }
            }
        } finally {
            call.end();
        }
        dispatcher.resumeAll();
        lifecycle.setClosed();
        return takenBack;
    }

    private static void stop(Attempt attempt) {
        TaskFuture<?> future = attempt.future();
        if (attempt.isHeld() && future != null) {
            future.cancelContained();
        } else {
            attempt.interrupt();
        }
    }

    /**
     * Shuts down, and waits until all tasks are done, unless they cannot end while this thread waits, or the executor
     * is broken. The first interrupt calls {@link #shutdownNow}.
     */
    public void closeAndWait() {
        shutdown();
        lifecycle.awaitEnd(this::shutdownNow);
    }
}
