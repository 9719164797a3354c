package io.orderedexecutor.engine.run;

import io.orderedexecutor.FailurePolicy;
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
import io.orderedexecutor.engine.run.States.Suspended;
import io.orderedexecutor.engine.task.Completion;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the places of an executor: attempts to run the work of a place that is ready. How the attempt ends decides
 * whether the place leaves its orders, is run again, or waits for a decision of the application.
 */
public final class Service {

    /** The result of an attempt to run a place. */
    enum Outcome {
        /** The place is over: this thread lets it leave its orders. */
        OVER,
        /** The work has failed, and this thread runs it again at once. */
        AGAIN,
        /** Another thread goes on with the place. */
        ELSEWHERE
    }

    private final String name;
    private final String description;
    private final Workers workers;
    private final Platform platform;
    private final Reports reports;

    /** The same as in the reports. Kept here, since threads write the counters beside it there all the time. */
    private final @Nullable TaskEvents events;

    private final Retries retries;
    private final Rooms rooms;
    private final Dispatcher dispatcher;
    private final Orders orders;
    private final Survey survey;

    /** The target of a place (a key, or groups), as the application has named it; see {@link TaskEvents#NO_KEY}. */
    private final Function<Place, Object> targets;

    private final Comparisons comparisons = new Comparisons();

    private final Set<HeldPlace> reserved = ConcurrentHashMap.newKeySet();
    private final Set<Batch> lingering = ConcurrentHashMap.newKeySet();

    /** How many threads wait until the executor is idle. */
    private final AtomicInteger hurries = new AtomicInteger();

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

    /** A target in a message; nothing if it has no name. */
    String describe(String prefix, Object target) {
        return target == TaskEvents.NO_KEY ? "" : prefix + Reports.toString(target);
    }

    // an attempt

    /**
     * Runs a place, if it is ready and this thread may.
     *
     * @param own the state in which it may run; null if it may in any
     */
    Outcome attempt(Place place, @Nullable Object own) {
        Object state = place.state();
        if (state instanceof Attempt worked && place instanceof Piece piece) {
            return write(piece, worked);
        }
        if (own != null && state != own) {
            dispatcher.startIfWaiting(place);
            return Outcome.ELSEWHERE;
        }
        Runnable task = States.startableOf(state);
        if (task == null || lifecycle.isStopping() || dispatcher.setsAside(place)) {
            return Outcome.ELSEWHERE;
        }
        if (place instanceof Batch batch && (batch.isLingering() || batch.beginsToLinger())) {
            return Outcome.ELSEWHERE;
        }
        int failures = state instanceof Again again ? again.failures() : 0;
        Attempt attempt = new Attempt(place, task, failures);
        if (!place.change(state, attempt)) {
            // the work has begun elsewhere, or was taken back, or the place has another task, perhaps for this thread
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
            // the thread that has completed the future has not found the place here
            attempt.setEnded();
            future.setPlace(null);
            takingBack.endUnrun(place, future, work);
            place.setLeft();
            return Outcome.OVER;
        }
        return run(attempt, work);
    }

    private Outcome runBatch(Attempt attempt, Batch batch) {
        boolean isFirst = batch.isFirstRun();
        Claimed claimed = batch.claim();
        int items = claimed.items().size();
        batch.whole().take();
        rooms.giveBack(batch, items);
        if (items == 0) {
            // all items are done, and the threads that have completed them see to their ends
            attempt.setEnded();
            batch.whole().setPlace(null);
            batch.setLeft();
            return Outcome.OVER;
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

    private Outcome run(Attempt attempt, Object work) {
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
        attempt.setEnded();
        clearInterrupt(attempt);
        if (failure == null) {
            end(attempt, null, false);
            return Outcome.OVER;
        }
        return afterFailure(attempt, failure);
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
            // the task may have been submitted while listeners heard of the end of the task before
            events.started(target, work, Math.max(0, now - attempt.place.queuedAt()));
        }
        // an interrupt that a listener has left; then a look: a shutdown may have interrupted this thread before
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

    /** Called by the thread of an attempt that has ended: an interrupt that was meant for its task reaches no other. */
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

    private Outcome await(Attempt attempt, TaskFuture<?> future, CompletionStage<?> stage) {
        boolean keepsWork = events != null || !retries.isNever();
        attempt.hold(stage instanceof TaskFuture<?> awaited ? awaited : null, keepsWork);
        clearInterrupt(attempt);
        try {
            stage.whenComplete(
                    (result, failure) -> NestedCompletions.run(() -> onStage(attempt, future, result, failure)));
        } catch (Throwable failure) {
            // the stage may have called back before it threw: then this failure comes too late
            onStage(attempt, future, null, failure);
        }
        Outcome outcome = attempt.endRegistration();
        if (outcome != null) {
            return outcome;
        }
        if (future.isDone() && attempt.tryEndHeld()) {
            // the thread that has completed the future may have looked before the attempt waited for its stage
            end(attempt, null, false);
            return Outcome.OVER;
        }
        if (lifecycle.isStopping()) {
            // so may the thread of the shutdown
            future.cancel(true);
        }
        return Outcome.ELSEWHERE;
    }

    private void onStage(Attempt attempt, TaskFuture<?> future, @Nullable Object result, @Nullable Throwable failure) {
        if (attempt.tryEndStage()) {
            orders.orBreak(() -> onStageOfEnded(attempt, future, result, failure));
        }
    }

    private void onStageOfEnded(
            Attempt attempt, TaskFuture<?> future, @Nullable Object result, @Nullable Throwable failure) {
        boolean isHere = attempt.isBeingRegisteredHere();
        Outcome outcome;
        if (failure != null && future.isSuperseded()) {
            outcome = end(attempt, future, future::cancelTakenBack, null, !isHere);
        } else if (failure != null && !retries.isNever()) {
            outcome = goOnAfter(attempt, failure, !isHere);
        } else if (future instanceof TaskFuture.Piece<?> piece) {
            piece.setResult(result);
            outcome = endOrFill(attempt, failure, !isHere);
        } else {
            outcome = end(attempt, future, () -> future.finish(result, failure), null, !isHere);
        }
        if (isHere) {
            attempt.setOutcomeHere(outcome);
        } else if (outcome == Outcome.OVER) {
            dispatcher.leave(attempt.place);
        } else if (outcome == Outcome.AGAIN) {
            dispatcher.start(attempt.place);
        }
    }

    /** Called when a thread has completed a future that did not run its task to the end. */
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
                        end(attempt, null, false);
                        dispatcher.leave(place);
                    });
                }
                // else the thread that runs the task finds its future complete
                return;
            }
            if (States.taskOf(state) != future || takingBack.takeBackDone(place, state, future)) {
                return;
            }
        }
    }

    // the end of an attempt

    /** Called by the thread that has ended the last attempt of a task: ends the task, or has its result written. */
    private Outcome endOrFill(Attempt attempt, @Nullable Throwable failure, boolean leaves) {
        if (attempt.place instanceof Piece piece && attempt.future() instanceof TaskFuture.Piece<?> future) {
            if (failure != null) {
                boolean isOfStage = failure instanceof CompletionException && future.mayHold();
                Throwable cause = isOfStage ? failure.getCause() : null;
                future.setThrown(cause == null ? failure : cause);
            }
            attempt.setWorked(now());
            return fill(piece, attempt, future, failure);
        }
        return end(attempt, failure, leaves);
    }

    /** The time, if tasks are timed. */
    private long now() {
        return events == null ? 0 : platform.nanoTime();
    }

    private Outcome fill(Piece piece, Attempt attempt, TaskFuture.Piece<?> future, @Nullable Throwable failure) {
        piece.leaveSlot();
        // a thread that completes the future, or shuts down, sees this, or this thread sees what it has done
        if ((lifecycle.isStopping() || future.isDone()) && attempt.tryEndHeld()) {
            if (failure == null) {
                future.cancelTakenBack();
            }
            endPiece(attempt, future, failure);
            return Outcome.OVER;
        }
        return piece.isReadyWhenFilled() ? Outcome.AGAIN : Outcome.ELSEWHERE;
    }

    private Outcome write(Piece piece, Attempt attempt) {
        // a piece that was handed over to be started may come here before it is granted
        if (!(attempt.future() instanceof TaskFuture.Piece<?> future) || !piece.isReady() || !attempt.tryWrite()) {
            return Outcome.ELSEWHERE;
        }
        if (lifecycle.isStopping()) {
            // a write that begins now would not be interrupted
            future.cancelTakenBack();
        }
        if (!future.isDone()) {
            piece.output().write(piece, attempt);
        }
        attempt.setEnded();
        clearInterrupt(attempt);
        endPiece(attempt, future, null);
        return Outcome.OVER;
    }

    private void endPiece(Attempt attempt, TaskFuture.Piece<?> future, @Nullable Throwable failure) {
        future.forgetResult();
        end(attempt, failure, false);
    }

    /**
     * Ends a task that has run. Called by the thread that has ended its attempt.
     *
     * @param leaves whether it leaves its place, too
     */
    private Outcome end(Attempt attempt, @Nullable Throwable failure, boolean leaves) {
        TaskFuture<?> future = attempt.future();
        if (future != null && failure != null) {
            return end(attempt, future, () -> future.fail(failure), failure, leaves);
        }
        endCompleted(attempt, failure);
        if (leaves) {
            dispatcher.leave(attempt.place);
        }
        return leaves ? Outcome.ELSEWHERE : Outcome.OVER;
    }

    private Outcome end(
            Attempt attempt, TaskFuture<?> future, Runnable completion, @Nullable Throwable failure, boolean leaves) {
        if (leaves) {
            takingBack.complete(future, completion, () -> {
                endCompleted(attempt, failure);
                dispatcher.leave(attempt.place);
            });
            return Outcome.ELSEWHERE;
        }
        completion.run();
        endCompleted(attempt, failure);
        return Outcome.OVER;
    }

    /** For {@link Completion}; null if the callers run the tasks that they let start: a wait must not do that. */
    @Nullable
    Lifecycle lifecycleUnlessCallers() {
        return workers.areCallers() ? null : lifecycle;
    }

    /** Ends a task whose future, if it has one, is complete. */
    private void endCompleted(Attempt attempt, @Nullable Throwable failure) {
        if (attempt.place instanceof Batch batch) {
            endItems(attempt, batch);
            return;
        }
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
        attempt.place.setLeft();
    }

    /** Ends the items of a batch, and the batch with them. */
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
            item.setPlace(null);
            reports.count(item.end());
            tellEnd(attempt, item, claimed.works().get(i), item.end(), failed);
        }
        batch.forgetClaimed();
        batch.setLeft();
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

    /** Goes on after a failure. Called by the thread that has run the task. */
    private Outcome afterFailure(Attempt attempt, Throwable failure) {
        Outcome outcome = goOnAfter(attempt, failure, false);
        // a predicate or a listener may have left an interrupt that is meant for no task
        Thread.interrupted();
        return outcome;
    }

    /** Goes on after a failure. Called by the thread that has ended the attempt. */
    private Outcome goOnAfter(Attempt attempt, Throwable failure, boolean leaves) {
        int failures = attempt.failures + 1;
        Object work = attempt.work();
        TaskFuture<?> future = attempt.future();
        if (lifecycle.isStopping()
                || work == null
                || (future != null && (future.isDone() || future.isSuperseded()))
                || (work instanceof Claimed items && items.areAllDone())) {
            return endOrFill(attempt, failure, leaves);
        }
        Place place = attempt.place;
        Retries.Verdict verdict = retries.verdict(failures, failure);
        if (verdict == Retries.Verdict.ENDS || (verdict == Retries.Verdict.PARKS && !place.hasKey())) {
            return endOrFill(attempt, failure, leaves);
        }
        Duration delay = verdict == Retries.Verdict.RETRIES ? retries.delay(failures, platform.random()) : null;
        if (place instanceof Batch batch) {
            putBack(attempt, batch, (Claimed) work);
        }
        // before the task takes room again: a submission that finds no room and no task to drop would look in vain
        tellPutBack(place, work, failures, delay, failure);
        if (future != null) {
            future.putBack(work);
        }
        if (!(place instanceof Batch)) {
            rooms.takeAgain(place);
        }
        boolean atOnce = delay != null && delay.isZero();
        long nanos = delay == null ? 0 : TimeUnit.NANOSECONDS.convert(delay);
        Object next = atOnce
                ? new Again(attempt.task, failures)
                : new Suspended(attempt, failures, failure, delay == null, platform.nanoTime() + nanos);
        // only the thread that has ended an attempt changes the state
        place.change(attempt, next);
        if (future != null && future.isDone()) {
            // completed by a thread that has found the attempt ended
            onCompleted(place, future);
            return Outcome.ELSEWHERE;
        }
        if (work instanceof Claimed items && takingBack.isSpent((Batch) place, items)) {
            return Outcome.ELSEWHERE;
        }
        if (atOnce) {
            if (lifecycle.isStopping() && place.change(next, attempt)) {
                // the shutdown may have looked before
                takeAgain(place, future);
                return endOrFill(attempt, failure, leaves);
            }
            return Outcome.AGAIN;
        }
        Suspended suspended = (Suspended) next;
        if (lifecycle.isStopping() || (suspended.isParked() && lifecycle.isShutdown())) {
            // the shutdown may have looked before
            giveUp(place, suspended);
        } else if (!suspended.isParked()) {
            schedule(place, suspended, nanos);
        }
        return Outcome.ELSEWHERE;
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
            suspended.setTimer(platform.schedule(nanos, () -> runAgain(place, suspended, suspended.failures())));
            if (place.state() != suspended) {
                // the thread that has changed the state may have found no timer
                suspended.forgetTimer();
            }
        } catch (Throwable noTimer) {
            // the delay is lost, and the task is not
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
        if (place.state() instanceof Suspended suspended
                && suspended.isParked()
                && States.change(place, suspended, Out.TAKEN_BACK)) {
            endTakenBack(place, suspended, true);
            return true;
        }
        return false;
    }

    private void endTakenBack(Place place, Suspended suspended, boolean leaves) {
        Attempt attempt = suspended.attempt();
        attempt.forgetStart();
        takeAgain(place, attempt.future());
        end(attempt, suspended.failure(), leaves);
    }

    /** Undoes that a task was put back, to end it. */
    private void takeAgain(Place place, @Nullable TaskFuture<?> future) {
        if (place instanceof Batch batch) {
            rooms.giveBack(place, batch.claim().items().size());
        } else {
            rooms.giveBack(place);
        }
        if (future != null) {
            future.take();
        }
    }

    /** Ends a parked place, since no decision will come after a shutdown, and cancels the tasks that wait for it. */
    private void giveUp(Place place, Suspended suspended) {
        Set<Place> behind = lifecycle.isStopping() ? Set.of() : survey.placesBehind(place);
        if (States.change(place, suspended, Out.TAKEN_BACK)) {
            Lifecycle.Call call = lifecycle.beginCall(true);
            try {
                endTakenBack(place, suspended, false);
                // before the parked place leaves, or they would start
                for (Place waiting : behind) {
                    takingBack.takeBack(waiting, new ArrayList<>());
                }
            } finally {
                call.end();
                dispatcher.leave(place);
            }
        }
    }

    // batches

    /** Lets the items of a batch that has failed wait again, except those that are done. */
    private void putBack(Attempt attempt, Batch batch, Claimed failed) {
        List<BatchItem> done = batch.putBack(failed);
        for (int i = 0; i < failed.items().size(); i++) {
            BatchItem item = failed.items().get(i);
            if (done.contains(item)) {
                item.setPlace(null);
                Count end = item.end();
                reports.count(end);
                tellEnd(attempt, item, failed.works().get(i), end, null);
            } else {
                rooms.takeAgain(batch);
            }
        }
    }

    /** The batches that are granted, and wait for more items. */
    Set<Batch> lingering() {
        return lingering;
    }

    /** Whether no batch is to wait for more items: a thread waits until the executor is idle, or it is shut down. */
    boolean isHurried() {
        return lifecycle.isShutdown() || hurries.get() > 0;
    }

    /** Lets all batches start that wait for more items. */
    void hurry() {
        lingering.forEach(Batch::hurry);
    }

    /** Interrupts the task of a place for a later task of the same slot: it runs, or waits to be run again. */
    public boolean supersede(Place place) {
        Object state = place.state();
        TaskFuture<?> future = States.futureOf(place);
        if (future == null || (state instanceof Suspended suspended && suspended.isParked())) {
            return false;
        }
        Object work = state instanceof Attempt attempt ? attempt.work() : future.work();
        boolean superseded = false;
        if (state instanceof Attempt attempt) {
            superseded = !attempt.isEnded() && future.supersede();
        } else if (state instanceof Suspended || States.unpaused(state) instanceof Again) {
            superseded = future.cancel(true);
        }
        if (superseded) {
            reports.count(Count.INTERRUPTED);
            if (events != null && work != null) {
                events.interrupted(targetOf(place), work);
            }
        }
        return superseded;
    }

    /** Waits until no place stands in any order; no batch waits for more items meanwhile. */
    public boolean drain(Duration limit) throws InterruptedException {
        hurries.getAndIncrement();
        try {
            return lifecycle.awaitIdle(this::hurry, orders::isEmpty, limit);
        } finally {
            hurries.getAndDecrement();
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
        // now: a pool may block the thread that hands over paused places
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

    /** Takes back all tasks that have not started, and interrupts or cancels those that run. */
    public List<Runnable> shutdownNow() {
        lifecycle.tellIfBroken();
        lifecycle.stop();
        orders.close();
        rooms.close();
        List<Runnable> unstarted = new ArrayList<>();
        List<Place> all = survey.lines(Integer.MAX_VALUE).inOrder(comparisons.all());
        Lifecycle.Call call = lifecycle.beginCall(true);
        try {
            for (Place place : all) {
                takingBack.takeBack(place, unstarted);
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
        return unstarted;
    }

    private static void stop(Attempt attempt) {
        TaskFuture<?> future = attempt.future();
        if (attempt.isHeld() && future != null) {
            future.cancel(true);
        } else {
            attempt.interrupt();
        }
    }

    /** Shuts down, and waits until all tasks are done; an interrupt shuts down now. */
    public void closeAndWait() {
        shutdown();
        lifecycle.awaitEnd(this::shutdownNow);
    }
}
