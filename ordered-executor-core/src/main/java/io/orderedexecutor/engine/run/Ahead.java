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
 * A look at which places have to be left before another one can start. It goes from a place to those before it, one bin
 * at a time, so places may come and go meanwhile.
 *
 * <p>Used by one thread.
 */
public final class Ahead {
    private final Service service;
    private final Orders orders;

    /** The numbers of the last barriers that were met: what these wait for is known. */
    private long lastExclusiveMet;

    private long lastSharedMet;

    public Ahead(Service service) {
        this.service = service;
        this.orders = service.orders();
    }

    /**
     * The places that have to leave before a place can start, except those that only wait in the order of one key:
     * these may be many, and the places that they wait for are met all the same.
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

    /** The threads of the tasks that have to end before a place can leave, with the thread of its own task. */
    List<Thread> threads(Place waiting) {
        List<Thread> threads = new ArrayList<>();
        addThread(waiting, threads);
        for (Place place : of(waiting)) {
            addThread(place, threads);
        }
        return threads;
    }

    private static void addThread(Place place, List<Thread> threads) {
        Object state = place.state();
        Thread thread = state instanceof Attempt attempt
                ? attempt.thread()
                : state instanceof States.Vacancy vacancy
                        ? vacancy.reservation().owner()
                        : null;
        if (thread != null) {
            threads.add(thread);
        }
    }

    /** The threads that hold up a place by their reservations. */
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

    /** One of the earlier places in conflict with a place: one that waits for no other, if there is one. */
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

    /** The places that a barrier waits for. */
    public List<Place> before(Barrier waiting) {
        return isGranted(waiting) ? List.of() : before(waiting, new LinkedHashSet<>(), true);
    }

    /** Whether a place is granted. */
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
     * The order of a step; none if it has entered none. Its submitter may have left a request at a bin that another
     * thread had, and gone on: after a visit of all bins, the step has entered.
     */
    private Order orderOf(Step step) {
        if (step.order() == orders.none()) {
            orders.forEachBin(bin -> {});
        }
        return step.order();
    }

    /**
     * The places before a place in one of its orders that conflict with it, or with a place that does.
     *
     * @param passed the steps that were met before: what these wait for is known; the steps that are met are added
     * @param onlyItself whether places that conflict with others only are left out
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
                    // the places before it wait for the holder alone
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
        // the last place that conflicts stands behind all earlier ones
        for (int i = last; i >= 0; i--) {
            Step step = steps.get(i);
            // the places that a shared one waits for may wait for barriers that it does not meet itself
            boolean isGate = waiting.isShared() && i == last;
            if (onlyItself ? !(waiting.isShared() && step.isShared()) : isGate || !onlyWaitsHere(step.place())) {
                before.add(step.place());
                if (i < last) {
                    // the places before it in this order are met here
                    passed.add(step);
                }
            }
        }
    }

    /** Whether no barrier was met that stands behind this one and waits for all that this one waits for. */
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

    /** The places that a barrier waits for, except other barriers, which it meets in their own order. */
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
                // the last one waits for the others; also for shared ones, for which this barrier does not wait
                order.forEach(look);
                all.addAll(here.subList(Math.max(0, here.size() - 1), here.size()));
            } else {
                // waiting places wait for the holders alone, and for barriers that this one waits for, too
                order.forEachHolder(look);
                all.addAll(here);
            }
        });
        before.addAll(all);
    }
}
