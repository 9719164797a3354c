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
import io.orderedexecutor.engine.run.Service.Outcome;
import io.orderedexecutor.engine.run.States.Paused;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a thread for each place that holds all of its orders: hands it to the workers, or lets the thread run it that
 * serves a turn (R5).
 *
 * <ul>
 *   <li>A submitter hands over its own place, and gets the refusal of the workers; if they run it inline, that is its
 *       own task at most, and what that task submits.
 *   <li>A thread that only lets places go on (it completes, cancels, resumes or looks) runs none of them: places that
 *       the workers refuse go to their helper.
 *   <li>A thread that serves a turn goes on with the first place that was granted by the end of the one before, and
 *       hands over the others.
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

    // what has come of changes in orders

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
            // by a thread that may have looked before the place had an order
            leave(place);
        } else if (!isGranted) {
            onQueuedBehind(place, own);
        } else if (!place.isReadyWhenGranted()) {
            if (place.isOverWhenGranted()) {
                leave(place);
            }
        } else if (!setsAside(place)) {
            return tryHandOver(place, own);
        }
        return null;
    }

    /** A place leaves all of its orders, and what that grants goes to other threads. */
    void leave(Place place) {
        boolean hasRun = place.state() == Place.Out.LEFT;
        orders.leave(place);
        if (!hasRun) {
            // perhaps it was handed over
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

    /** Lets all go on, whatever is paused. */
    void resumeAll() {
        resume();
        for (Order order : orders.all(Order::isPaused)) {
            List<Place> held = orders.resume(order);
            startAll(held == null ? List.of() : held);
        }
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

    /** As {@link #setsAside}, for a place that is about to get a thread: it needs none then. */
    private boolean setsAsideIfStartable(Place place) {
        return States.startableOf(place.state()) != null && setsAside(place);
    }

    /** Takes up a place that was set aside; false if it is paused still, or another thread has done so. */
    private boolean goesOnAfterPause(Place place) {
        while (place.state() instanceof Paused aside && !paused && !place.isPaused()) {
            // if this fails, the place was taken back, or has another task by now
            if (place.change(aside, aside.work())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Hands over the places that were set aside and are no longer paused: all of them, before this thread may have to
     * run one.
     */
    private void startAll(Collection<Place> setAside) {
        boolean anyRefused = false;
        for (Place place : setAside) {
            if (goesOnAfterPause(place) && !isStarted(place)) {
                workers.helper().leave(place);
                anyRefused = true;
            }
        }
        if (anyRefused) {
            workers.helper().call();
        }
    }

    // finding a thread

    /**
     * Hands over a place that was just taken, for its submitter. If the workers refuse, this takes the place back, and
     * returns the refusal.
     *
     * @param own the state in which the submitter has brought the place: with its own task
     * @return the exception of the workers, perhaps a checked one, since not all languages declare them; null if they
     *     have not refused, or the place is run all the same
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
                // it has run, or was taken back or replaced, so its submitter must not be told otherwise
                UncaughtFailures.report(refusal);
                startIfWaiting(place);
                return null;
            }
            return refusal;
        }
        if (endsInline(submitted)) {
            // it was not run if it has another's task by now, or those of others
            startIfWaiting(place);
        }
        return null;
    }

    private static boolean endsInline(@Nullable Submitted submitted) {
        return submitted != null && submitted.ends();
    }

    /** Finds a thread for a place that was accepted before: if no other runs it, the helper does. */
    void start(Place place) {
        orders.orBreak(() -> {
            if (!isStarted(place)) {
                workers.helper().add(place);
            }
        });
    }

    private boolean isStarted(Place place) {
        if (service.lifecycle().isStopping() && !place.isActive()) {
            // it is taken back
            return true;
        }
        if (setsAsideIfStartable(place)) {
            return true;
        }
        if (workers.areCallers()) {
            serve(place);
            return true;
        }
        return workers.passOn(place);
    }

    /** As {@link #start}, if it has something to run. */
    void startIfWaiting(Place place) {
        if (States.startableOf(place.state()) != null) {
            start(place);
        }
    }

    @Override
    public void seeTo(Grants changes) {
        boolean anyRefused = false;
        Grants grants = changes;
        Place place = grants.poll();
        while (place != null) {
            if (place.isReadyWhenGranted()) {
                if (!isStarted(place)) {
                    workers.helper().leave(place);
                    anyRefused = true;
                }
            } else if (place.isOverWhenGranted()) {
                grants = Grants.merged(grants, orders.leaveAll(place));
            }
            place = grants == null ? null : grants.poll();
        }
        if (grants != null) {
            anyRefused |= seeToRest(grants);
        }
        if (anyRefused) {
            workers.helper().call();
        }
    }

    /**
     * The work of a thread that finishes the granting in an order; the places that it grants get threads of their own.
     */
    record Granting(Dispatcher dispatcher, Order order) implements Runnable, Keyed {
        @Override
        public void run() {
            boolean interrupted = Thread.interrupted();
            try {
                dispatcher.orders.goOnGranting(order);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                dispatcher.service.lifecycle().tellIfBroken();
            }
        }

        @Override
        public @Nullable Object key() {
            return Orders.isKeyless(order.key()) ? null : order.key();
        }

        /** Whether there is nothing to grant, for good. */
        boolean isOver() {
            return order.isClosedForGood();
        }
    }

    /** Returns whether something was left with the helper, which the caller calls when it is done. */
    private boolean seeToRest(Grants grants) {
        boolean anyRefused = false;
        for (Order order = grants.pollUnfinished(); order != null; order = grants.pollUnfinished()) {
            Granting granting = new Granting(this, order);
            if (workers.areCallers()) {
                granting.run();
            } else if (!workers.passOn(granting)) {
                workers.helper().leave(granting);
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

    /**
     * The tasks that a task has submitted to its own executor, which runs it inline: they may run on the same thread.
     * Used by that thread only.
     */
    private static final class InlineTasks {
        private static final int FEW = 64;

        /** By place, the state in which it was submitted: another submitter may have replaced the task since. */
        private final IdentityHashMap<Place, Object> submitted = new IdentityHashMap<>();

        private int most = FEW;

        void add(Place place, Object state) {
            if (submitted.size() >= most) {
                // those that other threads have run, or that were cancelled
                submitted.keySet().removeIf(Place::isTakenBack);
                most = Math.max(FEW, 2 * submitted.size());
            }
            submitted.put(place, state);
        }
    }

    /**
     * A place that its submitter hands over. An executor that runs it inline gets the submitter's own task run, and
     * what that task submits from this thread; nobody else's.
     */
    private static final class Submitted extends Offer {

        /** Null once it was given: a thread of the pool runs what the place holds then. Read by the giver only. */
        private @Nullable Object own;

        /** Of the giver's, while its task runs inline. */
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

    /** A task that was just submitted waits behind others: if it was submitted by one that runs inline, it may, too. */
    void onQueuedBehind(Place place, Object own) {
        InlineTasks tasks = workers.mayRunInline() ? Submitted.tasksOf(this, Offer.given()) : null;
        if (tasks != null && !(place instanceof Batch) && States.workOf(own) != null) {
            tasks.add(place, own);
        }
    }

    /**
     * Runs a place that is ready, then the places that its end grants, for a turn; and then places that were refused
     * meanwhile.
     */
    void serve(Place first) {
        if (workers.areCallers()) {
            serveTurn(first, null, null);
            return;
        }
        // an interrupt of a thread of the application that runs tasks itself is meant for none of them
        boolean interrupted = Thread.interrupted();
        try {
            for (Place place = first; place != null; place = nextRefused()) {
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

    /** A place that the pool still refuses, for a thread that is done with a turn; null if there is none. */
    private @Nullable Place nextRefused() {
        for (Runnable refused = workers.helper().poll();
                refused != null;
                refused = workers.helper().poll()) {
            if (refused instanceof Granting granting) {
                granting.run();
            } else if (!workers.passOn(refused)) {
                return (Place) refused;
            }
        }
        return null;
    }

    /**
     * Serves a place, and goes on with what it grants.
     *
     * @param ownOfFirst the state of the first place in which it may run; null if it may in any
     * @param own the places that may run on this thread, with their states; null if all may
     */
    private void serveTurn(Place first, @Nullable Object ownOfFirst, @Nullable IdentityHashMap<Place, Object> own) {
        Turn.Clock turn = new Turn.Clock();
        // places that the workers have refused: this thread runs them later
        ArrayDeque<Place> kept = null;
        Object state = ownOfFirst;
        Place place = first;
        while (place != null) {
            Outcome outcome = service.attempt(place, state);
            state = null;
            turn.served(1);
            Place granted = outcome == Outcome.AGAIN ? place : null;
            Grants grants = null;
            if (outcome == Outcome.OVER) {
                Bin bin = orders.binIfOnly(place);
                if (bin == null) {
                    grants = orders.leaveAll(place);
                } else if (orders.leaves(place, bin)) {
                    // most often one is granted: it needs no list
                    granted = bin.takeFirstGranted();
                    grants = bin.release();
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
                    // places that this thread may run, it runs within the submission that has brought them
                    boolean isOurs = own != null && !own.isEmpty();
                    Order unfinished = isOurs && grants != null ? grants.pollUnfinished() : null;
                    if (unfinished == null) {
                        break;
                    }
                    grants = Grants.merged(grants, orders.grantMore(unfinished));
                    continue;
                }
                if (outcome == Outcome.AGAIN || granted.isReadyWhenGranted()) {
                    boolean isOurs = outcome == Outcome.AGAIN || own == null || own.containsKey(granted);
                    // the first is this thread's unless its turn is over; others go to others, in their order
                    isOver |= isOurs && place == null && turn.isOver(workers);
                    if (isOurs && place == null && !isOver) {
                        place = granted;
                    } else if (!isOurs) {
                        start(granted);
                    } else if (!setsAsideIfStartable(granted) && !workers.passOn(granted)) {
                        boolean isNext = place == null && (kept == null || kept.isEmpty());
                        if (own != null
                                || workers.areCallers()
                                || (isNext && !workers.helper().hasWork())) {
                            kept = kept == null ? new ArrayDeque<>() : kept;
                            kept.add(granted);
                        } else {
                            // other threads can come for it there, while this one runs something else
                            workers.helper().leave(granted);
                        }
                    }
                } else if (granted.isOverWhenGranted()) {
                    grants = Grants.merged(grants, orders.leaveAll(granted));
                }
                granted = null;
            }
            if (grants != null) {
                // the caller looks at the helper when the turn is over
                seeToRest(grants);
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
