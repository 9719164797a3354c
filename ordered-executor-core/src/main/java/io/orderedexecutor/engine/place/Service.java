package io.orderedexecutor.engine.place;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.orderedexecutor.FailurePolicy;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.Out;
import io.orderedexecutor.engine.order.Survey;
import io.orderedexecutor.engine.place.Batch.Claimed;
import io.orderedexecutor.engine.place.States.Again;
import io.orderedexecutor.engine.place.States.Completes;
import io.orderedexecutor.engine.place.States.Paused;
import io.orderedexecutor.engine.place.States.Suspended;
import io.orderedexecutor.engine.place.States.Vacancy;
import io.orderedexecutor.engine.pool.Platform;
import io.orderedexecutor.engine.pool.Signal;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.task.Completion;
import io.orderedexecutor.engine.task.NestedCompletions;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import io.orderedexecutor.stats.Explanation;
import io.orderedexecutor.stats.OrderedExecutorSettings;
import io.orderedexecutor.stats.Rejections;
import io.orderedexecutor.stats.RunningTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The threads of an executor, and what they do with places that are ready: each is run, and its end decides whether it
 * leaves its orders, is run again, or waits for somebody to decide. The life of the executor from its first task to its
 * end is here, too:
 *
 * <pre>
 *   RUNNING ──▶ SHUT_DOWN             by shutdown or close: no place is taken any more, what is parked fails
 *   RUNNING, SHUT_DOWN ──▶ STOPPING   by shutdownNow: nothing starts any more, what waits is taken back, what runs is
 *                                     interrupted
 *   SHUT_DOWN, STOPPING ──▶ TERMINATED  when all bins are closed and empty
 * </pre>
 */
public final class Service {

    /** What has come of a place that a thread has tried to run. */
    enum Outcome {
        /** It is over: this thread leaves it. */
        OVER,
        /** It has failed, and runs again at once. */
        AGAIN,
        /** It is not this thread's any more, or never was. */
        ELSEWHERE
    }

    private enum Phase {
        RUNNING,
        SHUT_DOWN,
        STOPPING
    }

    private final String name;
    private final String description;
    private final Workers workers;
    private final Platform platform;
    private final Reports reports;

    /** Those of the reports; here, since the counters beside it there are written all the time. */
    private final @Nullable TaskEvents events;

    private final Retries retries;
    /** Room for queued tasks; null if any number may be queued. */
    private final Room.@Nullable Shared room;

    /** Whether the queued tasks of each key are counted. */
    private final boolean countsKeys;

    /** Read at each submission; a change concerns later ones. */
    private volatile int keyCapacity;

    private final Dispatcher dispatcher;
    private final Orders orders;
    private final Survey survey;

    /** What a place was submitted to, as the application has named it; see {@link TaskEvents#NO_KEY}. */
    private final Function<Place, Object> targets;

    private final Comparisons comparisons = new Comparisons();

    private final Set<HeldPlace> reserved = ConcurrentHashMap.newKeySet();
    private final Set<Batch> lingering = ConcurrentHashMap.newKeySet();

    /** How many threads wait until nothing is left to do. */
    private final AtomicInteger hurries = new AtomicInteger();

    private final Signal closedOrders;
    private final Signal termination;
    private final Runnable onTerminated;

    /** Whether no task may start. */
    private volatile boolean paused;

    /** Moved forward under the monitor, read by all. */
    private volatile Phase phase = Phase.RUNNING;

    /** Whether the orders are closed, and what a shutdown has to say was said: nothing terminates before. */
    private volatile boolean closed;

    @GuardedBy("this")
    private boolean terminating;

    private final AtomicBoolean toldBroken = new AtomicBoolean();

    /** Made early: a lambda that is used for the first time where the stack ends can never be used. */
    private final Runnable tellsBroken = this::tellBroken;

    private volatile boolean terminated;

    Service(
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
        // with cells for those who give room back: a submitter takes it from several workers at once
        this.room = settings.capacity() == Settings.UNLIMITED ? null : new Room.Shared(this, settings.capacity(), 8);
        this.keyCapacity = settings.keyCapacity();
        this.countsKeys = keyCapacity != Settings.UNLIMITED;
        this.targets = targets;
        this.onTerminated = onTerminated;
        this.closedOrders = new Signal(platform);
        this.termination = new Signal(platform);
        this.dispatcher = new Dispatcher(this, description, workers, settings.identityStripes());
        this.orders = dispatcher.orders();
        this.survey = new Survey(orders);
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

    FailurePolicy failurePolicy() {
        return retries.policy();
    }

    Room.@Nullable Shared room() {
        return room;
    }

    boolean countsKeys() {
        return countsKeys;
    }

    int keyCapacity() {
        return keyCapacity;
    }

    Comparisons comparisons() {
        return comparisons;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    Orders orders() {
        return orders;
    }

    Survey survey() {
        return survey;
    }

    Set<HeldPlace> reserved() {
        return reserved;
    }

    Object targetOf(Place place) {
        return targets.apply(place);
    }

    /** What a place was submitted to; null if that has no name. */
    @Nullable
    Object namedTargetOf(Place place) {
        Object target = targetOf(place);
        return target == TaskEvents.NO_KEY ? null : target;
    }

    /** A target in a message; nothing if it has no name. */
    String describe(String prefix, Object target) {
        return target == TaskEvents.NO_KEY ? "" : prefix + Reports.toString(target);
    }

    // an Error of ours

    /** Whether an Error has broken this executor. */
    boolean isBroken() {
        return orders.broken() != null;
    }

    /** Throws if an Error has broken this executor. */
    void requireSound() {
        Error failure = orders.broken();
        if (failure != null) {
            tellIfBroken();
            reports.count(Count.SHUTDOWN);
            throw new RejectedExecutionException(orders.messageIfBroken(), failure);
        }
    }

    /** If an Error has broken this executor, that is told, once, by a thread that has stack. */
    void tellIfBroken() {
        if (isBroken() && !toldBroken.get()) {
            try {
                platform.start(platform.threadFactory(name + "-broken", null).newThread(tellsBroken));
            } catch (Throwable noThread) {
                // the next one who comes here tries again
            }
        }
    }

    /** Wakes those who would wait in vain, and tells it. */
    private void tellBroken() {
        if (toldBroken.compareAndSet(false, true)) {
            termination.signal();
            closedOrders.signal();
            closeRoom();
            UncaughtFailures.report(orders.brokenException());
        }
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
        if (task == null || phase == Phase.STOPPING || setsAside(place)) {
            return Outcome.ELSEWHERE;
        }
        if (place instanceof Batch batch && (batch.isLingering() || batch.beginsToLinger())) {
            return Outcome.ELSEWHERE;
        }
        int failures = state instanceof Again again ? again.failures() : 0;
        Attempt attempt = new Attempt(place, task, failures);
        if (!place.change(state, attempt)) {
            // it has begun elsewhere, was taken back, or has another task by now, which this thread may have to run
            return attempt(place, own);
        }
        if (place instanceof Batch batch) {
            return runBatch(attempt, batch);
        }
        onTaken(place);
        if (!(task instanceof TaskFuture<?> future)) {
            return run(attempt, task);
        }
        Object work = future.take();
        if (work == null || future.isDone()) {
            // whoever has completed it has not found it here
            attempt.setEnded();
            future.setPlace(null);
            endUnrun(place, future, work, this::tellCancelled);
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
        onTaken(batch, items);
        if (items == 0) {
            // all are done, and those who have done that see to their ends
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
            // it may have been submitted while listeners heard of the end of the one before
            events.started(target, work, Math.max(0, now - attempt.place.queuedAt()));
        }
        // what a listener has left; then a look, as whoever stops this may have interrupted the thread before
        Thread.interrupted();
        if (phase == Phase.STOPPING) {
            Thread.currentThread().interrupt();
        }
    }

    private void beforeBody() {
        if (events != null) {
            platform.beforeTask();
        }
    }

    /** For the thread of an attempt that has ended: an interrupt that was meant for its task reaches no other. */
    private void clearInterrupt(Attempt attempt) {
        if (workers.areCallers()) {
            return;
        }
        if (phase == Phase.STOPPING) {
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
            // the stage may have called back all the same: then this comes too late
            onStage(attempt, future, null, failure);
        }
        Outcome outcome = attempt.endRegistration();
        if (outcome != null) {
            return outcome;
        }
        if (future.isDone() && attempt.tryEndHeld()) {
            // by one who may have looked before the attempt was held
            end(attempt, null, false);
            return Outcome.OVER;
        }
        if (phase == Phase.STOPPING) {
            // so may the shutdown
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

    /** A future was completed by a thread that did not run its task to the end. */
    void onCompleted(Place place, TaskFuture<?> future) {
        if (future instanceof BatchItem item && place instanceof Batch batch) {
            takeOut(batch, item, this::tellCancelled);
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
                // else the thread that runs it finds its future complete
                return;
            }
            if (taskOf(state) != future) {
                return;
            }
            if (changes(place, state, Out.TAKEN_BACK)) {
                orders.orBreak(() -> {
                    Object work = future.take();
                    future.setPlace(null);
                    onTaken(place);
                    endUnrun(place, future, work, this::tellCancelled);
                    dispatcher.leave(place);
                });
                return;
            }
        }
    }

    // the end of an attempt

    /** A task has run for good, for the thread that has ended its attempt: it has ended, unless it is to be written. */
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
        // a thread that completes the future, or shuts down, has either seen this, or is seen here
        if ((phase == Phase.STOPPING || future.isDone()) && attempt.tryEndHeld()) {
            if (failure == null) {
                future.cancelTakenBack();
            }
            endPiece(attempt, future, failure);
            return Outcome.OVER;
        }
        return piece.isReadyWhenFilled() ? Outcome.AGAIN : Outcome.ELSEWHERE;
    }

    private Outcome write(Piece piece, Attempt attempt) {
        // what was handed over to be started may come here without its turn
        if (!(attempt.future() instanceof TaskFuture.Piece<?> future) || !piece.isReady() || !attempt.tryWrite()) {
            return Outcome.ELSEWHERE;
        }
        if (phase == Phase.STOPPING) {
            // an output that begins now would not be interrupted
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
     * Ends a task that has run, for the thread that has ended its attempt.
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
            complete(future, completion, () -> {
                endCompleted(attempt, failure);
                dispatcher.leave(attempt.place);
            });
            return Outcome.ELSEWHERE;
        }
        completion.run();
        endCompleted(attempt, failure);
        return Outcome.OVER;
    }

    /** Completes a future, for a thread that does not run its task. */
    private void complete(TaskFuture<?> future, Runnable completion, Runnable followUp) {
        Completion begun = Completion.begin(orNullIfCallers(), future, followUp);
        try {
            completion.run();
        } catch (VirtualMachineError | LinkageError failure) {
            if (!future.isDone()) {
                orders.setBroken(failure);
            }
            throw failure;
        } finally {
            begun.end(true);
        }
    }

    /** Null if threads that let tasks start run them, which a wait must not do. */
    @Nullable
    Service orNullIfCallers() {
        return workers.areCallers() ? null : this;
    }

    /** What else belongs to the end of a task whose future is complete, if it has one. */
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

    /** The end of a batch is that of its items. */
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

    /** What follows when a task has failed, for the thread that has run it. */
    private Outcome afterFailure(Attempt attempt, Throwable failure) {
        Outcome outcome = goOnAfter(attempt, failure, false);
        // a predicate or a listener may have left an interrupt, which is meant for no task
        Thread.interrupted();
        return outcome;
    }

    /** What follows when a task has failed, for the thread that has ended its attempt. */
    private Outcome goOnAfter(Attempt attempt, Throwable failure, boolean leaves) {
        int failures = attempt.failures + 1;
        Object work = attempt.work();
        TaskFuture<?> future = attempt.future();
        if (phase == Phase.STOPPING
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
        // a task takes room again after that: who needs the room and finds no task to drop looks again and again
        tellPutBack(place, work, failures, delay, failure);
        if (future != null) {
            future.putBack(work);
        }
        if (!(place instanceof Batch)) {
            onPutBack(place);
        }
        boolean atOnce = delay != null && delay.isZero();
        long nanos = delay == null ? 0 : TimeUnit.NANOSECONDS.convert(delay);
        Object next = atOnce
                ? new Again(attempt.task, failures)
                : new Suspended(attempt, failures, failure, delay == null, platform.nanoTime() + nanos);
        // only the thread that has ended an attempt changes it
        place.change(attempt, next);
        if (future != null && future.isDone()) {
            // by one who has found the attempt ended
            onCompleted(place, future);
            return Outcome.ELSEWHERE;
        }
        if (work instanceof Claimed items && isSpent((Batch) place, items)) {
            return Outcome.ELSEWHERE;
        }
        if (atOnce) {
            if (phase == Phase.STOPPING && place.change(next, attempt)) {
                // the shutdown may have looked before
                takeAgain(place, future);
                return endOrFill(attempt, failure, leaves);
            }
            return Outcome.AGAIN;
        }
        Suspended suspended = (Suspended) next;
        if (phase == Phase.STOPPING || (suspended.isParked() && phase == Phase.SHUT_DOWN)) {
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
            suspended.setTimer(platform.schedule(nanos, () -> {
                if (becomesAgain(place, suspended, suspended.failures())) {
                    dispatcher.start(place);
                }
            }));
            if (place.state() != suspended) {
                // whoever has changed that may have found no timer
                suspended.forgetTimer();
            }
        } catch (Throwable noTimer) {
            // the delay is lost, the task is not
            UncaughtFailures.report(noTimer);
            runAgain(place, suspended, suspended.failures());
        }
    }

    private boolean runAgain(Place place, Suspended suspended, int failures) {
        boolean mine = becomesAgain(place, suspended, failures);
        if (mine) {
            dispatcher.start(place);
        }
        return mine;
    }

    private static boolean becomesAgain(Place place, Suspended suspended, int failures) {
        return changes(place, suspended, new Again(suspended.attempt().task, failures));
    }

    /** Changes a place that may wait for its next attempt. */
    private static boolean changes(Place place, Object state, Object next) {
        boolean mine = place.change(state, next);
        if (mine && state instanceof Suspended suspended) {
            suspended.forgetTimer();
        }
        return mine;
    }

    // parked places

    /** Lets the task of a parked place run again; false if it is not parked. */
    boolean resumeParked(Place place) {
        return place.state() instanceof Suspended suspended && suspended.isParked() && runAgain(place, suspended, 0);
    }

    /** Lets the task of a parked place fail for good; false if it is not parked. */
    boolean skipParked(Place place) {
        if (place.state() instanceof Suspended suspended
                && suspended.isParked()
                && changes(place, suspended, Out.TAKEN_BACK)) {
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

    /** Takes a task, which was put back, for its end. */
    private void takeAgain(Place place, @Nullable TaskFuture<?> future) {
        if (place instanceof Batch batch) {
            onTaken(place, batch.claim().items().size());
        } else {
            onTaken(place);
        }
        if (future != null) {
            future.take();
        }
    }

    /** Nobody can be expected to decide on a parked place any more: what is behind it is cancelled. */
    private void giveUp(Place place, Suspended suspended) {
        Set<Place> behind = phase == Phase.STOPPING ? Set.of() : survey.placesBehind(place);
        if (changes(place, suspended, Out.TAKEN_BACK)) {
            Call call = Call.begin(this, true);
            try {
                endTakenBack(place, suspended, false);
                // before it leaves, or they would start
                for (Place waiting : behind) {
                    takeBack(waiting, new ArrayList<>(), this::tellCancelled);
                }
            } finally {
                call.end();
                dispatcher.leave(place);
            }
        }
    }

    // taking back

    private static @Nullable Runnable taskOf(Object state) {
        return state instanceof Suspended suspended ? suspended.attempt().task : States.workOf(state);
    }

    private static @Nullable TaskFuture<?> futureOf(Place place) {
        Object state = place.state();
        Runnable task = state instanceof Attempt attempt ? attempt.task : taskOf(state);
        return task instanceof TaskFuture<?> future ? future : null;
    }

    /** Cancels the task of a place through its future, if it has one. */
    void cancel(Place place) {
        TaskFuture<?> future = futureOf(place);
        if (future != null) {
            future.cancel(true);
        }
    }

    /** Lets a place leave at once whose future was completed, perhaps by a thread that has not come to that yet. */
    void leaveIfDone(Place place) {
        TaskFuture<?> future = futureOf(place);
        if (future != null && future.isDone()) {
            onCompleted(place, future);
        }
    }

    /**
     * Takes back a place for which no thread was found, for its submitter; false if that has no task there any more.
     */
    boolean takeBackOwn(Place place, Object own) {
        boolean mine = place instanceof Batch batch ? takeBackFounder(batch) : takesBackOwn(place, own);
        if (mine) {
            reports.count(Count.NO_THREAD);
        }
        return mine;
    }

    private boolean takesBackOwn(Place place, Object own) {
        // no submitter brings work that has failed before: another thread has run it meanwhile
        Runnable work = own instanceof Again ? null : States.workOf(own);
        Object state = place.state();
        if (work == null || States.unpaused(state) != own || !place.change(state, Out.TAKEN_BACK)) {
            return false;
        }
        if (work instanceof TaskFuture<?> future) {
            future.setPlace(null);
        }
        onTaken(place);
        dispatcher.leave(place);
        return true;
    }

    /** Takes back a place that was just taken, for its submitter; false if others have done so. */
    boolean withdraw(Place place) {
        Object state = place.state();
        boolean mine = States.workOf(state) instanceof TaskFuture<?> && place.change(state, Out.TAKEN_BACK);
        if (mine) {
            onTaken(place);
            dispatcher.leave(place);
        }
        return mine;
    }

    /**
     * Takes back a place that has not started, or waits to be run again.
     *
     * @param unstarted receives what was submitted, unless its future is complete
     * @param tell told of the target and the work if that is cancelled, unless another thread tells of the end
     * @return false if there is nothing to take back
     */
    private boolean takeBack(Place place, List<Runnable> unstarted, BiConsumer<Object, Object> tell) {
        if (place instanceof Batch batch) {
            boolean any = false;
            while (takeBackOldest(batch, unstarted, tell)) {
                any = true;
            }
            return any;
        }
        while (true) {
            Object state = place.state();
            Runnable task = taskOf(state);
            if (task == null) {
                if (state instanceof Vacancy vacancy && !vacancy.reservation().close(Out.DISCARDED)) {
                    // it was used meanwhile, and has a task now
                    continue;
                }
                return false;
            }
            TaskFuture<?> future = task instanceof TaskFuture<?> ofTask ? ofTask : null;
            Object next = future == null ? Out.TAKEN_BACK : new Completes(future);
            if (changes(place, state, next)) {
                orders.orBreak(() -> endTakenBack(place, task, future, next, unstarted, tell));
                return true;
            }
        }
    }

    private void endTakenBack(
            Place place,
            Runnable task,
            @Nullable TaskFuture<?> future,
            Object next,
            List<Runnable> unstarted,
            BiConsumer<Object, Object> tell) {
        onTaken(place);
        if (future == null) {
            unstarted.add(task);
            reports.count(Count.CANCELLED);
            tell.accept(targetOf(place), task);
            dispatcher.leave(place);
            return;
        }
        if (!future.isDone()) {
            unstarted.add(future.asSubmitted());
        }
        Object work = future.take();
        future.setPlace(null);
        complete(future, future::cancelTakenBack, () -> {
            place.change(next, Out.TAKEN_BACK);
            endUnrun(place, future, work, tell);
            dispatcher.leave(place);
        });
    }

    // batches

    /** The items of a batch that has failed wait again, but for those that are done. */
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
                onPutBack(batch);
            }
        }
    }

    /** Takes those out that were completed before they were back; returns whether none is left to run again. */
    private boolean isSpent(Batch batch, Claimed again) {
        for (BatchItem item : again.items()) {
            if (item.isDone()) {
                takeOut(batch, item, this::tellCancelled);
            }
        }
        boolean isSpent = batch.isSpent();
        if (isSpent) {
            // perhaps they all were completed before this one came to put them back
            leaveSpent(batch);
        }
        return isSpent;
    }

    /** Takes an item out that waits, and whose future is done; the last one takes the place back. */
    private boolean takeOut(Batch batch, BatchItem item, BiConsumer<Object, Object> tell) {
        if (!batch.remove(item)) {
            return false;
        }
        // before dependent actions run, which may submit
        onTaken(batch);
        Object work = item.take();
        item.setPlace(null);
        item.cancelTakenBack();
        endUnrun(batch, item, work, tell);
        if (batch.isSpent()) {
            leaveSpent(batch);
        }
        return true;
    }

    private void leaveSpent(Batch batch) {
        batch.endsLinger();
        for (Object state = batch.state(); taskOf(state) == batch.whole(); state = batch.state()) {
            if (changes(batch, state, Out.TAKEN_BACK)) {
                batch.whole().setPlace(null);
                dispatcher.leave(batch);
            }
        }
    }

    private boolean takeBackOldest(Batch batch, List<Runnable> unstarted, BiConsumer<Object, Object> tell) {
        while (true) {
            BatchItem item = batch.oldest();
            if (item == null) {
                return false;
            }
            Runnable submitted = item.isDone() ? null : item.asSubmitted();
            if (takeOut(batch, item, tell)) {
                if (submitted != null) {
                    unstarted.add(submitted);
                }
                return true;
            }
        }
    }

    /** Takes the item back for which a batch was made and no thread was found; those that have joined it run. */
    private boolean takeBackFounder(Batch batch) {
        BatchItem founder = batch.founder();
        if (founder == null || !batch.remove(founder)) {
            return false;
        }
        founder.setPlace(null);
        onTaken(batch);
        if (batch.isSpent()) {
            leaveSpent(batch);
        } else {
            dispatcher.start(batch);
        }
        return true;
    }

    /** The batches that wait for more items although it is their turn. */
    Set<Batch> lingering() {
        return lingering;
    }

    /** Whether no batch is to wait for more items: somebody waits for the end of all, or will. */
    boolean isHurried() {
        return isShutdown() || hurries.get() > 0;
    }

    /** Lets all batches start. */
    void hurry() {
        lingering.forEach(Batch::hurry);
    }

    /** A later task of the same slot interrupts the task of a place, which runs or waits to be run again. */
    boolean supersede(Place place) {
        Object state = place.state();
        TaskFuture<?> future = futureOf(place);
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

    /** A task was replaced by a later one, which has its place now. */
    void onReplaced(Place place, TaskFuture<?> replaced) {
        Object work = replaced.take();
        replaced.setPlace(null);
        replaced.cancelTakenBack();
        Count end = endUnrun(place, replaced, work, this::tellReplaced);
        if (end == Count.CANCELLED) {
            reports.count(Count.REPLACED);
        }
    }

    /**
     * Counts and tells how a task has ended, whose future is complete, and which does not run, or not again.
     *
     * @param work what is told of; null if another thread does that
     * @param tell told of the target and the work if the future is cancelled
     */
    private Count endUnrun(Place place, TaskFuture<?> future, @Nullable Object work, BiConsumer<Object, Object> tell) {
        Count end = future.end();
        reports.count(end);
        if (events != null && work != null) {
            Object target = targetOf(place);
            switch (end) {
                case COMPLETED -> events.finished(target, work, 0);
                case CANCELLED -> tell.accept(target, work);
                default -> events.failed(target, work, 0, future.failure());
            }
        }
        return end;
    }

    private void tellCancelled(Object target, Object work) {
        if (events != null) {
            events.cancelled(target, work);
        }
    }

    private void tellReplaced(Object target, Object work) {
        if (events != null) {
            events.replaced(target, work);
        }
    }

    private void tellDropped(Object target, Object work) {
        if (events != null) {
            events.dropped(target, work);
        }
    }

    /** Cancels the task that has waited longest in an order; false if none waits, but for places that are reserved. */
    boolean dropOldest(Order order) {
        // the keys of the submission stay open meanwhile
        Call call = Call.begin(this, false);
        try {
            return dropsOldest(order);
        } finally {
            call.end();
        }
    }

    private boolean dropsOldest(Order order) {
        // they have started meanwhile, or somebody else has taken them back
        Set<Place> missed = new HashSet<>();
        Predicate<Place> isDroppable = place ->
                // items that were put back have room before their batch waits again
                (place instanceof Batch batch ? batch.oldest() != null : taskOf(place.state()) != null)
                        && !missed.contains(place);
        for (Place place = survey.first(order, isDroppable); place != null; place = survey.first(order, isDroppable)) {
            boolean dropped = place instanceof Batch batch
                    ? takeBackOldest(batch, new ArrayList<>(), this::tellDropped)
                    : takeBack(place, new ArrayList<>(), this::tellDropped);
            if (dropped) {
                return true;
            }
            missed.add(place);
        }
        return false;
    }

    /** A reservation has ended without being used. */
    void onUnused(Place place) {
        onTaken(place);
        dispatcher.leave(place);
    }

    /** A place is queued no longer: it starts, or was taken back. */
    private void onTaken(Place place) {
        for (int i = 0; countsKeys && i < place.countedSteps(); i++) {
            Room inKey = Room.OfKey.of(place.step(i).order());
            if (inKey != null) {
                inKey.giveBack();
            }
        }
        if (room != null) {
            room.giveBack();
        }
    }

    private void onTaken(Place place, int tasks) {
        for (int i = 0; i < tasks; i++) {
            onTaken(place);
        }
    }

    /** A place is queued again, whether there is room or not. */
    private void onPutBack(Place place) {
        for (int i = 0; countsKeys && i < place.countedSteps(); i++) {
            Room inKey = Room.OfKey.of(place.step(i).order());
            if (inKey != null) {
                inKey.takeAgain();
            }
        }
        if (room != null) {
            room.takeAgain();
        }
    }

    // pause

    public boolean isPaused() {
        return paused;
    }

    /**
     * Whether a place that would start now is paused. Then it is set aside, and handed over again once for all pauses
     * by whoever resumes: thread A sets it aside, then looks again; thread B ends the pause, then looks for what is set
     * aside. So one of them finds it, and the state tells which one it is that goes on.
     */
    boolean setsAside(Place place) {
        while (paused || place.isPaused()) {
            Object state = place.state();
            if (state instanceof Paused || States.workOf(state) == null) {
                return true;
            }
            if (place.change(state, new Paused(state)) && !goesOnAfterPause(place)) {
                return true;
            }
        }
        return false;
    }

    /** Takes up a place that was set aside; false if it is paused still, or another thread has done so. */
    boolean goesOnAfterPause(Place place) {
        while (place.state() instanceof Paused aside && !paused && !place.isPaused()) {
            // if not: it was taken back, or has another task by now
            if (place.change(aside, aside.work())) {
                return true;
            }
        }
        return false;
    }

    public void pause() {
        if (!isShutdown()) {
            paused = true;
            if (isShutdown()) {
                resume();
            }
        }
    }

    public void resume() {
        if (paused) {
            paused = false;
            dispatcher.startAllPaused();
        }
    }

    // limits

    public void setCapacity(int capacity) {
        if (room == null) {
            throw notCounted("capacity");
        }
        room.setSize(capacity);
    }

    void setKeyCapacity(int capacity) {
        if (!countsKeys) {
            throw notCounted("keyCapacity");
        }
        keyCapacity = capacity;
        forEachKeyRoom(Room::admit);
    }

    private IllegalStateException notCounted(String setting) {
        return new IllegalStateException(description + " was built without a " + setting
                + ", so its queued tasks are not counted; set " + setting + " in the builder");
    }

    private void forEachKeyRoom(Consumer<Room> action) {
        for (Order order : orders.all()) {
            Room inKey = Room.OfKey.of(order);
            if (inKey != null) {
                action.accept(inKey);
            }
        }
    }

    // looks

    /** The settings as they are now. */
    OrderedExecutorSettings settings(Settings built) {
        int threads = workers.threads();
        Turn turn = workers.turn();
        return new OrderedExecutorSettings(
                threads == Workers.UNKNOWN ? null : threads,
                turn.tasks(),
                Duration.ofNanos(turn.nanos()),
                room == null ? null : room.size(),
                countsKeys ? keyCapacity : null,
                built.overflow(),
                retries.policy(),
                orders.isByIdentity(),
                built.reservationLease(),
                events != null);
    }

    public Rejections rejections() {
        return reports.rejections();
    }

    public List<RunningTask> runningTasks() {
        return new Explainer(this).runningTasks();
    }

    public List<Explanation> explainStuck(Duration atLeast, boolean stacks) {
        if (Objects.requireNonNull(atLeast, "atLeast").isNegative()) {
            throw new IllegalArgumentException("atLeast is " + atLeast + ", but must not be negative");
        }
        return new Explainer(this).stuck(atLeast, stacks);
    }

    /** Empty if tasks are not timed. */
    public Optional<Duration> oldestQueuedAge() {
        if (events == null) {
            return Optional.empty();
        }
        long now = platform.nanoTime();
        long[] oldest = {0};
        survey.forEachOldest(place -> {
            if (place.isQueued()) {
                oldest[0] = Math.max(oldest[0], now - place.queuedAt());
            }
        });
        return Optional.of(Duration.ofNanos(oldest[0]));
    }

    // idleness

    /**
     * Whether tasks are left, and none of them goes on before something is resumed: each is parked or paused, or waits
     * for one that is.
     */
    public boolean isHeldUp() {
        long ended = ended();
        // a task may have gone from where this has not looked to where it had: then it has ended here
        return survey.areHeldUp(this::goesOn) && ended() == ended;
    }

    private long ended() {
        return reports.counted(Count.COMPLETED) + reports.counted(Count.FAILED) + reports.counted(Count.CANCELLED);
    }

    /** A place is over that no thread has run: perhaps it was handed over. */
    void onOverUnrun() {
        workers.onOver(Service::isOver);
    }

    private static boolean isOver(Runnable work) {
        return work instanceof Place place
                ? place.isTakenBack()
                : work instanceof Dispatcher.Granting granting && granting.isOver();
    }

    /** Whether a place, which is granted unless it is a piece, goes on by itself. */
    boolean goesOn(Place place) {
        Object state = place.state();
        if (state instanceof Attempt attempt) {
            return !attempt.isWorked() || (place instanceof Piece piece && piece.isReady());
        }
        if (state instanceof Out || state instanceof Completes) {
            return true;
        }
        boolean isParked = state instanceof Suspended suspended && suspended.isParked();
        boolean lingers = place instanceof Batch batch && batch.isLingering();
        return !isParked && !lingers && !paused && !place.isPaused();
    }

    /**
     * Waits until a condition holds that only the end of tasks can bring about.
     *
     * @param hurry lets begin what waits for more
     */
    public boolean awaitIdle(Runnable hurry, BooleanSupplier idle, Duration limit) throws InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(Objects.requireNonNull(limit, "limit"));
        holds(() -> {
            hurry.run();
            return true;
        });
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        // an executor that was idle once must not be asked again, with no time left: a task may have come since
        if (holds(idle)) {
            return true;
        }
        boolean mayWait = nanos > 0 && !Call.isIn(this, true);
        if (mayWait) {
            Completion.followAll(this);
        }
        // whether this is a task is asked last: it is a look at all places
        return closedOrders.await(() -> holds(idle), mayWait && !isInsideTask() ? nanos : 0);
    }

    /** Whether a condition holds; not if an Error has left taken what it looks at. */
    private boolean holds(BooleanSupplier condition) {
        tellIfBroken();
        try {
            return condition.getAsBoolean();
        } catch (IllegalStateException stuck) {
            if (isBroken() && stuck.getCause() instanceof Error) {
                return false;
            }
            // a key's own
            throw stuck;
        }
    }

    /** Waits until no place stands in any order; no batch waits for more items meanwhile. */
    public boolean drain(Duration limit) throws InterruptedException {
        hurries.getAndIncrement();
        try {
            return awaitIdle(this::hurry, orders::isEmpty, limit);
        } finally {
            hurries.getAndDecrement();
        }
    }

    /** Orders were closed: those who wait until nothing stands somewhere look again. */
    void onOrdersClosed() {
        closedOrders.signal();
    }

    // the end of the executor

    /** Whether no task may start any more. */
    boolean isStopping() {
        return phase == Phase.STOPPING;
    }

    public boolean isShutdown() {
        return phase != Phase.RUNNING;
    }

    public boolean isTerminated() {
        return terminated;
    }

    public void shutdown() {
        tellIfBroken();
        enter(Phase.SHUT_DOWN);
        if (phase != Phase.STOPPING) {
            close();
        }
    }

    /** Moves forward; nobody goes back. */
    private synchronized void enter(Phase next) {
        if (phase.compareTo(next) < 0) {
            phase = next;
        }
    }

    private void close() {
        orders.close();
        resume();
        dispatcher.resumeAll();
        hurry();
        closeRoom();
        for (Place place : survey.all(true)) {
            if (place.state() instanceof Suspended suspended && suspended.isParked()) {
                giveUp(place, suspended);
            }
        }
        closed = true;
        terminateIfDone();
    }

    /** Takes back all that has not started, and interrupts or cancels what runs. */
    public List<Runnable> shutdownNow() {
        tellIfBroken();
        enter(Phase.STOPPING);
        orders.close();
        closeRoom();
        List<Runnable> unstarted = new ArrayList<>();
        List<Place> all = survey.inOrder(comparisons.all(), Integer.MAX_VALUE);
        Call call = Call.begin(this, true);
        try {
            for (Place place : all) {
                takeBack(place, unstarted, this::tellCancelled);
            }
            for (Place place : all) {
                if (place.state() instanceof Attempt attempt) {
                    stop(attempt);
                }
            }
        } finally {
            call.end();
        }
        paused = false;
        dispatcher.resumeAll();
        closed = true;
        terminateIfDone();
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

    /**
     * A call of the current thread that completes futures, and that the end of the executor waits for. A dependent
     * action that waits for that end in turn would wait for ever: it does not wait, as a task does not.
     *
     * @param ends whether tasks end by it that stand in orders, and an idle executor waits for it, too
     */
    private record Call(
            Service service, boolean ends, @Nullable Call outer) {
        private static final ThreadLocal<@Nullable Call> INNERMOST = new ThreadLocal<>();

        static Call begin(Service service, boolean ends) {
            Call call = new Call(service, ends, INNERMOST.get());
            INNERMOST.set(call);
            return call;
        }

        void end() {
            // null stays as the value, since to set one anew allocates
            INNERMOST.set(outer);
        }

        static boolean isIn(Service service, boolean ends) {
            for (Call call = INNERMOST.get(); call != null; call = call.outer) {
                if (call.service == service && (call.ends || !ends)) {
                    return true;
                }
            }
            return false;
        }
    }

    /** Lets those go who wait for room: there will be none. */
    private void closeRoom() {
        if (room != null) {
            room.wakeAll();
        }
        forEachKeyRoom(Room::wakeAll);
        for (Order order : orders.all()) {
            if (order.key() instanceof Output<?> output) {
                output.window().wakeAll();
            }
        }
    }

    void terminateIfDone() {
        if (closed && orders.isOver() && beginsToTerminate()) {
            try {
                onTerminated.run();
            } finally {
                terminated = true;
                termination.signal();
            }
        }
    }

    private synchronized boolean beginsToTerminate() {
        boolean first = !terminating;
        terminating = true;
        return first;
    }

    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (timeout <= 0 || Call.isIn(this, false)) {
            return isTerminated();
        }
        Completion.followAll(this);
        if (isInsideTask()) {
            return isTerminated();
        }
        return termination.await(this::isOver, unit.toNanos(timeout)) && isTerminated();
    }

    /** Whether it is terminated, or will never be. */
    private boolean isOver() {
        tellIfBroken();
        return terminated || isBroken();
    }

    /** Shuts down, and waits until all is done; if interrupted, shuts down now. */
    public void closeAndWait() {
        shutdown();
        if (Call.isIn(this, false)) {
            return;
        }
        Completion.followAll(this);
        if (isInsideTask()) {
            return;
        }
        boolean interrupted = false;
        for (boolean done = false; !done; ) {
            try {
                done = termination.await(this::isOver, Long.MAX_VALUE);
            } catch (InterruptedException e) {
                if (!interrupted) {
                    shutdownNow();
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the calling thread is running a task, which cannot end while it waits here. */
    public boolean isInsideTask() {
        Thread here = Thread.currentThread();
        for (Place place : survey.active()) {
            if (place.thread() == here) {
                return true;
            }
        }
        return false;
    }
}
