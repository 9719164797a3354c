package io.orderedexecutor.engine.run;

import io.orderedexecutor.engine.order.Barrier;
import io.orderedexecutor.engine.order.Many;
import io.orderedexecutor.engine.order.Order;
import io.orderedexecutor.engine.order.Order.Step;
import io.orderedexecutor.engine.order.Orders;
import io.orderedexecutor.engine.order.Place;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the places that have to leave before another one can start. The search goes from a place to those before it,
 * one bin at a time, so places may come and go meanwhile.
 *
 * <p>Used by one thread, for one search: a second one would leave out what the first has met before barriers.
 */
public final class Ahead {
    private final Service service;
    private final Orders orders;

    /** The highest number of an exclusive barrier whose predecessors the search has met; 0 if there is none. */
    private long lastExclusiveMet;

    /** Like {@link #lastExclusiveMet}, for shared barriers. */
    private long lastSharedMet;

    public Ahead(Service service) {
        this.service = service;
        this.orders = service.orders();
    }

    /**
     * The places that have to leave before a place can start. Leaves out most places of one key that wait to run: they
     * may be many, and the search meets the places that they wait for anyway.
     */
    Set<Place> of(Place waiting) {
        Set<Place> ahead = new LinkedHashSet<>();
        Set<Step> passed = new LinkedHashSet<>();
        Deque<Place> open = new ArrayDeque<>(List.of(waiting));
        while (!open.isEmpty()) {
            for (Place place : before(open.remove(), passed, false)) {
                if (place != waiting && ahead.add(place)) {
                    open.add(place);
                }
            }
        }
        return ahead;
    }

    /**
     * The threads of the tasks that have to end before a place can leave, including the thread of its own task, and the
     * threads whose reservations hold up the place.
     */
    List<Thread> threads(Place waiting) {
        List<Thread> threads = new ArrayList<>();
        addThread(waiting, threads);
        for (Place place : of(waiting)) {
            addThread(place, threads);
        }
        return threads;
    }

    private static void addThread(Place place, List<Thread> threads) {
        Thread thread = place.state() instanceof States.Vacancy vacancy
                ? vacancy.reservation().owner()
                : place.thread();
        if (thread != null) {
            threads.add(thread);
        }
    }

    /** The threads whose reservations hold up a place. */
    List<Thread> owners(Place waiting) {
        List<Thread> owners = new ArrayList<>();
        if (!service.reserved().isEmpty()) {
            for (Place place : of(waiting)) {
                if (place.state() instanceof States.Vacancy) {
                    addThread(place, owners);
                }
            }
        }
        return owners;
    }

    /** An earlier place that conflicts with a place, if possible a granted one; null if there is none. */
    @Nullable
    Place one(Place waiting) {
        Place any = null;
        List<Place> conflicting = before(waiting, new LinkedHashSet<>(), true);
        for (Place place : conflicting) {
            if (isGranted(place)) {
                return place;
            }
            any = any == null ? place : any;
        }
        return any;
    }

    boolean isGranted(Place place) {
        if (place instanceof Many many) {
            return many.isGranted();
        }
        Order order = orderOf(place);
        if (order == orders.none()) {
            return false;
        }
        return orders.under(order.bin(), () -> {
            List<Place> granted = new ArrayList<>();
            order.bin().forEachGranted(order, granted::add);
            return granted.contains(place);
        });
    }

    /**
     * The order of a step; {@link Orders#none()} if it has entered none. The submitter may have posted a request at a
     * bin that another thread held. A visit of all bins makes sure that such a request is performed.
     */
    private Order orderOf(Step step) {
        if (step.order() == orders.none()) {
            orders.forEachBin(bin -> {});
        }
        return step.order();
    }

    /**
     * The places before a place, in one of its orders, that conflict with it, or with a place that conflicts with it.
     *
     * @param passed the steps whose predecessors the search has met already; this method adds steps
     * @param onlyItself whether to leave out places that conflict with other places only
     */
    private List<Place> before(Place waiting, Set<Step> passed, boolean onlyItself) {
        List<Place> before = new ArrayList<>();
        if (waiting instanceof Barrier barrier && (onlyItself || isFirstMet(barrier))) {
            addBeforeBarrier(barrier, before, onlyItself);
        }
        for (int i = 0; i < waiting.steps(); i++) {
            Step step = waiting.step(i);
            Order order = orderOf(step);
            if (order == orders.none() || !passed.add(step)) {
                continue;
            }
            List<Step> steps = new ArrayList<>();
            before.addAll(orders.under(order.bin(), () -> {
                boolean isHolder = order.isHeldBy(step);
                if (!isHolder && (onlyItself || order.mayBeHeldUpElsewhere())) {
                    steps.addAll(order.upTo(step));
                } else if (!isHolder && !waiting.isTakenBack()) {
                    // the places before this one wait for the holder only
                    order.forEachHolder(steps::add);
                    steps.add(step);
                }
                return order.bin().barriersBefore(waiting, !onlyItself);
            }));
            addConflicting(steps, step, before, passed, onlyItself);
        }
        if (waiting instanceof Comparisons.Compared compared) {
            before.addAll(compared.before());
        }
        return before;
    }

    private static void addConflicting(
            List<Step> steps, Step waiting, List<Place> before, Set<Step> passed, boolean onlyItself) {
        int own = steps.indexOf(waiting);
        int last = own - 1;
        while (last >= 0 && waiting.isShared() && steps.get(last).isShared()) {
            last--;
        }
        // backwards: the last conflicting place waits for all earlier ones, except that a shared place passes earlier
        // shared ones
        for (int i = last; i >= 0; i--) {
            Step step = steps.get(i);
            // a shared step waits for this exclusive one, which may wait for barriers that the shared one does not meet
            boolean isGate = waiting.isShared() && i == last;
            if (onlyItself ? !(waiting.isShared() && step.isShared()) : isGate || !onlyWaitsHere(step.place())) {
                before.add(step.place());
                if (i < last) {
                    // this loop meets the places before it in this order
                    passed.add(step);
                }
            }
        }
    }

    /** Whether the search has met neither this barrier nor a later one that waits for all that this one waits for. */
    private boolean isFirstMet(Barrier barrier) {
        long number = barrier.number();
        boolean isFirst = number > lastExclusiveMet && (!barrier.isOfShared() || number > lastSharedMet);
        if (barrier.isOfShared()) {
            lastSharedMet = Math.max(lastSharedMet, number);
        } else {
            lastExclusiveMet = Math.max(lastExclusiveMet, number);
        }
        return isFirst;
    }

    private static boolean onlyWaitsHere(Place place) {
        return !(place instanceof Many) && States.workOf(place.state()) != null;
    }

    /** Adds the places that a barrier waits for, except other barriers: these have an order of their own. */
    private void addBeforeBarrier(Barrier barrier, List<Place> before, boolean onlyItself) {
        Set<Place> all = new LinkedHashSet<>();
        orders.forEachOrder(order -> {
            List<Place> here = new ArrayList<>();
            Consumer<Step> look = step -> {
                if (!(barrier.isOfShared() && step.isShared()) && order.bin().isBefore(step.place(), barrier)) {
                    here.add(step.place());
                }
            };
            if (onlyItself || order.mayBeHeldUpElsewhere()) {
                order.forEach(look);
                all.addAll(here);
            } else if (barrier.isOfShared()) {
                // the last place waits for the others, and for shared ones, for which this barrier does not wait
                order.forEach(look);
                all.addAll(here.subList(Math.max(0, here.size() - 1), here.size()));
            } else {
                // waiting places wait only for the holders, and for barriers that this one waits for, too
                order.forEachHolder(look);
                all.addAll(here);
            }
        });
        before.addAll(all);
    }
}
