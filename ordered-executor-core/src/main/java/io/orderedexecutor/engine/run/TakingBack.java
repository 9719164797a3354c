package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.order.Place.Out;
import io.orderedexecutor.engine.permit.Rooms;
import io.orderedexecutor.engine.run.Batch.Claimed;
import io.orderedexecutor.engine.run.States.Again;
import io.orderedexecutor.engine.run.States.Completes;
import io.orderedexecutor.engine.run.States.Vacancy;
import io.orderedexecutor.engine.task.Completion;
import io.orderedexecutor.engine.task.Reports;
import io.orderedexecutor.engine.task.Reports.Count;
import io.orderedexecutor.engine.task.TaskEvents;
import io.orderedexecutor.engine.task.TaskFuture;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Takes back tasks that wait for their first or another attempt: they are cancelled, dropped for a later task,
 * replaced, refused by the workers or by an output that was closed, or end with the executor. The thread that changes
 * the state of a place takes back its task. That thread gives back the room, completes the future if it is not complete
 * yet, counts and reports the end of the task, and then removes the place from its orders: so nothing behind the place
 * starts before the future is complete. A replaced task leaves its place to the later task. A task that the workers or
 * a closed output refuse was never accepted: its future stays as it is, and no end is counted or reported.
 */
public final class TakingBack {

    /** Why a task is taken back. */
    private enum Why {
        CANCELLED,
        DROPPED,
        REPLACED
    }

    private final Service service;
    private final Dispatcher dispatcher;
    private final Rooms rooms;
    private final Reports reports;
    private final @Nullable TaskEvents events;

    TakingBack(Service service) {
        this.service = service;
        this.dispatcher = service.dispatcher();
        this.rooms = service.rooms();
        this.reports = service.reports();
        this.events = reports.events();
    }

    // places

    /**
     * Takes back a place whose task waits for its first or another attempt.
     *
     * @param takenBack gets the submitted task, unless its future is complete
     */
    void takeBack(Place place, List<Runnable> takenBack) {
        takeBack(place, takenBack, Why.CANCELLED);
    }

    /** As above, for any reason. Returns whether a task was taken back; to end an open reservation does not count. */
    private boolean takeBack(Place place, List<Runnable> takenBack, Why why) {
        if (place instanceof Batch batch) {
            boolean any = false;
            while (takeBackOldest(batch, takenBack, why)) {
                any = true;
            }
            return any;
        }
        while (true) {
            Object state = place.state();
            Runnable task = States.taskOf(state);
            if (task == null) {
                if (state instanceof Vacancy vacancy && !vacancy.reservation().close(Out.DISCARDED)) {
                    // the reservation was used meanwhile: look again, for its task
                    continue;
                }
                return false;
            }
            if (takeBack(place, state, task, takenBack, why)) {
                return true;
            }
        }
    }

    /** As above; false if the place is no longer in a state that the caller has read. */
    private boolean takeBack(Place place, Object state, Runnable task, List<Runnable> takenBack, Why why) {
        TaskFuture<?> future = task instanceof TaskFuture<?> ofTask ? ofTask : null;
        Object next = future == null ? Out.TAKEN_BACK : new Completes(future, Thread.currentThread());
        if (!States.change(place, state, next)) {
            return false;
        }
        service.orders().orBreak(() -> {
            if (future == null) {
                takenBack.add(task);
                endPlain(place, task, why);
            } else {
                if (!future.isDone()) {
                    takenBack.add(future.asSubmitted());
                }
                end(place, future, next, why);
            }
        });
        return true;
    }

    /** Takes back a task that waits for another attempt; false if the place is no longer in this state. */
    boolean takeBackFailed(Place place, Object state, TaskFuture<?> future) {
        return takeBack(place, state, future, new ArrayList<>(), Why.CANCELLED);
    }

    private void endPlain(Place place, Runnable task, Why why) {
        rooms.giveBack(place);
        reports.count(Count.CANCELLED);
        tell(why, place, task);
        dispatcher.leave(place);
    }

    private void end(Place place, TaskFuture<?> future, Object next, Why why) {
        rooms.giveBack(place);
        Object work = future.take();
        future.setPlace(null);
        complete(future, future::cancelTakenBack, () -> {
            place.change(next, Out.TAKEN_BACK);
            endUnrun(place, future, work, why);
            dispatcher.leave(place);
        });
    }

    /** Cancels the task of a place through its future, if it has one. */
    void cancel(Place place) {
        TaskFuture<?> future = States.futureOf(place);
        if (future != null) {
            future.cancelContained();
        }
    }

    /**
     * Ends the task of a place whose future is complete, unless a thread runs the task; then the place leaves. Usually
     * the thread that completed the future does this, but it may still be running dependent actions.
     */
    void leaveIfDone(Place place) {
        TaskFuture<?> future = States.futureOf(place);
        if (future != null && future.isDone()) {
            service.onCompleted(place, future);
        }
    }

    /** Takes back a task whose future is complete; false if the place is no longer in this state. */
    boolean takeBackDone(Place place, Object state, TaskFuture<?> future) {
        if (!States.change(place, state, Out.TAKEN_BACK)) {
            return false;
        }
        service.orders().orBreak(() -> {
            Object work = future.take();
            future.setPlace(null);
            rooms.giveBack(place);
            endUnrun(place, future, work);
            dispatcher.leave(place);
        });
        return true;
    }

    /** Takes back a place that the workers refused; false if another thread has changed the place meanwhile. */
    boolean takeBackRefused(Place place, Object own) {
        boolean mine = place instanceof Batch batch ? takeBackFounder(batch) : takeBackOwn(place, own);
        if (mine) {
            reports.count(Count.NO_THREAD);
        }
        return mine;
    }

    /**
     * Takes back a place that was just submitted; false if another thread has started, replaced or taken back the task,
     * or sets the place aside or resumes it just now.
     *
     * @param own the state that the submitter gave the place: its own task
     */
    public boolean takeBackOwn(Place place, Object own) {
        // an Again is work that another thread has run, and that has failed: it belongs to no submitter any more
        Runnable work = own instanceof Again ? null : States.workOf(own);
        Object state = place.state();
        if (work == null || States.unpaused(state) != own || !place.change(state, Out.TAKEN_BACK)) {
            return false;
        }
        if (work instanceof TaskFuture<?> future) {
            future.setPlace(null);
        }
        leaveUnused(place);
        return true;
    }

    /** Removes a place of which listeners know nothing: an unused reservation, or a task not accepted. */
    void leaveUnused(Place place) {
        rooms.giveBack(place);
        dispatcher.leave(place);
    }

    /**
     * Cancels the task that has waited longest in an order, of those whose places may be dropped; false if none of them
     * waits. Reserved places are never dropped.
     */
    public boolean dropOldest(Order order, Predicate<? super Place> mayDrop) {
        // dropping a task runs the dependent actions of its future on this thread; they must not wait for the executor
        // to terminate, which cannot happen before this submission has ended
        Lifecycle.Call call = service.lifecycle().beginCall(false);
        try {
            return dropFirst(order, mayDrop);
        } finally {
            call.end();
        }
    }

    /** How many tasks of these orders {@link #dropOldest} may drop; counts no further than {@code most}. */
    public long countDroppable(Collection<Order> orders, Predicate<? super Place> mayDrop, long most) {
        // a task that stands in several of them is dropped once
        Set<Place> counted = Collections.newSetFromMap(new IdentityHashMap<>());
        long found = 0;
        for (Order order : orders) {
            found += service.survey()
                    .queuedTasks(
                            order,
                            place -> isDroppable(place) && mayDrop.test(place) && counted.add(place),
                            most - found);
        }
        return found;
    }

    private static boolean isDroppable(Place place) {
        return States.taskOf(place.state()) != null;
    }

    private boolean dropFirst(Order order, Predicate<? super Place> mayDrop) {
        // the few places that have started meanwhile, or that another thread has taken back
        List<Place> missed = new ArrayList<>(0);
        Predicate<Place> isDroppable = place -> isDroppable(place) && mayDrop.test(place) && !missed.contains(place);
        while (true) {
            Place place = service.survey().first(order, isDroppable);
            if (place == null) {
                return false;
            }
            boolean dropped = place instanceof Batch batch
                    ? takeBackOldest(batch, new ArrayList<>(), Why.DROPPED)
                    : takeBack(place, new ArrayList<>(), Why.DROPPED);
            if (dropped) {
                return true;
            }
            missed.add(place);
        }
    }

    /** Ends a task that a later task has replaced in its place. */
    public void onReplaced(Place place, TaskFuture<?> replaced) {
        service.orders().orBreak(() -> {
            Object work = replaced.take();
            replaced.setPlace(null);
            replaced.cancelTakenBack();
            if (endUnrun(place, replaced, work, Why.REPLACED) == Count.CANCELLED) {
                reports.count(Count.REPLACED);
            }
        });
    }

    // items of batches

    /**
     * Takes out the items that were completed before they were put back, and ends the batch if all items have ended.
     * Returns whether no item is left.
     */
    boolean leaveIfSpent(Batch batch, Claimed again) {
        for (BatchItem item : again.items()) {
            if (item.isDone()) {
                takeOut(batch, item);
            }
        }
        if (batch.isEnded()) {
            // all items may have been completed before they were put back, and then nobody else ends the batch
            leaveEnded(batch);
        }
        return batch.isSpent();
    }

    /**
     * Takes out the items that were left when the others were claimed: their futures are complete, but the threads that
     * completed them still run dependent actions.
     */
    void takeOutRest(Batch batch) {
        for (BatchItem item = batch.oldest(); item != null; item = batch.oldest()) {
            takeOut(batch, item);
        }
    }

    /** Takes out a waiting item that must not run: its future is complete. */
    void takeOut(Batch batch, BatchItem item) {
        takeOut(batch, item, Why.CANCELLED);
    }

    /** Takes out a waiting item; if it was the last one, takes back the place. */
    private boolean takeOut(Batch batch, BatchItem item, Why why) {
        if (!batch.remove(item)) {
            return false;
        }
        try {
            // before dependent actions run: they may submit, and need the room
            rooms.giveBack(batch);
            Object work = item.take();
            item.setPlace(null);
            complete(item, () -> cancelUnlessDone(item), () -> {
                endUnrun(batch, item, work, why);
                leaveIfEnded(batch);
            });
        } catch (VirtualMachineError | LinkageError failure) {
            // not by orBreak: making a lambda for it may fail, too, and no other thread ends the item
            service.orders().setBroken(failure);
            throw failure;
        }
        return true;
    }

    private static void cancelUnlessDone(BatchItem item) {
        if (!item.isDone()) {
            item.cancelTakenBack();
        }
    }

    /** Called when an item that this thread has taken out has ended, and to end {@link Batch#keepFromLeaving}. */
    void leaveIfEnded(Batch batch) {
        if (batch.endsWithItem()) {
            leaveEnded(batch);
        }
    }

    /** Lets a batch leave whose items have all ended, unless a thread still has its attempt, or lets it leave. */
    private void leaveEnded(Batch batch) {
        batch.endsLinger();
        for (Object state = batch.state();
                state instanceof Completes || States.taskOf(state) == batch.whole();
                state = batch.state()) {
            if (States.change(batch, state, Out.TAKEN_BACK)) {
                batch.whole().setPlace(null);
                dispatcher.leave(batch);
            }
        }
    }

    private boolean takeBackOldest(Batch batch, List<Runnable> takenBack, Why why) {
        while (true) {
            BatchItem item = batch.oldest();
            if (item == null) {
                return false;
            }
            Runnable submitted = item.isDone() ? null : item.asSubmitted();
            if (takeOut(batch, item, why)) {
                if (submitted != null) {
                    takenBack.add(submitted);
                }
                return true;
            }
        }
    }

    /** Takes back the item for which a batch was made, when the workers refused the batch; its other items run. */
    private boolean takeBackFounder(Batch batch) {
        BatchItem founder = batch.founder();
        if (founder == null || !batch.remove(founder)) {
            return false;
        }
        try {
            founder.setPlace(null);
            rooms.giveBack(batch);
            if (batch.endsWithItem()) {
                leaveEnded(batch);
            } else {
                dispatcher.start(batch);
            }
        } catch (VirtualMachineError | LinkageError failure) {
            service.orders().setBroken(failure);
            throw failure;
        }
        return true;
    }

    // their ends

    /** Completes a future whose task this thread does not run. */
    void complete(TaskFuture<?> future, Runnable completion, Runnable followUp) {
        Completion begun =
                Completion.begin(service.lifecycle(), service.workers().areCallers(), future, false, followUp);
        try {
            completion.run();
        } catch (VirtualMachineError | LinkageError failure) {
            if (!future.isDone()) {
                service.orders().setBroken(failure);
            }
            throw failure;
        } finally {
            begun.end(true);
        }
    }

    /**
     * Counts and reports the end of a task that its place has not run to the end. Its future is complete; or the
     * application has published the future by a data race, and a thread that did not see the place has run the work.
     *
     * @param work the task to report; null if such a thread has taken it: then the end is only counted
     */
    void endUnrun(Place place, TaskFuture<?> future, @Nullable Object work) {
        endUnrun(place, future, work, Why.CANCELLED);
    }

    private Count endUnrun(Place place, TaskFuture<?> future, @Nullable Object work, Why why) {
        Count end = future.end();
        reports.count(end);
        if (events != null && work != null) {
            switch (end) {
                case COMPLETED -> events.finished(service.targetOf(place), work, 0);
                case CANCELLED -> tell(why, place, work);
                default -> events.failed(service.targetOf(place), work, 0, Objects.requireNonNull(future.failure()));
            }
        }
        return end;
    }

    private void tell(Why why, Place place, Object work) {
        if (events == null) {
            return;
        }
        Object target = service.targetOf(place);
        switch (why) {
            case CANCELLED -> events.cancelled(target, work);
            case DROPPED -> events.dropped(target, work);
            case REPLACED -> events.replaced(target, work);
        }
    }
}
