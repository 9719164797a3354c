package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Barrier;
import io.orderedexecutor.engine.order.Bin;
import io.orderedexecutor.engine.order.Grants;
import io.orderedexecutor.engine.order.Many;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import io.orderedexecutor.engine.pool.Keyed;
import io.orderedexecutor.engine.pool.Offer;
import io.orderedexecutor.engine.pool.Turn;
import io.orderedexecutor.engine.pool.UncaughtFailures;
import io.orderedexecutor.engine.pool.Workers;
import io.orderedexecutor.engine.run.Service.Next;
import io.orderedexecutor.engine.run.States.Paused;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a thread for each place that is granted and filled, and for each piece that may start.
 *
 * <ul>
 *   <li>A submitter hands over its own place, and gets the refusal of the workers. If they run work inline, it runs
 *       only its own task, and what that task submits.
 *   <li>A thread that completes, cancels, resumes, looks, or performs the requests of others runs none of the places
 *       that it grants, except if {@linkplain Workers#areCallers callers run them}, or if the helper cannot be started:
 *       places that the workers refuse go to the helper.
 *   <li>A thread that serves a turn continues with the first place that the end of its task has granted, and hands over
 *       the others.
 * </ul>
 *
 * <p>Linking a task behind the one before it, so that the finished one starts the next, is Jeff Hain's answer to the
 * author of http-kit on the concurrency-interest list.
 */
public final class Dispatcher implements Orders.Sink {
    private final Service service;
    private final Workers workers;
    private final Orders orders;

    /** Whether no task may start. */
    private volatile boolean paused;

    Dispatcher(Service service, String description, Workers workers, boolean byIdentity) {
        this.service = service;
        this.workers = workers;
        this.orders = new Orders(workers.platform(), this, description, byIdentity);
    }

    static Dispatcher dispatcherOf(Place place) {
        return dispatcherOf(place.orders());
    }

    public static Dispatcher dispatcherOf(Orders orders) {
        return (Dispatcher) orders.sink();
    }

    Service service() {
        return service;
    }

    Orders orders() {
        return orders;
    }

    // after a change of orders

    /** Hands over a place that waits for nothing, for its submitter. */
    public void handOver(Place place) {
        Orders.throwIfAny(tryHandOver(place, place.state()));
    }

    @Override
    public @Nullable Throwable entered(Place place, Object own, boolean granted) {
        if (place instanceof Barrier) {
            service.hurry();
        }
        boolean isGranted = place instanceof Many many ? many.countDown() : granted;
        if (place.isTakenBack()) {
            // thread A may have taken it back before it had an order to leave, so this thread B lets it leave
            leave(place);
        } else if (!isGranted) {
            onQueuedBehind(place, own);
        } else if (place.isOverWhenGranted()) {
            if (place.endsWhenGranted()) {
                leave(place);
            }
        } else if (place.isReadyWhenGranted() && !setAsideIfPaused(place)) {
            return tryHandOver(place, own);
        }
        return null;
    }

    /** Removes a place from all of its orders, and finds threads for the places that this grants. */
    void leave(Place place) {
        boolean hasRun = place.state() == Place.Out.LEFT;
        orders.leave(place);
        if (!hasRun) {
            // it may still be in the ready queue: let a sweep take it out
            workers.onOver(Dispatcher::isOver);
        }
    }

    private static boolean isOver(Runnable work) {
        return work instanceof Place place
                ? place.isTakenBack()
                : work instanceof Granting granting && granting.isOver();
    }

    // pauses

    public boolean isPaused() {
        return paused;
    }

    public void pause() {
        if (!service.lifecycle().isShutdown()) {
            paused = true;
            if (service.lifecycle().isShutdown()) {
                resume();
            }
        }
    }

    public void resume() {
        if (paused) {
            paused = false;
            startAll(orders.startable());
        }
    }

    /** Resumes a key; false if it was not paused. */
    public boolean resume(Object key) {
        List<Place> held = orders.resume(key);
        startAll(held == null ? List.of() : held);
        return held != null;
    }

    /** Ends all pauses. */
    void resumeAll() {
        resume();
        for (Order order : orders.all(Order::isPaused)) {
            List<Place> held = orders.resume(order);
            startAll(held == null ? List.of() : held);
        }
    }

    /**
     * Sets aside a place that would start now, but is paused. This thread A sets the place aside, then checks again
     * whether it is paused; thread B ends the pause, then looks for places that are set aside. So at least one of them
     * sees the other. Only one succeeds in changing the state back, even if several pauses end, and starts the place.
     *
     * @return true if the caller must not start the place: it was set aside, or has nothing to start
     */
    boolean setAsideIfPaused(Place place) {
        while (paused || place.isPaused()) {
            Object state = place.state();
            if (state instanceof Paused || States.workOf(state) == null) {
                return true;
            }
            if (place.change(state, new Paused(state)) && !continueIfResumed(place)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Like {@link #setAsideIfPaused}, for a place that is about to be handed over. But false if it has nothing that
     * could start now, for example since it is set aside already.
     */
    private boolean setAsideIfStartable(Place place) {
        return States.startableOf(place.state()) != null && setAsideIfPaused(place);
    }

    /** Ends the pause of a place that was set aside; false if it is still paused, or another thread was first. */
    private boolean continueIfResumed(Place place) {
        while (place.state() instanceof Paused aside && !paused && !place.isPaused()) {
            // fails if another thread has ended the pause, taken the place back, or replaced its task
            if (place.change(aside, aside.work())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Hands over all places that were set aside and are no longer paused. Calls the helper last, since this thread has
     * to run work if the helper cannot be started.
     */
    private void startAll(Collection<Place> setAside) {
        boolean anyRefused = false;
        for (Place place : setAside) {
            if (continueIfResumed(place) && !startOrSetAside(place)) {
                workers.helper().deposit(place);
                anyRefused = true;
            }
        }
        if (anyRefused) {
            workers.helper().call();
        }
    }

    // finding a thread

    /**
     * Hands over a place that has just entered its orders, for its submitter. If the workers refuse, this takes the
     * place back, and returns the refusal.
     *
     * @param own the state that the submitter gave the place: its own task
     * @return the exception of the workers, which may be a checked one, since not all languages declare them; null if
     *     the workers have not refused, or if the task has started, was taken back or replaced, or another thread sets
     *     it aside or resumes it just now
     */
    @Nullable
    Throwable tryHandOver(Place place, Object own) {
        Submitted submitted = null;
        if (workers.mayRunInline()) {
            submitted = new Submitted(place, own);
            submitted.begin();
        }
        try {
            workers.handOver(submitted == null ? place : submitted);
        } catch (Throwable refusal) {
            endsInline(submitted);
            if (!service.takingBack().takeBackRefused(place, own)) {
                // the task has started, or another thread has taken it back or replaced it, or sets it aside or resumes
                // it just now: the submitter must not see the refusal
                UncaughtFailures.report(refusal);
                startIfWaiting(place);
                return null;
            }
            return refusal;
        }
        if (endsInline(submitted)) {
            // the inline run skips a batch, and a task that has replaced the submitter's own
            startIfWaiting(place);
        }
        return null;
    }

    private static boolean endsInline(@Nullable Submitted submitted) {
        return submitted != null && submitted.ends();
    }

    /** Finds a thread for a place that was accepted before; if the workers refuse the place, the helper gets it. */
    void start(Place place) {
        orders.orBreak(() -> {
            if (!startOrSetAside(place)) {
                workers.helper().add(place);
            }
        });
    }

    /** Finds a thread for a place, or sets it aside if it is paused. Returns false only if the workers refused it. */
    private boolean startOrSetAside(Place place) {
        if (service.lifecycle().isStopping() && !place.isActive()) {
            // needs no thread: shutdownNow takes the place back
            return true;
        }
        if (setAsideIfStartable(place)) {
            return true;
        }
        if (workers.areCallers()) {
            serve(place);
            return true;
        }
        return workers.passOn(place);
    }

    /** Like {@link #start}, if the place has something to run. */
    void startIfWaiting(Place place) {
        if (States.startableOf(place.state()) != null) {
            start(place);
        }
    }

    @Override
    public void seeTo(Grants changes) {
        for (Grants grants = changes; grants != null; grants = endOver(grants, false)) {
            boolean anyRefused = false;
            for (Place place = grants.poll(); place != null; place = grants.poll()) {
                if (place.isReadyWhenGranted() && !startOrSetAside(place)) {
                    workers.helper().deposit(place);
                    anyRefused = true;
                }
            }
            anyRefused |= seeToRest(grants);
            if (anyRefused) {
                workers.helper().call();
            }
        }
    }

    /**
     * Ends a place that is over as soon as it was granted. Called when all else is handled, since the dependent actions
     * of its future may take long, or wait for other places: so if this thread keeps any, other threads end it.
     *
     * @return the other such places, and the results of its leaving; null if there are none
     */
    private @Nullable Grants endOver(Grants grants, boolean keepsAny) {
        Grants over = grants.onlyOver();
        if (over == null) {
            return null;
        }
        if (keepsAny) {
            for (Place place = over.pollOver(); place != null; place = over.pollOver()) {
                Ending ending = new Ending(this, place);
                if (!workers.passOn(ending)) {
                    workers.helper().deposit(ending);
                }
            }
            return null;
        }
        Place place = over.pollOver();
        return place == null || !place.endsWhenGranted() ? over : Grants.merged(over, orders.leaveAll(place));
    }

    /** Ends a place that is over as soon as it was granted, on any thread. */
    record Ending(Dispatcher dispatcher, Place place) implements Runnable, Keyed {
        @Override
        public void run() {
            dispatcher.apartFromInterrupts(() -> dispatcher.seeTo(Grants.of(place)));
        }

        @Override
        public @Nullable Object key() {
            return dispatcher.service.namedTargetOf(place);
        }
    }

    /**
     * Runs an action on a thread that may be one of the application: an interrupt of it is not for the action, and one
     * that the action leaves is not for the thread.
     */
    private void apartFromInterrupts(Runnable action) {
        boolean interrupted = Thread.interrupted();
        try {
            orders.orBreak(action);
        } finally {
            Thread.interrupted();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            service.lifecycle().tellIfBroken();
        }
    }

    /** Finishes the granting in an order, on any thread; the dispatcher gets the places that this grants. */
    record Granting(Dispatcher dispatcher, Order order) implements Runnable, Keyed {
        @Override
        public void run() {
            dispatcher.apartFromInterrupts(() -> dispatcher.orders.goOnGranting(order));
        }

        @Override
        public @Nullable Object key() {
            return Orders.isKeyless(order.key()) ? null : order.key();
        }

        /** Whether the order is closed for good, so that there is nothing to grant. */
        boolean isOver() {
            return order.isClosedForGood();
        }
    }

    /**
     * Handles the results other than granted places. Returns true if the helper got work: then the caller has to call
     * the helper after all else.
     */
    private boolean seeToRest(Grants grants) {
        boolean anyRefused = false;
        for (Order order = grants.pollUnfinished(); order != null; order = grants.pollUnfinished()) {
            Granting granting = new Granting(this, order);
            if (workers.areCallers()) {
                granting.run();
            } else if (!workers.passOn(granting)) {
                workers.helper().deposit(granting);
                anyRefused = true;
            }
        }
        if (grants.isAnyClosed()) {
            service.lifecycle().onOrdersClosed();
        }
        if (grants.emptied() > 0) {
            orders.onEmptied(grants.emptied());
            service.lifecycle().terminateIfDone();
        }
        return anyRefused;
    }

    // running

    /** The tasks that an inline task has submitted to its own executor: they may run inline, too, on its thread. */
    private static final class InlineTasks {
        private static final int FEW = 64;

        /** For each place, the state that it was submitted with: another submitter may have replaced the task since. */
        private final IdentityHashMap<Place, Object> submitted = new IdentityHashMap<>();

        private int most = FEW;

        void add(Place place, Object state) {
            if (submitted.size() >= most) {
                // forget places that other threads have run, or that were cancelled
                submitted.keySet().removeIf(Place::isTakenBack);
                most = Math.max(FEW, 2 * submitted.size());
            }
            submitted.put(place, state);
        }
    }

    /**
     * A place that its submitter hands over. If the pool runs it inline, only the submitter's own task runs, and what
     * that task submits from this thread.
     */
    private static final class Submitted extends Offer {

        /**
         * The state with the submitter's own task. Null once the hand-over has returned, or a thread of the pool has
         * run the offer: such a thread runs whatever the place then holds. Read by the submitter only.
         */
        private @Nullable Object own;

        /** Not null while the submitter's task runs inline. Used by the submitter only. */
        private @Nullable InlineTasks tasks;

        Submitted(Place place, Object own) {
            super(place);
            this.own = own;
        }

        private Place place() {
            return (Place) work();
        }

        /** The tasks that may run on the current thread, inside its submission to an executor; null if none may. */
        static @Nullable InlineTasks tasksOf(Dispatcher dispatcher, @Nullable Offer given) {
            for (Offer offer = given; offer != null; offer = offer.outer()) {
                if (offer instanceof Submitted submitted
                        && submitted.tasks != null
                        && dispatcherOf(submitted.place()) == dispatcher) {
                    return submitted.tasks;
                }
            }
            return null;
        }

        @Override
        protected void runInline() {
            Object task = own;
            if (task != null && tasks == null && !(place() instanceof Batch)) {
                Dispatcher dispatcher = dispatcherOf(place());
                InlineTasks outer = tasksOf(dispatcher, outer());
                tasks = outer == null ? new InlineTasks() : outer;
                try {
                    dispatcher.serveInline(place(), task, tasks);
                } finally {
                    tasks = null;
                }
            }
        }

        @Override
        protected void forget() {
            own = null;
        }
    }

    private void serveInline(Place place, Object own, InlineTasks tasks) {
        boolean interrupted = Thread.interrupted();
        try {
            serveTurn(place, own, tasks.submitted);
            if (workers.helper().hasWork()) {
                workers.helper().call();
            }
        } catch (VirtualMachineError | LinkageError failure) {
            if (place.state() != own) {
                orders.setBroken(failure);
            }
            throw failure;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Called when a submitted task waits behind others: if an inline task has submitted it, it may run inline, too. */
    void onQueuedBehind(Place place, Object own) {
        InlineTasks tasks = workers.mayRunInline() ? Submitted.tasksOf(this, Offer.given()) : null;
        if (tasks != null && !(place instanceof Batch) && States.workOf(own) != null) {
            tasks.add(place, own);
        }
    }

    /**
     * Runs a ready place, then the places that its end grants, for a turn. Then does the same for places that the pool
     * has refused meanwhile, unless {@linkplain Workers#areCallers callers} do the work.
     */
    void serve(Place first) {
        boolean areCallers = workers.areCallers();
        // an application thread may be interrupted; if the tasks are not its own, the interrupt is not for them
        boolean interrupted = !areCallers && Thread.interrupted();
        try {
            for (Place place = first; place != null; place = areCallers ? null : nextRefused()) {
                serveTurn(place, null, null);
            }
        } catch (VirtualMachineError | LinkageError failure) {
            orders.setBroken(failure);
            throw failure;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            service.lifecycle().tellIfBroken();
        }
    }

    /**
     * Polls the work of the helper: finishes grantings, and offers other work to the pool again. Runs an {@link Ending}
     * that the pool still refuses. Stops at the first place that the pool still refuses, and returns it for the calling
     * thread to run; null if no work is left.
     */
    private @Nullable Place nextRefused() {
        for (Runnable refused = workers.helper().poll();
                refused != null;
                refused = workers.helper().poll()) {
            if (refused instanceof Granting granting) {
                granting.run();
            } else if (!workers.passOn(refused)) {
                if (refused instanceof Place place) {
                    return place;
                }
                refused.run();
            }
        }
        return null;
    }

    /**
     * Runs a place, and continues with the places that its end grants.
     *
     * @param ownOfFirst the only state in which the first place may run; null for any state
     * @param own the places that may run on this thread, with the states in which they may; null if all may
     */
    private void serveTurn(Place first, @Nullable Object ownOfFirst, @Nullable IdentityHashMap<Place, Object> own) {
        Turn.Clock turn = new Turn.Clock();
        // places that the workers refused: this thread runs them later
        ArrayDeque<Place> kept = null;
        boolean areCallers = workers.areCallers();
        Object state = ownOfFirst;
        Place place = first;
        while (place != null) {
            Next next = service.attempt(place, state);
            if (!areCallers) {
                // an interrupt that a dependent action, a listener or a predicate has left must not reach the next task
                Thread.interrupted();
            }
            state = null;
            turn.served(1);
            Place granted = next == Next.AGAIN ? place : null;
            Grants grants = null;
            if (next == Next.LEAVE) {
                Bin bin = orders.binIfOnly(place);
                if (bin == null) {
                    grants = orders.leaveAll(place);
                } else {
                    try {
                        if (orders.leaves(place, bin)) {
                            // usually this grants one place, which needs no list
                            granted = bin.takeFirstGranted();
                            grants = bin.release();
                        }
                    } catch (VirtualMachineError | LinkageError failure) {
                        orders.setBroken(failure, bin);
                        throw failure;
                    }
                }
                if (granted == null && grants != null) {
                    granted = grants.poll();
                }
            }
            place = null;
            boolean isOver = false;
            while (true) {
                if (granted == null && grants != null) {
                    granted = grants.poll();
                }
                if (granted == null) {
                    if (grants == null) {
                        break;
                    }
                    // finish the granting here: it may grant a place that has to run within its own submission
                    boolean awaitsOurs = own != null && !own.isEmpty();
                    Order unfinished = awaitsOurs ? grants.pollUnfinished() : null;
                    if (unfinished != null) {
                        grants = Grants.merged(grants, orders.grantMore(unfinished));
                    } else {
                        // the result is not needed: if the helper got work, callers of this method poll or call it
                        // afterwards
                        seeToRest(grants);
                        boolean keepsAny = place != null || (kept != null && !kept.isEmpty());
                        grants = endOver(grants, keepsAny);
                        if (grants != null && !areCallers) {
                            // a dependent action may have left an interrupt, which must not reach the next task
                            Thread.interrupted();
                        }
                    }
                    continue;
                }
                if (next == Next.AGAIN || granted.isReadyWhenGranted()) {
                    boolean isOurs = next == Next.AGAIN || own == null || own.containsKey(granted);
                    // this thread keeps the first one unless its turn is over; other threads get the rest, in order
                    isOver |= isOurs && place == null && turn.isOver(workers);
                    if (isOurs && place == null && !isOver) {
                        place = granted;
                    } else if (!isOurs) {
                        start(granted);
                    } else if (!setAsideIfStartable(granted) && !workers.passOn(granted)) {
                        boolean isNext = place == null && (kept == null || kept.isEmpty());
                        if (own != null
                                || areCallers
                                || (isNext && !workers.helper().hasWork())) {
                            kept = kept == null ? new ArrayDeque<>() : kept;
                            kept.add(granted);
                        } else {
                            // other threads can poll it there while this one runs another place
                            workers.helper().deposit(granted);
                        }
                    }
                }
                granted = null;
            }
            if (isOver) {
                turn.begin();
            }
            if (place == null && kept != null) {
                place = kept.poll();
            }
            if (own != null && place != null) {
                state = own.remove(place);
            }
        }
    }
}
